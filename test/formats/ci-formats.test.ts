/** The formats of CI systems, .env files and docker, as the program writes them. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { openAppender } from '../../src/system/files/append-file';
import { startTokenEndpoint, type TokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { readFileCommands } from '../harness/github-runner';
import { inVariables } from '../harness/homes/client';
import { type Home, openHome } from '../harness/homes/home';
import { expectRefusal } from '../harness/homes/refusals';
import { GWTOKEN_SH, type ProgramResult, runCommand } from '../harness/programs/program';
import { READERS } from './readers';

const TOKEN = 'the-token/+==';
const FORMATS = ['github-env', 'github-output', 'azure', 'dotenv', 'docker'];

let endpoint: TokenEndpoint;
let home: Home;
/** The runner's files; each has a line of an earlier command in it. */
let files: { GITHUB_ENV: string; GITHUB_OUTPUT: string };
beforeEach(async () => {
  endpoint = await startTokenEndpoint(() => tokenReply(TOKEN, { scope: 'read write' }));
  home = openHome(inVariables(endpoint.authUrl));
  files = { GITHUB_ENV: join(home.dir, 'env'), GITHUB_OUTPUT: join(home.dir, 'output') };
  for (const path of Object.values(files)) writeFileSync(path, 'EARLIER=1');
});

const env = (format: string, ...flags: string[]): Promise<ProgramResult> =>
  home.gwtoken(['env', '--format', format, ...flags], { env: files });
const contents = () => Object.values(files).map((path) => readFileSync(path, 'utf8'));
const EXPIRY = expect.stringMatching(/^\d{10}$/);

describe('github-env', () => {
  test('appends to the file, behind a line that has no end', async () => {
    expect(await env('github-env')).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(await env('github-env', '--prefix', 'US_')).toMatchObject({ code: 0, stdout: '', stderr: '' });
    const [text = '', output] = contents();
    expect(output).toBe('EARLIER=1');
    expect(text).toMatch(/^EARLIER=1\nGWTOKEN_ACCESS_TOKEN<<ghadelimiter_/);
    const values = { ACCESS_TOKEN: TOKEN, TOKEN_TYPE: 'bearer', EXPIRES_AT: EXPIRY, SCOPE: 'read write' };
    expect(Object.fromEntries(readFileCommands(text))).toEqual({
      EARLIER: '1',
      ...Object.fromEntries(Object.entries(values).map(([name, value]) => [`GWTOKEN_${name}`, value])),
      ...Object.fromEntries(Object.entries(values).map(([name, value]) => [`US_${name}`, value])),
    });
  });

  test('leaves no value of an earlier client, and --unset leaves none at all', async () => {
    await env('github-env');
    endpoint.answer = () => tokenReply('another', { expires_in: undefined });
    await env('github-env', '--no-cache');
    expect(Object.fromEntries(readFileCommands(contents()[0]!))).toMatchObject({
      GWTOKEN_ACCESS_TOKEN: 'another',
      GWTOKEN_EXPIRES_AT: '',
      GWTOKEN_SCOPE: '',
    });
    expect(await env('github-env', '--unset')).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(Object.fromEntries(readFileCommands(contents()[0]!))).toEqual({
      EARLIER: '1',
      GWTOKEN_ACCESS_TOKEN: '',
      GWTOKEN_TOKEN_TYPE: '',
      GWTOKEN_EXPIRES_AT: '',
      GWTOKEN_SCOPE: '',
    });
  });

  test('of several processes at once stays whole', async () => {
    const prefixes = ['A_', 'B_', 'C_', 'D_', 'E_', 'F_'];
    const results = await Promise.all(prefixes.map((prefix) => env('github-env', '--prefix', prefix)));
    expect(results.map(({ code }) => code)).toEqual(prefixes.map(() => 0));
    const entries = readFileCommands(contents()[0]!);
    expect(prefixes.map((prefix) => entries.get(`${prefix}ACCESS_TOKEN`))).toEqual(prefixes.map(() => TOKEN));
    expect(entries.size).toBe(1 + 4 * prefixes.length);
  });

  test('fails where the room runs out in the middle: the runner refuses half an entry', async ({ skip }) => {
    skip(process.platform === 'win32', 'needs a POSIX system');
    const before = `${'#'.repeat(900)}=\n`;
    writeFileSync(files.GITHUB_ENV, before);
    // 1,024 bytes are the most that a file of this process may have: the write gets through in part.
    const script = `ulimit -f 1; exec ${GWTOKEN_SH} env --format github-env --no-cache`;
    const env = { ...home.env, ...files };
    const { code, stderr } = await runCommand(['bash', '-c', script], { env });
    expect(endpoint.posts.length).toBe(1);
    expect(stderr).toBe(
      `gwtoken: error: cannot append to ${files.GITHUB_ENV} (from GITHUB_ENV): EFBIG\nhint: check the free disk space and the file's permissions\n`,
    );
    expect(code).toBe(1);
    expect(() => readFileCommands(contents()[0]!)).toThrow('Matching delimiter not found');
  });
});

describe('github-output', () => {
  test('has the names of outputs', async () => {
    writeFileSync(files.GITHUB_OUTPUT, '');
    expect(await env('github-output')).toMatchObject({ code: 0, stdout: '', stderr: '' });
    const [, text = ''] = contents();
    expect(Object.fromEntries(readFileCommands(text))).toEqual({
      'access-token': TOKEN,
      'token-type': 'bearer',
      'expires-at': EXPIRY,
      scope: 'read write',
    });
  });

  test('takes no --prefix', async () => {
    const refused = await env('github-output', '--prefix', 'EU_');
    expectRefusal(refused, 2);
    expect(refused.stderr).toContain(
      '--prefix does not work with --format github-output: its output names are fixed',
    );
    expect(contents()).toEqual(['EARLIER=1', 'EARLIER=1']);
    expect(endpoint.posts.length).toBe(0);
  });
});

