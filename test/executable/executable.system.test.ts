/** The standalone executable's runtime, which must use nothing from the current directory. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CLIENT, startIdentityServer } from '../harness/endpoints/identity-server';
import { startTokenEndpoint } from '../harness/endpoints/token-endpoint';
import { inVariables } from '../harness/homes/client';
import { openHome } from '../harness/homes/home';
import { startKeyring } from '../harness/keyrings/keyring';
import { executable, type ProgramOptions } from '../harness/programs/program';

/** A command line without a client in variables, so that gwtoken asks the keychain. */
const GET_FROM_KEYCHAIN = ['get', '--region', 'eu', '--auth-url', 'http://127.0.0.1:9'];

/** Opens a home in which `run` runs the executable. */
function setUp() {
  const home = openHome();
  const run = (args: readonly string[], more: Partial<ProgramOptions> = {}) =>
    home.gwtoken(args, { program: [executable()], ...more });
  return { home, run };
}

/** Returns the notices in a file by the name of their package. */
function noticesIn(file: string): Map<string, string> {
  const [, ...notices] = readFileSync(file, 'utf8').split(/\n-{80}\n/);
  for (const notice of notices) expect(notice).toMatch(/licen[cs]e|permission/i);
  return new Map(notices.map((text) => [/^\n(\S+) \d+\.\d+\.\d+ \(.+\)\n\n/.exec(text)?.[1] ?? text, text]));
}

test('the notices name the npm package’s packages, keytar and Bun with its parts', () => {
  const notices = noticesIn(join(dirname(executable()), 'THIRD-PARTY-NOTICES.txt'));
  const packaged = [...noticesIn('dist/THIRD-PARTY-NOTICES.txt').keys()];
  // The executable uses Bun's hashes instead of @noble/hashes.
  const bundled = packaged.filter((name) => name !== '@noble/hashes');
  expect([...notices.keys()]).toEqual([...bundled, '@github/keytar', 'bun']);
  for (const text of [
    'Permission is hereby granted, free of charge',
    /GNU LIBRARY GENERAL PUBLIC LICENSE\n +Version 2, June 1991[\s\S]*END OF TERMS AND CONDITIONS/,
    /GNU LESSER GENERAL PUBLIC LICENSE\n +Version 2\.1, February 1999[\s\S]*END OF TERMS AND CONDITIONS/,
  ])
    expect(notices.get('bun')).toMatch(text);
});

test('the executable gets a token without Node or another program on PATH', async () => {
  const identity = await startIdentityServer();
  const { home, run } = setUp();
  const env = { ...inVariables(identity.authUrl), PATH: home.dir };
  for (const source of ['network', 'cache']) {
    const { code, stdout, stderr } = await run(['get', '--format', 'json'], { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ access_token: identity.issued[0], source });
  }
  // The package uses the same cached token, so that both have the same HMAC of the secret.
  expect((await home.gwtoken(['get'], { env })).stdout).toBe(`${identity.issued[0]}\n`);
});

/** Files that Bun would read. Each would change a setting or print a word. */
const PLANTED = {
  '.env': 'GWTOKEN_PROFILE=stranger\nGWTOKEN_REGION=us\n',
  '.env.local': 'GWTOKEN_PROFILE=stranger\n',
  '.env.production': 'GWTOKEN_PROFILE=stranger\n',
  'bunfig.toml': 'preload = ["./preload.js"]\n[run]\npreload = ["./preload.js"]\n',
  'tsconfig.json': '{"compilerOptions":{"baseUrl":".","paths":{"*":["./preload.js"]}}}',
  'package.json': '{"name":"x","main":"preload.js","type":"module","imports":{"#x":"./preload.js"}}',
  'preload.js': 'console.log("A STRANGER RAN")',
  'node_modules/keytar/index.js': 'console.log("A STRANGER RAN")',
  'node_modules/conf/index.js': 'console.log("A STRANGER RAN")',
};

