/** Each recipe of `gwtoken help recipes`, run as it stands there with the tool that it is for. */

import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listen } from '../harness/endpoints/listen';
import { startTokenEndpoint } from '../harness/endpoints/token-endpoint';
import { inVariables } from '../harness/homes/client';
import { openFolders } from '../harness/homes/folder';
import type { Need } from '../harness/needs';
import { linkProgram, runCommand } from '../harness/programs/program';
import { ROOT } from '../harness/root';

const GATEWAY = 'https://gateway.example.com/';
const topic = readFileSync(join(ROOT, 'src', 'cli', 'topics', 'recipes.md'), 'utf8');
/** What `npm run test:setup` takes from npm for them. */
const FROM_NPM = join(ROOT, 'node_modules', '.cache', 'recipes', 'node_modules', '.bin');

interface Needs {
  readonly tools: readonly Need[];
  /** A program of npm's. */
  readonly npm?: string;
  /** How often the gateway is called. */
  readonly calls: number;
}
const RECIPES: Readonly<Record<string, Needs | 'not run'>> = {
  curl: { tools: [], calls: 2 },
  'HTTPie and xh': { tools: ['httpie'], calls: 1 },
  Hurl: 'not run',
  restish: { tools: [], calls: 0 },
  // Not of Debian or npm, or too old in Debian.
  grpcurl: 'not run',
  k6: 'not run',
  PowerShell: 'not run',
  jq: { tools: ['jq'], calls: 0 },
  'A shell that always has a valid token': { tools: [], calls: 0 },
  // The fourth fails, which ends the loop.
  'Long-running scripts': { tools: [], calls: 4 + 1 },
  'A token at a path': { tools: [], calls: 0 },
  'Node.js': { tools: [], calls: 2 },
  Python: { tools: ['python3-jeepney'], calls: 2 },
  make: { tools: ['make'], calls: 1 },
  just: { tools: [], npm: 'just', calls: 1 },
  direnv: { tools: ['direnv'], calls: 1 },
  mise: { tools: [], npm: 'mise', calls: 1 },
  dotenv: { tools: [], calls: 1 },
  git: 'not run',
  Cargo: 'not run',
  Terraform: 'not run',
  Ansible: 'not run',
  'HTTP client files': { tools: ['jq'], npm: 'httpyac', calls: 2 },
  Bruno: { tools: [], npm: 'bru', calls: 1 },
  Postman: { tools: ['jq'], calls: 0 },
  'Programs that ask a helper': { tools: [], calls: 0 },
};

interface Recipe {
  readonly name: string;
  /** By their names, as the line above each says. */
  readonly files: ReadonlyMap<string, string>;
  readonly script: string;
}

