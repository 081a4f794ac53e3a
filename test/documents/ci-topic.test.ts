import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { startIdentityServer } from '../harness/endpoints/identity-server';
import { freshHome, GWTOKEN_SH, runProgram } from '../harness/programs/program';
import { ROOT } from '../harness/root';

const root = ROOT;
const text = readFileSync(join(root, 'src', 'topics', 'ci.md'), 'utf8');
/** The fenced blocks, with their language and the heading that they stand under. */
const blocks = text.split(/^## /m).flatMap((section) =>
  [...section.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = '', code = '']) => {
    return { heading: section.slice(0, section.indexOf('\n')), language, code };
  }),
);
const under = (heading: string): typeof blocks => blocks.filter((block) => block.heading === heading);

const cleanups: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

describe('the topic ci', () => {
  test('fits a terminal of 80 columns', () => {
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  test('has YAML that parses', () => {
    const yaml = blocks.filter(({ language }) => language === 'yaml');
    expect(yaml).toHaveLength(6);
    for (const { code, heading } of yaml) expect(parse(code), heading).toBeTypeOf('object');
  });

  test('has workflows that actionlint finds nothing in', () => {
    const home = freshHome();
    cleanups.push(home.remove);
    const lint = (workflows: readonly string[]): string => {
      for (const [index, workflow] of workflows.entries())
        writeFileSync(join(home.dir, `${index}.yml`), workflow);
      const linter = join(root, 'node_modules', '@tktco', 'node-actionlint', 'bin', 'node-actionlint.js');
      return execFileSync(process.execPath, [linter, '*.yml'], {
        cwd: home.dir,
        encoding: 'utf8',
        stdio: 'pipe',
      });
    };
    const workflows = under('GitHub Actions').map(({ code }) => code);
    expect(workflows).toHaveLength(2);
    expect(lint(workflows)).toMatch(/2 workflow file.*\n.*passed/);
    expect(() => lint([workflows[0]!.replace('runs-on', 'run-on')])).toThrow('Command failed');
  });

  const vaults = under('Credentials from a command').map(({ code }) => code);
  const arguments_ = {
    op: 'read op://CI/gwtoken-us/password',
    vault: 'kv get -format=json -field=data secret/gwtoken/us',
    aws: 'secretsmanager get-secret-value --output text --query SecretString --secret-id gwtoken/acme/us',
    pass: 'show gwtoken/acme-us',
  };

  test('shows a command for each of four vaults', () => {
    expect(vaults.map((code) => /^ {2}'(\w+) /m.exec(code)?.[1])).toEqual(Object.keys(arguments_));
  });

  test.each(Object.entries(arguments_))('%s gets: %s', async (vault, args) => {
    if (process.platform === 'win32') return;
    const identity = await startIdentityServer({
      region: 'us',
      clients: [{ clientId: 'of-acme', clientSecret: 'kept in a vault' }],
    });
    const home = freshHome();
    cleanups.push(identity.close, home.remove);
    const bin = join(home.dir, 'bin');
    mkdirSync(bin);
    // What stands in for the vault's own program tells what it was asked, as a person at its vault would see it.
    const answer = '{"client_id":"of-acme","client_secret":"kept in a vault"}';
    const scripts = {
      [vault]: `#!/bin/sh\nprintf '%s ' "$@" >&2\nprintf '%s\\n' '${answer}'\n`,
      gwtoken: `#!/bin/sh\nexec ${GWTOKEN_SH} "$@"\n`,
    };
    for (const [name, script] of Object.entries(scripts)) {
      writeFileSync(join(bin, name), script);
      chmodSync(join(bin, name), 0o755);
    }
    const env = { ...home.env, PATH: `${bin}${delimiter}${process.env['PATH']}` };
    const snippet = vaults[Object.keys(arguments_).indexOf(vault)]!;
    execFileSync('/bin/sh', ['-e', '-c', snippet], { env });

    const client = ['--profile', 'acme', '--region', 'us', '--auth-url', identity.authUrl];
    const got = await runProgram(['get', ...client], { env });
    expect(got).toMatchObject({ code: 0, stdout: `${identity.issued[0]}\n`, stderr: `${args} ` });
  });
});