test('the executable ignores files in the current directory', async () => {
  const { home, run } = setUp();
  const cwd = join(home.dir, 'checkout');
  for (const [name, text] of Object.entries(PLANTED)) {
    mkdirSync(join(cwd, name, '..'), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  // The last command loads the keychain's module.
  for (const words of [['get', '-v'], GET_FROM_KEYCHAIN]) {
    const { stdout, stderr } = await run(words, { cwd });
    expect(stdout + stderr).not.toMatch(/stranger|\.env/i);
  }
});

test.for(['strip', 'strip -g', 'strip --strip-unneeded', 'objcopy --strip-all'])(
  'after %s the executable still prints a token and runs no script of the directory',
  async (line, { needs }) => {
    needs('linux', 'binutils');
    const { home, run } = setUp();
    const [tool = '', ...options] = line.split(' ');
    const stripped = join(home.dir, 'gwtoken');
    copyFileSync(executable(), stripped);
    execFileSync(tool, [...options, stripped]);
    writeFileSync(join(home.dir, 'package.json'), '{"scripts":{"get":"echo A STRANGER RAN"}}');
    const env = inVariables((await startTokenEndpoint()).authUrl);
    const get = await run(['get'], { program: [stripped], cwd: home.dir, env });
    expect(get).toMatchObject({ code: 0, stdout: 'token-1\n', stderr: '' });
  },
);

describe('with a variable of Bun, the executable', () => {
  test.each([
    ['does not start Bun instead of gwtoken', { BUN_BE_BUN: '1' }],
    ['loads no script', { BUN_OPTIONS: '--preload=./preload.js' }],
    ['runs with any NODE_ENV or BUN_ENV', { NODE_ENV: 'production\r', BUN_ENV: 'production\r' }],
    ['opens no debugger', { BUN_INSPECT: 'ws://127.0.0.1:9/x?break=1', BUN_INSPECT_PRELOAD: './preload.js' }],
  ])('%s', async (_, env) => {
    const { home, run } = setUp();
    writeFileSync(join(home.dir, 'preload.js'), 'console.log("A STRANGER RAN"); process.exit(9)');
    const { code, stdout, stderr } = await run(['config', 'path', '-v'], { env, cwd: home.dir });
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${join(home.config, 'config.json')}\n` });
    expect(stderr).toMatch(/^gwtoken: version \S+, standalone executable with Bun [^\n]*\n$/);
  });
});

test('a crash of the runtime sends no report', async ({ needs }) => {
  needs('linux');
  const endpoint = await startTokenEndpoint();
  endpoint.hold();
  const { home } = setUp();
  // The runtime sends a report with the first curl on PATH.
  const bin = join(home.dir, 'bin');
  mkdirSync(bin);
  const curl = `#!/bin/sh\necho "$*" >> '${home.dir}/curl'\nexec /usr/bin/curl "$@" 2>> '${home.dir}/curl'\n`;
  writeFileSync(join(bin, 'curl'), curl, { mode: 0o755 });
  const reporting = { BUN_ENABLE_CRASH_REPORTING: '1', PATH: bin };
  const env = { ...inVariables(endpoint.authUrl), ...reporting };
  const running = home.start(['get'], { env, program: [executable()] });
  await endpoint.arrived(1);
  running.kill('SIGSEGV');
  const { signal, stderr } = await running.result;
  expect(signal).toBe('SIGSEGV');
  expect(stderr).not.toContain(CLIENT.clientSecret);
  expect(stderr).toMatch(/^ *report to gwtoken:\/\d+\.\d+\.\d+\/\S+$/m);
  expect(stderr).not.toContain('bun.report');
  const curls = () => readFileSync(join(home.dir, 'curl'), 'utf8');
  await expect.poll(curls).toMatch(/report to gwtoken:\/\S+\ncurl: \(3\) /);
});

describe('the keychain child of the executable', () => {
  test('cannot be started by typing its argument', async () => {
    const { code, stderr } = await setUp().run(['--the-keychain-child-of-gwtoken']);
    expect(code).toBe(2);
    expect(stderr).toContain("unknown option '--the-keychain-child-of-gwtoken'");
  });

  test('gets no variable of Bun and reports no crash', async () => {
    const { home, run } = setUp();
    const seen = join(home.dir, 'seen.json');
    const KEYTAR = join(home.dir, 'keytar.js');
    const write = `require('fs').writeFileSync(${JSON.stringify(seen)}, JSON.stringify(process.env));`;
    writeFileSync(KEYTAR, write);
    const bus = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${home.dir}` };
    const bun = { BUN_CONFIG_VERBOSE_FETCH: '1', BUN_ENABLE_CRASH_REPORTING: '1', bun_lower: '1' };
    const env = { KEYTAR, ...bus, ...bun };
    const { code } = await run(GET_FROM_KEYCHAIN, { program: [executable('any-keytar')], env });
    expect(code).toBe(5);
    const names = JSON.parse(readFileSync(seen, 'utf8')) as Record<string, string>;
    expect(Object.keys(names).filter((name) => /^(BUN|GWTOKEN)_/i.test(name))).toEqual([]);
    expect(names).toMatchObject({ KEYTAR, DO_NOT_TRACK: '1' });
  });

  test('reads nothing from a locked keyring, which the error names', async ({ needs }) => {
    needs('keyring');
    const { env } = await startKeyring({ state: 'locked', seed: { 'default:production:eu': '{}' } });
    const { code, stderr } = await setUp().run(GET_FROM_KEYCHAIN, { env });
    expect(code).toBe(5);
    expect(stderr).toContain('the keychain is locked\n');
  });

  test('loads its module by a random name, leaving no file', async ({ needs }) => {
    needs('keyring');
    const { home, run } = setUp();
    const keyring = await startKeyring({ state: 'no-provider' });
    const TMPDIR = join(home.dir, 'tmp');
    mkdirSync(TMPDIR);
    const names = new Set<string>();
    const watcher = watch(TMPDIR, (_, name) => void names.add(String(name)));
    for (let time = 1; time <= 2; time++) {
      const { code, stderr } = await run(GET_FROM_KEYCHAIN, { env: { ...keyring.env, TMPDIR } });
      expect(code).toBe(5);
      // By then the module is loaded, because libsecret has looked for the service.
      expect(stderr).toContain('no keychain service is running in this session');
      expect(readdirSync(TMPDIR)).toEqual([]);
    }
    watcher.close();
    expect([...names]).toEqual([1, 2].map(() => expect.stringMatching(/^gwtoken-keychain-\w{6}$/)));
  });
});