const recipes = topic
  .split(/^## /m)
  .slice(1)
  .map((section): Recipe => {
    const [name = ''] = section.split('\n');
    const blocks = [...section.matchAll(/(?:^`([^`\n]+)`:\n\n)?^```(\w+)\n([\s\S]*?)^```$/gm)];
    const files = blocks.flatMap(([, file, , text = '']) =>
      file === undefined ? [] : [[file, text] as const],
    );
    const commands = blocks.filter(([, file, language]) => file === undefined && language === 'sh');
    return { name, files: new Map(files), script: commands.map(([, , , code]) => code).join('') };
  });

/** A gateway that says hello to who has the endpoint's token, but not the fourth time. */
async function startPlace() {
  const endpoint = await startTokenEndpoint();
  const calls: (string | undefined)[] = [];
  const { url } = await listen(
    createServer(({ headers: { authorization } }, response) => {
      calls.push(authorization);
      response
        .writeHead(calls.length === 4 ? 503 : authorization === 'Bearer token-1' ? 200 : 401)
        .end('hello\n');
    }),
  );
  const { dir, env } = openFolders();
  const [bin, work] = [join(dir, 'bin'), join(dir, 'work')];
  mkdirSync(work);
  linkProgram(bin);
  const executable = { mode: 0o755 };
  const call = (token: string) =>
    `#!/bin/sh\nprintf 'Authorization: Bearer %s\\n' "${token}" | curl -fsS -H @- ${url}/\n`;
  writeFileSync(join(work, 'deploy.sh'), call('$GWTOKEN_ACCESS_TOKEN'), executable);
  writeFileSync(join(work, 'worker.sh'), call('$(cat "$GWTOKEN_TOKEN_FILE")'), executable);
  // The loop's: nobody waits for a minute here.
  writeFileSync(join(bin, 'sleep'), '#!/bin/sh\n', executable);
  const path = [bin, FROM_NPM, process.env['PATH']].join(delimiter);
  return {
    calls,
    work,
    here: (text: string) => text.replaceAll(GATEWAY, `${url}/`),
    env: {
      ...env,
      ...inVariables(endpoint.authUrl),
      PATH: path,
      NODE_PATH: join(ROOT, 'node_modules'),
      MISE_OFFLINE: '1',
    },
  };
}

describe('the topic recipes', () => {
  test('has a recipe for each tool that is known here', () => {
    expect(recipes.map(({ name }) => name)).toEqual(Object.keys(RECIPES));
  });

  const run = recipes.filter(({ name }) => RECIPES[name] !== 'not run');

  test.for(run)('$name', { timeout: 60_000 }, async ({ name, files, script }, { needs }) => {
    const { tools, npm, calls: expected } = RECIPES[name] as Needs;
    const program =
      npm !== undefined && !existsSync(join(FROM_NPM, npm)) ? (`needs npm: ${npm}` as const) : undefined;
    needs('linux', 'bash', ...tools, program);
    const { calls, work, here, env } = await startPlace();
    for (const [file, text] of files) writeFileSync(join(work, file), here(text));
    const words = ['/usr/bin/bash', '-ec', here(script)];
    const { code, stdout, stderr } = await runCommand(words, { env, cwd: work, timeoutMs: 60_000 });
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });

    const written = join(work, 'gwtoken.postman_environment.json');
    if (name === 'jq') expect(stdout).toMatch(/^20\d\d-\d\d-\d\dT[\d:.]+Z\n$/);
    if (name === 'Postman') {
      const { values } = JSON.parse(readFileSync(written, 'utf8'));
      expect(values).toEqual([{ key: 'access_token', value: 'token-1', type: 'secret' }]);
    }
    expect(calls).toEqual(Array(expected).fill('Bearer token-1'));
    // Bruno shows the statuses alone.
    if (expected > 0) expect(stdout).toContain(name === 'Bruno' ? '200 OK' : 'hello');
    for (const file of [written, join(work, '.env'), join(work, 'http-client.private.env.json')])
      if (existsSync(file)) expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  /** The commands in the files of other programs, each with what its program reads of the answer. */
  const ASKED: Readonly<Record<string, (stdout: string) => unknown>> = {
    script: (stdout) => stdout,
    apiKeyHelper: (stdout) => stdout.trim(),
    headersHelper: (stdout) => JSON.parse(stdout)['Authorization'].replace('Bearer ', ''),
    commandline: (stdout) => JSON.parse(stdout).headers['Authorization'][0].replace('Bearer ', ''),
  };

  test.for(Object.entries(ASKED))('the command for %s prints a token', async ([key, read], { needs }) => {
    needs('posix');
    const [, quoted = ''] = new RegExp(`"${key}": ("(?:[^"\\\\]|\\\\.)*")`).exec(topic) ?? [];
    const { env, work } = await startPlace();
    const { stdout } = await runCommand(['/bin/sh', '-c', JSON.parse(quoted)], { env, cwd: work });
    expect(read(stdout)).toBe('token-1');
  });

  test('bash renews an expired token before the next prompt', async ({ needs }) => {
    needs('posix', 'bash');
    const [, hook = ''] = /^(PROMPT_COMMAND=.*)$/m.exec(topic) ?? [];
    const { env, work } = await startPlace();
    const script = `${hook}\neval "$PROMPT_COMMAND"\necho "$GWTOKEN_ACCESS_TOKEN"`;
    const { stdout } = await runCommand(['bash', '-c', script], { env, cwd: work });
    expect(stdout).toBe('token-1\n');
  });
});
