/** Behaviour that differs on Windows: files, streams, consoles, programs that gwtoken runs, and the executable. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { buildExecutable } from '../../bin/build/executable.mjs';
import { startTokenEndpoint, type TokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { inVariables } from '../harness/homes/client';
import type { Terminal } from '../harness/programs/terminal';
import { openWindows, type Windows, type WindowsOptions, windowsPath, windowsUnavailable } from './wine';

const unavailable = windowsUnavailable();
const LIMIT_MS = 60_000;
const CTRL_C = '\x03';
/** A library of Windows 10 that Bun loads. Wine 8 lacks it, but has the function that this one calls. */
const BCRYPT_PRIMITIVES = `
unsigned char SystemFunction036(void *, unsigned);
__declspec(dllexport) int ProcessPrng(void *bytes, unsigned long long count) {
  return SystemFunction036(bytes, count);
}
`;

describe('on Windows', { timeout: 180_000 }, () => {
  let windows: Windows;
  let endpoint: TokenEndpoint;
  /** Directories of this test. Wine would set its own APPDATA. */
  let config: string;
  let env: Record<string, string>;
  let variables: Record<string, string>;
  beforeAll(async () => {
    if (unavailable === undefined) windows = await openWindows();
  });
  beforeEach(async ({ needs }) => {
    needs(unavailable);
    endpoint = await startTokenEndpoint((post) => tokenReply(`token-${post}`));
    config = join(windows.dir, `config-${new URL(endpoint.authUrl).port}`);
    env = { GWTOKEN_CONFIG_DIR: windowsPath(config), GWTOKEN_CACHE_DIR: windowsPath(`${config}-cache`) };
    const client = { clientId: 'client', clientSecret: 'secret+/=&%é' };
    variables = { ...env, ...inVariables(endpoint.authUrl, client) };
  });
  afterAll(() => windows?.close());

  const gwtoken = (args: readonly string[], more: WindowsOptions = {}) =>
    windows.gwtoken(args, { ...more, env: { ...variables, ...more.env } });
  /** Writes a batch file that passes its arguments on to this script. */
  const batch = (file: string, script: string) => {
    writeFileSync(`${file}.cjs`, script);
    const node = windows.node([windowsPath(`${file}.cjs`)]).map((word) => `"${word}"`);
    writeFileSync(`${file}.cmd`, `@${node.join(' ')} %*\r\n@exit /b 7\r\n`);
  };
  /** Presses Enter until the prompt reacts, because Wine drops keys that arrive before the prompt reads. */
  const pressEnter = async (console: Terminal, reaction: RegExp): Promise<void> => {
    for (let tries = 0; tries < 15; tries++) {
      console.type('\r');
      const shown = await console.waitFor(reaction, 4_000).catch(() => undefined);
      if (shown !== undefined) return;
    }
    throw new Error(`no reaction to Enter: ${console.screen()}`);
  };
  const items = async () =>
    (await windows.credentials()).map(({ account, password }) => [account, JSON.parse(password)]);

  test('3 parallel runs of get send one request', async () => {
    endpoint.delayMs = 2_000;
    const args = ['get', '--timeout', '60s', '--retries', '0'];
    const all = await Promise.all(Array.from({ length: 3 }, () => gwtoken(args)));
    const kinds = new Set(all.map(({ code, stdout, stderr }) => JSON.stringify({ code, stdout, stderr })));
    expect([...kinds]).toEqual([JSON.stringify({ code: 0, stdout: 'token-1\n', stderr: '' })]);
    expect(endpoint.posts.length).toBe(1);
  });

  test('env prints its PowerShell lines to a file', async () => {
    const lines = await windows.intoFile(['env', '--format', 'powershell'], variables);
    expect(lines).toMatch(/^\$env:GWTOKEN_ACCESS_TOKEN = 'token-1'\n(.+\n){3}$/);
  });

  test('exec passes on arguments and variables, but no credentials', async () => {
    const script = join(windows.dir, 'tell.cjs');
    const inFile = "require('node:fs').readFileSync(process.env.Eu_TOKEN_FILE, 'utf8')";
    writeFileSync(
      script,
      `const { argv, env } = process; console.log(JSON.stringify([argv.slice(2), ${inFile}, env]))`,
    );
    const args = ['', 'a b', 'é 東', 'it\'s "both"', 'a\\"b\\', '%PATH%', '^&|<>()!', '*.txt'];
    const tokenFile = join(windows.dir, 'token');
    const flags = ['--token-file', windowsPath(tokenFile), '--prefix', 'Eu_', '--'];
    // Node passes on the first of two names that differ only by case. This one would win if exec kept it.
    const own = { env: { EU_Access_Token: 'stale' } };
    const command = windows.node([windowsPath(script), ...args]);
    const { code, stdout, stderr } = await gwtoken(['exec', ...flags, ...command], own);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [argv, fileText, child] = JSON.parse(stdout);
    expect([argv, fileText, child.Eu_ACCESS_TOKEN]).toEqual([args, 'token-1', 'token-1']);
    const names = Object.keys(child).map((name) => name.toUpperCase());
    expect(names.filter((name) => name === 'EU_ACCESS_TOKEN')).toEqual(['EU_ACCESS_TOKEN']);
    expect(names.filter((name) => name.startsWith('GWTOKEN_CLIENT_'))).toEqual([]);
    expect(existsSync(tokenFile)).toBe(false);
  });

  test('exec runs batch files and passes on 32-bit exit codes', async () => {
    const cwd = join(windows.dir, 'batch');
    mkdirSync(cwd);
    batch(join(cwd, 'deploy'), 'console.log(JSON.stringify(process.argv.slice(2)))');
    const args = ['a b', 'x&y', '"q"', '(1)', 'a^b', '<z>'];
    const { code, stdout } = await gwtoken(['exec', '--', 'deploy', ...args], { cwd });
    expect([code, JSON.parse(stdout)]).toEqual([7, args]);
    const file = join(windows.dir, 'interrupted.cmd');
    writeFileSync(file, '@exit -1073741510\r\n');
    expect((await gwtoken(['exec', '--', windowsPath(file)])).code).toBe(0xc000013a);
  });

  test('curl gets the header on stdin and is not run from the current directory', async () => {
    const cwd = join(windows.dir, 'with-curl');
    mkdirSync(cwd);
    const tell =
      "process.stdin.on('data', (text) => process.stdout.write(process.argv.slice(2) + ': ' + text))";
    batch(join(cwd, 'curl'), tell);
    const args = ['curl', 'https://a.example.com', '-sS'];
    const elsewhere = { Path: 'Z:\\nowhere;.' };
    expect(await gwtoken(args, { cwd, env: elsewhere })).toMatchObject({ code: 127, stdout: '' });
    const { stdout } = await gwtoken(args, { env: { Path: `${windowsPath(cwd)};C:\\windows\\system32` } });
    expect(stdout).toMatch(/^-K,-,https:\/\/a\.example\.com,-sS: header = "Authorization: Bearer token-1"\n/);
  });

  test('login prompts on a console, hides the secret and stores the client', async () => {
    const login = windows.console(['login', '--auth-url', endpoint.authUrl], env);
    await login.waitFor('Region', LIMIT_MS);
    await pressEnter(login, /Type eu or us\s+Region/);
    login.type('eu\r');
    await login.waitFor('Client ID (', LIMIT_MS);
    await pressEnter(login, /It is empty\s+Client ID/);
    login.type('client-1\r');
    await login.waitFor('Client secret (sent to ', LIMIT_MS);
    await pressEnter(login, /It is empty\s+Client secret/);
    login.type('geheim-+/=&%\r');
    expect(await login.exit).toEqual({ code: 0, signal: null });
    expect(login.screen()).not.toContain('geheim');
    expect(login.screen()).toContain('gwtoken help shells');
    expect(JSON.parse(readFileSync(join(config, 'config.json'), 'utf8'))).toMatchObject({ region: 'eu' });
    const value = { client_id: 'client-1', client_secret: 'geheim-+/=&%', auth_url: endpoint.authUrl };
    expect(await items()).toEqual([['default:production:eu', value]]);
    // The keychain alone knows of the item now.
    rmSync(join(config, 'clients.json'));
    expect(await windows.gwtoken(['logout', '--all', '--yes'], { env })).toMatchObject({ code: 0 });
    expect(await items()).toEqual([]);
  });

  test('Ctrl-C at a prompt of login exits with 130 and stores nothing', async () => {
    const args = ['login', '--auth-url', endpoint.authUrl, '--region', 'eu', '--client-id', 'x'];
    const login = windows.console(args, env);
    await login.waitFor('Client secret (sent to ', LIMIT_MS);
    await pressEnter(login, /It is empty\s+Client secret/);
    login.type(CTRL_C);
    expect(await login.exit).toEqual({ code: 130, signal: null });
    expect(await items()).toEqual([]);
  });

  test('Ctrl-C reaches the command of exec, which sets the exit code', async () => {
    const script = join(windows.dir, 'hear.cjs');
    writeFileSync(
      script,
      `process.on('SIGINT', () => process.exit(7)); console.log('ready'); setTimeout(() => {}, 600000);`,
    );
    const exec = windows.console(['exec', '--', ...windows.node([windowsPath(script)])], variables);
    await exec.waitFor('ready', LIMIT_MS);
    exec.type(CTRL_C);
    expect(await exec.exit).toEqual({ code: 7, signal: null });
  });

  test('the executable gets a token for a client in Credential Manager', async ({ needs }) => {
    needs('gcc-mingw-w64-x86-64-win32');
    const exe = await buildExecutable('windows-x64', windows.dir);
    const source = join(windows.dir, 'bcryptprimitives.c');
    writeFileSync(source, BCRYPT_PRIMITIVES);
    const dll = join(windows.dir, 'bcryptprimitives.dll');
    execFileSync('x86_64-w64-mingw32-gcc-win32', ['-shared', '-o', dll, source, '-ladvapi32']);
    const run = async (args: readonly string[], stdin = '') => {
      // The executable unpacks the keychain module into the temporary directory.
      const directories = { ...env, TEMP: windowsPath(windows.dir), TMP: windowsPath(windows.dir) };
      const own = { command: [windowsPath(exe)] as const, env: directories, stdin };
      const { code, stdout, stderr } = await windows.gwtoken(args, own);
      return { code, stdout, stderr };
    };
    const login = ['login', '--region', 'eu', '--auth-url', endpoint.authUrl, '--client-id', 'kept'];
    expect(await run([...login, '--secret-stdin'], 'kept-secret\n')).toMatchObject({ code: 0 });
    expect(await run(['get', '--fresh'])).toEqual({ code: 0, stdout: 'token-2\n', stderr: '' });
    expect(endpoint.posts[1]?.get('client_secret')).toBe('kept-secret');
    expect(await run(['logout', '--all', '--yes'])).toMatchObject({ code: 0 });
    expect(await run(['get'])).toMatchObject({ code: 4, stdout: '' });
  });
});