describe.each([
  ['github-env', 'GITHUB_ENV'],
  ['github-output', 'GITHUB_OUTPUT'],
] as const)('%s is refused before anything is asked for', (format, variable) => {
  const unset = [
    `--format ${format} needs the environment variable ${variable}, which is not set`,
    'GitHub Actions sets it in each step; for a shell, see: gwtoken help shells',
  ];
  const points = (problem: string) => [
    `${variable} points to PATH, which ${problem}`,
    `do not change ${variable}; the runner sets it for each step`,
  ];
  test.each<[what: string, path: () => string | undefined, says: string[]]>([
    ['is not set', () => undefined, unset],
    ['is empty', () => '', unset],
    ['does not exist', () => join(home.dir, 'missing'), points('does not exist')],
    ['is not a regular file', () => home.dir, points('is not a regular file')],
    [
      'has a name that no file can have',
      () => join(home.dir, 'x'.repeat(300)),
      points(process.platform === 'win32' ? 'does not exist' : 'cannot be accessed (ENAMETOOLONG)'),
    ],
  ])('when the file %s', async (_what, path, [problem, hint]) => {
    const { [variable]: _, ...others } = files;
    const named = path();
    const all = named === undefined ? others : { ...others, [variable]: named };
    for (const flags of format === 'github-env' ? [[], ['--unset']] : [[]]) {
      const refused = await home.gwtoken(['env', '--format', format, ...flags], { env: all });
      expectRefusal(refused, 2);
      expect(refused.stderr.replace(named || 'none', 'PATH')).toBe(
        `gwtoken: error: ${problem}\nhint: ${hint}\n`,
      );
    }
    expect(existsSync(join(home.dir, 'missing'))).toBe(false);
    expect(endpoint.posts.length).toBe(0);
  });
});

test.each(['azure', 'dotenv', 'docker'])(
  '%s goes to stdout, and its readers find it there',
  async (format) => {
    const { code, stdout, stderr } = await env(format, '--prefix', 'EU_');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const read of Object.values(READERS[format]!)) {
      expect(Object.fromEntries(read(stdout))).toEqual({
        EU_ACCESS_TOKEN: TOKEN,
        EU_TOKEN_TYPE: 'bearer',
        EU_EXPIRES_AT: EXPIRY,
        EU_SCOPE: 'read write',
      });
    }
  },
);

test('azure --unset empties the variables', async () => {
  expect(await env('azure', '--unset')).toMatchObject({
    code: 0,
    stdout: ['ACCESS_TOKEN', 'TOKEN_TYPE', 'EXPIRES_AT', 'SCOPE']
      .map((name) => `##vso[task.setvariable variable=GWTOKEN_${name};issecret=true]\n`)
      .join(''),
  });
});

test.each(['github-output', 'dotenv', 'docker'])('%s refuses --unset, and says why', async (format) => {
  const refused = await env(format, '--unset');
  expectRefusal(refused, 2);
  expect(refused.stderr).toContain(`--unset does not work with --format ${format}`);
  expect(contents()).toEqual(['EARLIER=1', 'EARLIER=1']);
});

describe.each(FORMATS)('%s writes nothing anywhere', (format) => {
  test('when the client is refused, or the arguments are', async () => {
    endpoint.answer = () => ({ status: 401, body: { error: 'invalid_client' } });
    expectRefusal(await env(format), 3);
    expectRefusal(await env(format, '--regoin', 'eu'), 2);
    expect(contents()).toEqual(['EARLIER=1', 'EARLIER=1']);
  });
});

test.each([
  ['azure', 'a%b', 'contains %, which'],
  ['dotenv', 'a\\b', 'contains quotes or a backslash'],
  ['docker', "'a'", 'is in quotes'],
])(
  '%s refuses what it would mangle, without showing it, and caches it all the same',
  async (format, scope, problem) => {
    endpoint.answer = () => tokenReply(TOKEN, { scope });
    for (let tries = 0; tries < 2; tries++) {
      const refused = await env(format);
      expectRefusal(refused, 2);
      expect(refused.stderr).toContain(`cannot pass GWTOKEN_SCOPE unchanged: its value ${problem}`);
      expect(refused.stderr).not.toContain(scope);
    }
    expect(endpoint.posts.length).toBe(1);
  },
);

test('what is appended begins a line of its own, and a file that has gone by then is not made anew', () => {
  const path = join(home.dir, 'appended');
  writeFileSync(path, '');
  const append = openAppender(path, 'GITHUB_ENV');
  for (const text of ['a=1\n', 'b=2', 'c=3\n']) append(text);
  expect(readFileSync(path, 'utf8')).toBe('a=1\nb=2\nc=3\n');
  rmSync(path);
  expect(() => append('d=4\n')).toThrow(
    expect.objectContaining({
      kind: 'local',
      message: `cannot append to ${path} (from GITHUB_ENV): ENOENT`,
      hints: ["check the free disk space and the file's permissions"],
    }),
  );
  expect(existsSync(path)).toBe(false);
});

test('a file that may not be written to is named, and code 1', async ({ skip }) => {
  skip(process.platform !== 'linux' || process.getuid?.() !== 0, 'needs root on Linux');
  const refused = await home.gwtoken(['env', '--format', 'github-env'], {
    env: { ...files, GITHUB_ENV: '/proc/version' },
  });
  expectRefusal(refused, 1);
  expect(refused.stderr).toMatch(/cannot append to \/proc\/version \(from GITHUB_ENV\): E\w+/);
});
