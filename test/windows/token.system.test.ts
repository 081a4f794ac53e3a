/** The token and the credentials on Windows: how each is got, kept, shared and printed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTokenEndpoint, type TokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { expectRefusal } from '../harness/homes/refusals';
import { openWindows, type Windows, type WindowsOptions, windowsPath, windowsUnavailable } from './wine';

const unavailable = windowsUnavailable();
const ACCOUNT = 'default:production:eu';

describe('on Windows', { timeout: 180_000 }, () => {
  let windows: Windows;
  let endpoint: TokenEndpoint;
  let config: string;
  let env: Record<string, string>;
  beforeAll(async () => {
    if (unavailable === undefined) windows = await openWindows();
  }, 180_000);
  beforeEach(async ({ needs }) => {
    needs(unavailable);
    endpoint = await startTokenEndpoint((post) => tokenReply(post, { scope: 'read write' }));
    config = join(windows.dir, `config-${new URL(endpoint.authUrl).port}`);
    env = {
      GWTOKEN_REGION: 'eu',
      GWTOKEN_AUTH_URL: endpoint.authUrl,
      GWTOKEN_CONFIG_DIR: windowsPath(config),
      GWTOKEN_CACHE_DIR: windowsPath(`${config}-cache`),
    };
  });
  afterAll(() => windows?.close());

  const gwtoken = (args: readonly string[], more: WindowsOptions = {}) =>
    windows.gwtoken(args, { ...more, env: { ...env, ...more.env } });
  const item = async () => (await windows.credentials()).find(({ account }) => account === ACCOUNT)?.password;

  describe('a token', () => {
    beforeEach(() => {
      Object.assign(env, { GWTOKEN_CLIENT_ID: 'client', GWTOKEN_CLIENT_SECRET: 'secret+/=&%é' });
    });

    test('20 at once make one request', async () => {
      endpoint.delayMs = 2_000;
      const args = ['get', '--timeout', '60s', '--retries', '0'];
      const all = await Promise.all(Array.from({ length: 20 }, () => gwtoken(args, { timeoutMs: 150_000 })));
      const kinds = new Set(all.map(({ code, stdout, stderr }) => JSON.stringify({ code, stdout, stderr })));
      expect([...kinds]).toEqual([JSON.stringify({ code: 0, stdout: 'token-1\n', stderr: '' })]);
      expect(endpoint.posts.length).toBe(1);
    });

    test('a stdout that Windows tells nothing about is written to like any other', async () => {
      await gwtoken(['get']);
      const out = join(windows.dir, 'out');
      expect(await windows.intoFile(['env', '--format', 'powershell'], env, out)).toBe(0);
      expect(readFileSync(out, 'utf8')).toContain("$env:GWTOKEN_ACCESS_TOKEN = 'token-1'\n");
    });
  });

  test('an item of 2,560 bytes is stored and read back, one more is refused beforehand', async () => {
    const login = ['login', '--client-id', 'client', '--secret-stdin'];
    const rest = Buffer.byteLength(
      JSON.stringify({ client_id: 'client', client_secret: '', auth_url: endpoint.authUrl }),
    );
    const secret = 's'.repeat(2560 - rest);
    expect((await gwtoken(login, { stdin: secret })).code).toBe(0);
    expect(Buffer.byteLength((await item()) ?? '')).toBe(2560);
    expect((await gwtoken(['get', '--fresh'])).code).toBe(0);
    expect(endpoint.posts.at(-1)?.get('client_secret')).toBe(secret);
    expectRefusal(await gwtoken(login, { stdin: `${secret}s` }), 2);
    expect(JSON.parse((await item()) ?? '')).toMatchObject({ client_secret: secret });
    expect((await gwtoken(['logout', '--yes'])).code).toBe(0);
    expect(await item()).toBeUndefined();
  });
});
