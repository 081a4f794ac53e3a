/** Every command line of the README, the topics (but ci and recipes) and the help is run or has its test. */

import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { TOPICS } from '../../src/cli/topics';
import { COMMANDS } from '../../src/commands/grammar';
import { makeAuthority } from '../harness/endpoints/authority';
import { listen } from '../harness/endpoints/listen';
import { startTokenEndpoint } from '../harness/endpoints/token-endpoint';
import { type HomeFolders, openFolders } from '../harness/homes/folder';
import { startKeyring } from '../harness/keyrings/keyring';
import { missing } from '../harness/needs';
import { linkProgram, runCommand } from '../harness/programs/program';
import { ROOT } from '../harness/root';
import { allCommands, blocksOf, spansOf, unitsOf } from './grammar';

/** What is not run here, `*` for any rest, and where it is run or why it cannot be. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'gwtoken login': 'prompts: test/commands/login.test.ts, and the picture',
  'gwtoken login --region eu': 'prompts',
  'gwtoken login --region us --auth-url https://identity.us.example.com': 'prompts',
  'gwtoken login --sandbox': 'prompts',
  'gwtoken login --sandbox --profile acme': 'prompts',
  'gwtoken logout --region eu': 'prompts: test/commands/logout.test.ts',
  'gwtoken logout --region us': 'prompts',
  'gwtoken login --secret-stdin': 'named in prose, in full below it',
  'npm run demo': 'test/tools/demo/demo.system.test.ts',
  'npm test': 'this is part of it',
  'npm ci --ignore-scripts && npm pack && *': 'test/package/packed.test.ts packs and installs',
  'sha256sum --check *': 'needs a release page; the same way by test/documents/ci-topic.test.ts',
  'curl -fsSL -o gwtoken.tar.gz *': 'needs a release page; test/documents/ci-topic.test.ts has one',
  'eval "$(gwtoken completion zsh)"': 'test/commands/completion.test.ts, in zsh',
  'gwtoken completion fish | source': 'test/commands/completion.test.ts, in fish',
  'gwtoken completion powershell *': 'no PowerShell here',
  'gwtoken env --format fish | source': 'test/shells, in fish',
  'sh bash zsh ksh dash *': 'a table of shells: test/shells, in each of them',
  'export GWTOKEN_CLIENT_ID_EU=... *': 'needs values of your own',
  'export DBUS_SESSION_BUS_ADDRESS=*': 'needs a desktop',
  'dbus-run-session *': 'test/system/keychain/keychain-items.test.ts',
  "printf '{*": 'test/system/keychain/keychain-items.test.ts',
  'security *': 'needs macOS',
  'HTTPS_PROXY=*': 'an assignment alone; test/system/wire has proxies with a password',
  'GWTOKEN_ACCESS_TOKEN *': 'a list of variables',
};

interface Unit {
  readonly from: string;
  readonly line: string;
}

const documents = {
  README: readFileSync(join(ROOT, 'README.md'), 'utf8'),
  ...Object.fromEntries(
    Object.keys(TOPICS)
      .filter((name) => !['ci', 'recipes'].includes(name))
      .map((name) => [name, readFileSync(join(ROOT, 'src', 'cli', 'topics', `${name}.md`), 'utf8')]),
  ),
};
const listed = (line: string) =>
  Object.keys(NOT_RUN).find((each) => {
    const text = line.replace(/\s+/g, ' ');
    return each.endsWith('*') ? text.startsWith(each.slice(0, -1)) : text === each;
  });
/** A block as one script, or cut up if it has something that is not run. */
const scriptsOf = (block: string): string[] => {
  const script = block.replace(/ +# .*$/gm, '').trim();
  if (listed(script)) return [script];
  const units = unitsOf(script);
  return units.some(listed) ? units : [script];
};
const units: Unit[] = [
  ...Object.entries(documents).flatMap(([from, text]) =>
    [...blocksOf(text).flatMap(scriptsOf), ...spansOf(text)].map((line) => ({ from, line })),
  ),
  ...allCommands(COMMANDS).flatMap(({ path, command }) =>
    Object.keys(command.examples).map((line) => ({ from: `${path.join(' ')} --help`, line })),
  ),
];
const once = [...new Map(units.map((unit) => [unit.line, unit])).values()];

/** A home with clients in a keyring; each line begins in a copy of it. */
interface Place {
  readonly template: HomeFolders;
  readonly env: Record<string, string>;
  readonly work: string;
  here(line: string): string;
  restore(): Promise<void>;
}
let place: Place;

async function openPlace(): Promise<Place> {
  const endpoint = await startTokenEndpoint();
  const gateway = await listen(createServer((_, response) => response.end('hello\n')));
  const keyring = await startKeyring({ state: 'unlocked' });
  const template = openFolders(keyring.env);
  const work = join(template.dir, 'work');
  mkdirSync(work);
  for (const name of ['deploy.sh', 'serve']) writeFileSync(join(work, name), '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(join(work, 'secret.txt'), 'secret\n');
  writeFileSync(join(work, 'order.json'), '{}');
  const ca = makeAuthority().caFile;
  const env = {
    ...template.env,
    PATH: linkProgram(join(template.dir, 'bin')),
    ID: 'id',
    SECRET: 'secret',
  };
  const items = new Map<string, string>();
  const place: Place = {
    template,
    env,
    work,
    here: (line) =>
      line
        .replaceAll('https://gateway.example.com/', `${gateway.url}/`)
        .replaceAll('/etc/ssl/company.pem', ca)
        .replace(/\bURL$/gm, gateway.url)
        .replace(/\bCOMMAND\b/g, 'true'),
    async restore() {
      for (const [account, item] of items) await keyring.store(account, item);
    },
  };
  for (const client of ['--region eu', '--region us', '--region eu --sandbox']) {
    const login = `gwtoken login ${client} --client-id id --secret-stdin --auth-url ${endpoint.authUrl}`;
    const { code, stderr } = await bash(`printf secret | ${login}`, env, work);
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  }
  await bash(`gwtoken config set api-url ${gateway.url}`, env, work);
  for (const account of ['default:production:eu', 'default:production:us', 'default:sandbox:eu'])
    items.set(account, (await keyring.lookup(account))!);
  return place;
}

function bash(line: string, env: Record<string, string>, cwd: string) {
  return runCommand(['/usr/bin/bash', '-e', '-o', 'pipefail', '-c', line], { env, cwd });
}

const reason = missing('keyring', 'bash');

describe('each command line of the documents and the help', () => {
  beforeAll(async () => {
    if (reason === undefined) place = await openPlace();
  });

  test('is run here or named in the list, of which each entry is there', () => {
    expect(once.length).toBeGreaterThan(60);
    const used = new Set(once.map(({ line }) => listed(line)));
    expect(Object.keys(NOT_RUN).filter((start) => !used.has(start))).toEqual([]);
  });

  test.for(once.filter(({ line }) => !listed(line)))('$from: $line', async ({ line }, { needs }) => {
    needs(reason);
    const { template, work, here, env } = place;
    if (line.startsWith('$ ')) {
      // A sample of a first run, with what it prints.
      const [typed = '', ...printed] = line.slice(2).split('\n');
      const empty = openFolders();
      const { stdout, stderr } = await bash(typed, { ...empty.env, PATH: env['PATH']! }, work);
      return expect(`${stdout}${stderr}`).toBe(`${printed.join('\n')}\n`);
    }
    const own = join(template.dir, 'own');
    const folders = { XDG_CONFIG_HOME: join(own, 'config'), XDG_CACHE_HOME: join(own, 'cache') };
    for (const name of ['config', 'cache'] as const)
      cpSync(template.env[`XDG_${name.toUpperCase()}_HOME`]!, join(own, name), { recursive: true });
    try {
      const { code, stderr } = await bash(here(line), { ...env, ...folders }, work);
      expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    } finally {
      rmSync(own, { recursive: true });
      if (/\blog(in|out)\b/.test(line)) await place.restore();
    }
  });
});
