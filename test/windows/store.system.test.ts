/** What gwtoken keeps on Windows: items of the Credential Manager, and the config that many write at once. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTokenEndpoint, type TokenEndpoint } from '../harness/endpoints/token-endpoint';
import { expectRefusal } from '../harness/homes/refusals';
import { openWindows, type Windows, windowsPath, windowsUnavailable } from './wine';

const unavailable = windowsUnavailable();
const ACCOUNT = 'default:production:eu';

describe('what is kept on Windows', { timeout: 180_000 }, () => {
  let windows: Windows;
  let endpoint: TokenEndpoint;
  let config: string;
  let env: Record<string, string>;
  beforeAll(async () => {
    if (unavailable === undefined) windows = await openWindows();
  }, 180_000);
  beforeEach(async ({ needs }) => {
    needs(unavailable);
    endpoint = await startTokenEndpoint();
    config = join(windows.dir, `config-${new URL(endpoint.authUrl).port}`);
    env = {
      GWTOKEN_CONFIG_DIR: windowsPath(config),
      GWTOKEN_CACHE_DIR: windowsPath(`${config}-cache`),
      GWTOKEN_AUTH_URL: endpoint.authUrl,
      GWTOKEN_REGION: 'eu',
    };
  });
  afterAll(() => windows?.close());

  const gwtoken = (args: readonly string[], stdin = '') => windows.gwtoken(args, { env, stdin });
  const item = async () => (await windows.credentials()).find(({ account }) => account === ACCOUNT)?.password;

  test('an item of 2,560 bytes is stored and read back, one more is refused beforehand', async () => {
    const login = ['login', '--client-id', 'client', '--secret-stdin'];
    const rest = Buffer.byteLength(
      JSON.stringify({ client_id: 'client', client_secret: '', auth_url: endpoint.authUrl }),
    );
    const secret = 's'.repeat(2560 - rest);
    expect((await gwtoken(login, secret)).code).toBe(0);
    expect(Buffer.byteLength((await item()) ?? '')).toBe(2560);
    expect((await gwtoken(['get', '--fresh'])).code).toBe(0);
    expect(endpoint.posts.at(-1)?.get('client_secret')).toBe(secret);
    expectRefusal(await gwtoken(login, `${secret}s`), 2);
    expect(JSON.parse((await item()) ?? '')).toMatchObject({ client_secret: secret });
    expect((await gwtoken(['logout'])).code).toBe(0);
    expect(await item()).toBeUndefined();
  });

  test.each([
    ['UTF-8', (text: string) => text],
    ['UTF-16, as cmdkey stores it', (text: string) => Buffer.from(text, 'utf16le').toString('latin1')],
  ])('an item that was made by hand is read: %s', async (_, encoded) => {
    expect((await gwtoken(['config', 'set', 'auth-url', endpoint.authUrl])).code).toBe(0);
    const byHand = { client_id: 'by-hand', client_secret: 'its secret', auth_url: endpoint.authUrl };
    const value = encoded(JSON.stringify(byHand));
    await windows.storeCredential(ACCOUNT, value);
    expect(await gwtoken(['get'])).toMatchObject({ code: 0, stdout: 'token-1\n', stderr: '' });
    expect(endpoint.posts[0]?.get('client_id')).toBe('by-hand');
    expect((await gwtoken(['logout'])).code).toBe(0);
    expect(await item()).toBeUndefined();
  });

  test('of parallel config set none is lost', async () => {
    const profiles = Array.from({ length: 8 }, (_, index) => `p${index}`);
    const ended = await Promise.all(
      profiles.map((profile) => gwtoken(['config', 'set', 'timeout', '9s', '--profile', profile])),
    );
    expect(ended.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
      profiles.map(() => ({ code: 0, stderr: '' })),
    );
    expect(JSON.parse(readFileSync(join(config, 'config.json'), 'utf8'))).toEqual({
      profiles: Object.fromEntries(profiles.map((profile) => [profile, { timeout: '9s' }])),
    });
  });
});
