/** The executable for Windows in Wine starts, fetches a token and uses the Credential Manager. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { buildExecutable } from '../../bin/build/executable.mjs';
import { startTokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { missing } from '../harness/needs';
import { openWindows, type Windows, windowsPath, windowsUnavailable } from './wine';

/** A library of Windows 10 that Bun loads. Wine 8 lacks it, but has the function that this one calls. */
const BCRYPT_PRIMITIVES = `#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);
__declspec(dllexport) BOOL ProcessPrng(PBYTE bytes, SIZE_T count) {
  return SystemFunction036(bytes, count);
}
`;
const reason = windowsUnavailable() ?? missing('gcc-mingw-w64-x86-64-win32');

describe('the executable for Windows', { timeout: 180_000 }, () => {
  let windows: Windows;
  let exe: string;
  beforeAll(async () => {
    if (reason !== undefined) return;
    windows = await openWindows();
    exe = await buildExecutable('windows-x64', join(windows.dir, 'executable'));
    const source = join(windows.dir, 'bcryptprimitives.c');
    writeFileSync(source, BCRYPT_PRIMITIVES);
    const dll = join(windows.dir, 'executable', 'bcryptprimitives.dll');
    execFileSync('x86_64-w64-mingw32-gcc-win32', ['-shared', '-o', dll, source, '-ladvapi32']);
  }, 300_000);
  beforeEach(({ needs }) => needs(reason));
  afterAll(() => windows?.close());

  test('gets tokens for clients in variables and Credential Manager', async () => {
    const endpoint = await startTokenEndpoint((post) => tokenReply(post));
    const env = {
      GWTOKEN_REGION: 'eu',
      GWTOKEN_AUTH_URL: endpoint.authUrl,
      // The executable unpacks the keychain module there.
      TEMP: windowsPath(windows.dir),
      TMP: windowsPath(windows.dir),
    };
    const variables = { GWTOKEN_CLIENT_ID: 'id', GWTOKEN_CLIENT_SECRET: 'secret' };
    const gwtoken = async (args: readonly string[], more: object = {}, stdin = '') => {
      const own = { command: [windowsPath(exe)] as const, env: { ...env, ...more }, stdin };
      const { code, stdout, stderr } = await windows.gwtoken(args, own);
      return { code, stdout, stderr };
    };
    expect(await gwtoken(['get'], variables)).toEqual({ code: 0, stdout: 'token-1\n', stderr: '' });
    const login = ['login', '--client-id', 'kept', '--secret-stdin'];
    expect(await gwtoken(login, {}, 'kept-secret\n')).toMatchObject({ code: 0 });
    expect(await gwtoken(['get', '--fresh'])).toEqual({ code: 0, stdout: 'token-3\n', stderr: '' });
    expect(endpoint.posts[2]?.get('client_secret')).toBe('kept-secret');
    expect(await gwtoken(['logout', '--yes'])).toMatchObject({ code: 0 });
    expect(await gwtoken(['get'])).toMatchObject({ code: 4, stdout: '' });
  });
});
