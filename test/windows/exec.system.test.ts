/** What gwtoken runs on Windows: the command of exec, cmd.exe and its batch files, curl. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTokenEndpoint, type TokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { openWindows, type Windows, type WindowsOptions, windowsPath, windowsUnavailable } from './wine';

const unavailable = windowsUnavailable();

describe('Windows', { timeout: 180_000 }, () => {
  let windows: Windows;
  let endpoint: TokenEndpoint;
  let env: Record<string, string>;
  let cache: string;
  /** Prints its arguments, its variables and whether its token file is there, as JSON. */
  let tell: string;
  beforeAll(async () => {
    if (unavailable !== undefined) return;
    windows = await openWindows();
    tell = join(windows.dir, 'tell.cjs');
    writeFileSync(
      tell,
      `const { env, argv } = process;
       const file = env.Eu_TOKEN_FILE;
       const inFile = file === undefined ? undefined : require('node:fs').readFileSync(file, 'utf8');
       console.log(JSON.stringify({ args: argv.slice(2), env, inFile }));`,
    );
  }, 180_000);
  beforeEach(async ({ needs }) => {
    needs(unavailable);
    endpoint = await startTokenEndpoint(() => tokenReply('token'));
    cache = join(windows.dir, `cache-${new URL(endpoint.authUrl).port}`);
    env = {
      GWTOKEN_REGION: 'eu',
      GWTOKEN_AUTH_URL: endpoint.authUrl,
      GWTOKEN_CLIENT_ID: 'client',
      GWTOKEN_CLIENT_SECRET: 'secret',
      GWTOKEN_CACHE_DIR: windowsPath(cache),
    };
  });
  afterAll(() => windows?.close());

  const gwtoken = (args: readonly string[], more: WindowsOptions = {}) =>
    windows.gwtoken(args, { ...more, env: { ...env, ...more.env } });
  const exec = (...words: string[]) => gwtoken(['exec', '--', ...words]);

  describe('exec', () => {
    test('gives the command its arguments and variables, and keeps the credentials from it', async () => {
      const args = [
        '',
        'a b',
        'é 東',
        '"',
        'it\'s "both"',
        '\\',
        'a\\"b',
        '%PATH%',
        '^&|<>()!',
        '*.txt',
        ' ',
      ];
      const tokenFile = join(windows.dir, 'token');
      const flags = ['exec', '--token-file', windowsPath(tokenFile), '--prefix', 'Eu_', '--'];
      // Of names that differ by case alone, Node passes on the first in order: this one, if it were here.
      const own = { EU_Access_Token: 'of the client before' };
      const command = windows.node([windowsPath(tell), ...args]);
      const { code, stdout, stderr } = await gwtoken([...flags, ...command], {
        env: { ...own, GWTOKEN_PREFIX: '' },
      });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      const told = JSON.parse(stdout);
      expect([told.args, told.inFile]).toEqual([args, 'token']);
      expect(told.env).toMatchObject({ Eu_ACCESS_TOKEN: 'token', Eu_TOKEN_TYPE: 'bearer' });
      const names = Object.keys(told.env).map((name) => name.toUpperCase());
      expect(names.filter((name) => name === 'EU_ACCESS_TOKEN')).toEqual(['EU_ACCESS_TOKEN']);
      expect(names.filter((name) => name.startsWith('GWTOKEN_CLIENT_'))).toEqual([]);
      expect(existsSync(tokenFile)).toBe(false);
    });

    test('a batch file gets them too, found by PATHEXT or by its path', async () => {
      const folder = join(windows.dir, 'batch');
      mkdirSync(folder);
      const node = windows.node([windowsPath(tell)]).map((word) => `"${word}"`);
      writeFileSync(join(folder, 'deploy.cmd'), `@${node.join(' ')} %*\r\n@exit /b 7\r\n`);
      const args = ['a b', 'x&y', '"q"', '(1)', 'a^b', '<z>'];
      for (const [command, more] of [
        [windowsPath(join(folder, 'deploy.cmd')), {}],
        ['deploy', { cwd: folder }],
      ] as const) {
        const { code, stdout } = await gwtoken(['exec', '--', command, ...args], more);
        expect(code).toBe(7);
        expect(JSON.parse(stdout)).toMatchObject({ args, env: { GWTOKEN_ACCESS_TOKEN: 'token' } });
      }
    });

    test('curl gets its header on stdin', async () => {
      const folder = join(windows.dir, 'with-curl');
      mkdirSync(folder);
      const script = join(folder, 'curl.cjs');
      writeFileSync(
        script,
        "process.stdin.on('data', (text) => process.stdout.write(process.argv.slice(2) + ': ' + text));\n",
      );
      const node = windows.node([windowsPath(script)]).map((word) => `"${word}"`);
      writeFileSync(join(folder, 'curl.cmd'), `@${node.join(' ')} %*\r\n`);
      const args = ['curl', 'https://a.example.com', '-sS'];
      // One in the working directory is not run: gwtoken itself has chosen the name.
      const elsewhere = { Path: 'Z:\\nowhere;.' };
      expect(await gwtoken(args, { cwd: folder, env: elsewhere })).toMatchObject({ code: 127, stdout: '' });
      const result = await gwtoken(args, { env: { Path: `${windowsPath(folder)};C:\\windows\\system32` } });
      expect(result).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(
          /^-K,-,https:\/\/a\.example\.com,-sS: header = "Authorization: Bearer token"\nproto-default = /,
        ),
      });
    });

    test('its exit code is gwtoken’s, all 32 bits of it', async () => {
      for (const [given, seen] of [
        ['0', 0],
        ['3', 3],
        ['256', 256],
        ['-1073741510', 0xc000013a],
      ] as const)
        expect((await exec('cmd', '/d', '/c', `exit ${given}`)).code).toBe(seen);
    });

    test('what is no file is refused before anything runs, built-in commands of cmd.exe too', async () => {
      for (const command of ['gwtoken-nosuch', 'dir', 'echo', 'C:\\nosuch\\deploy.exe']) {
        const { code, stdout, stderr } = await exec(command, 'C:\\nosuch');
        expect({ code, stdout }).toEqual({ code: 127, stdout: '' });
        expect(stderr).toBe(
          `gwtoken: error: command not found: ${JSON.stringify(command)}\n` +
            'hint: check the spelling and PATH; to run a cmd.exe built-in: gwtoken exec -- cmd /d /c …\n',
        );
      }
      const line = await exec('echo hi & echo ho');
      expect(line.stderr).toContain('hint: to run a shell command line: gwtoken exec -- cmd /d /c …\n');
      expect(await exec('cmd', '/d', '/c', 'echo hi')).toMatchObject({ code: 0, stdout: 'hi\r\n' });
    });
  });
});
