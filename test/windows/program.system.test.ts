/** Behaviour that differs on Windows: files, streams, and programs that gwtoken runs. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTokenEndpoint, type TokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { openWindows, type Windows, type WindowsOptions, windowsPath, windowsUnavailable } from './wine';

const unavailable = windowsUnavailable();

describe('on Windows', { timeout: 180_000 }, () => {
  let windows: Windows;
  let endpoint: TokenEndpoint;
  let env: Record<string, string>;
  beforeAll(async () => {
    if (unavailable === undefined) windows = await openWindows();
  });
  beforeEach(async ({ needs }) => {
    needs(unavailable);
    endpoint = await startTokenEndpoint((post) => tokenReply(`token-${post}`));
    env = {
      GWTOKEN_REGION: 'eu',
      GWTOKEN_AUTH_URL: endpoint.authUrl,
      GWTOKEN_CLIENT_ID: 'client',
      GWTOKEN_CLIENT_SECRET: 'secret+/=&%é',
      GWTOKEN_CACHE_DIR: windowsPath(join(windows.dir, `cache-${new URL(endpoint.authUrl).port}`)),
    };
  });
  afterAll(() => windows?.close());

  const gwtoken = (args: readonly string[], more: WindowsOptions = {}) =>
    windows.gwtoken(args, { ...more, env: { ...env, ...more.env } });
  const exec = (...words: string[]) => gwtoken(['exec', '--', ...words]);
  /** Writes a batch file that passes its arguments on to this script. */
  const batch = (file: string, script: string) => {
    writeFileSync(`${file}.cjs`, script);
    const node = windows.node([windowsPath(`${file}.cjs`)]).map((word) => `"${word}"`);
    writeFileSync(`${file}.cmd`, `@${node.join(' ')} %*\r\n@exit /b 7\r\n`);
  };

  test('5 parallel runs of get send one request', async () => {
    endpoint.delayMs = 2_000;
    const args = ['get', '--timeout', '60s', '--retries', '0'];
    const all = await Promise.all(Array.from({ length: 5 }, () => gwtoken(args)));
    const kinds = new Set(all.map(({ code, stdout, stderr }) => JSON.stringify({ code, stdout, stderr })));
    expect([...kinds]).toEqual([JSON.stringify({ code: 0, stdout: 'token-1\n', stderr: '' })]);
    expect(endpoint.posts.length).toBe(1);
  });

  test('env prints the same PowerShell lines to a pipe and to a file', async () => {
    const args = ['env', '--format', 'powershell'];
    const { code, stdout } = await gwtoken(args);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("= 'token-1'\n") });
    expect(windows.intoFile(args, env)).toBe(stdout);
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
    const [argv, fileText, variables] = JSON.parse(stdout);
    expect([argv, fileText, variables.Eu_ACCESS_TOKEN]).toEqual([args, 'token-1', 'token-1']);
    const names = Object.keys(variables).map((name) => name.toUpperCase());
    expect(names.filter((name) => name === 'EU_ACCESS_TOKEN')).toEqual(['EU_ACCESS_TOKEN']);
    expect(names.filter((name) => name.startsWith('GWTOKEN_CLIENT_'))).toEqual([]);
    expect(existsSync(tokenFile)).toBe(false);
  });

  test('exec runs batch files and passes on 32-bit exit codes', async () => {
    const cwd = join(windows.dir, 'batch');
    mkdirSync(cwd);
    batch(join(cwd, 'deploy'), 'console.log(JSON.stringify(process.argv.slice(2)))');
    const args = ['a b', 'x&y', '"q"', '(1)', 'a^b', '<z>'];
    for (const command of [windowsPath(join(cwd, 'deploy.cmd')), 'deploy']) {
      const { code, stdout } = await gwtoken(['exec', '--', command, ...args], { cwd });
      expect([code, JSON.parse(stdout)]).toEqual([7, args]);
    }
    expect((await exec('cmd', '/d', '/c', 'exit -1073741510')).code).toBe(0xc000013a);
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
});
