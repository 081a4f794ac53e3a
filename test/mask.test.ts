/** Under GitHub Actions a token is masked before it is let out, on stderr: stdout may be inside `$(…)`. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { maskToken } from '../src/core/mask';
import { type IdentityServer, startIdentityServer } from './harness/identity-server';
import { openSession, type Session } from './harness/session';

const client = { clientId: 'eu-client', clientSecret: 'eu-secret' };

let identity: IdentityServer;
let session: Session;
beforeAll(async () => {
  identity = await startIdentityServer({ region: 'eu', clients: [client], scope: 'read write' });
  session = openSession({
    GWTOKEN_REGION: 'eu',
    GWTOKEN_AUTH_URL: identity.authUrl,
    GWTOKEN_CLIENT_ID: client.clientId,
    GWTOKEN_CLIENT_SECRET: client.clientSecret,
  });
});
afterAll(async () => {
  session.remove();
  await identity.close();
});

const COMMANDS: readonly (readonly string[])[] = [
  ['get'],
  ['get', '--format', 'json'],
  ['get', '--format', 'header'],
  ['get', '--format', 'curl'],
  ['get', '--fresh'],
];

/** Expiry as it stands in any format: two calls may count a second apart. */
const still = (text: string): string =>
  text
    .replace(/"expires_in":\d+/, '"expires_in":0')
    .replaceAll(/[\w-]{43}/g, 'TOKEN')
    .replace(/"source":"\w+"/, '');

describe.each(COMMANDS)('%s %s %s', (...args) => {
  test('writes the mask first, and the same as ever to stdout', async () => {
    const plain = await session.gwtoken(args);
    expect(plain).toMatchObject({ code: 0, stderr: '' });
    const masked = await session.gwtoken(args, { env: { GITHUB_ACTIONS: 'true' } });
    expect(masked).toMatchObject({ code: 0, stderr: `::add-mask::${identity.issued.at(-1)}\n` });
    expect(still(masked.stdout)).toBe(still(plain.stdout));
  });

  test.each(['', 'false', '1', 'TRUE'])('writes none with GITHUB_ACTIONS=%s', async (value) => {
    const result = await session.gwtoken(args, { env: { GITHUB_ACTIONS: value } });
    expect(result).toMatchObject({ code: 0, stderr: '' });
  });

  test('writes none when it fails', async () => {
    const env = { GITHUB_ACTIONS: 'true', GWTOKEN_CLIENT_SECRET: 'wrong' };
    const result = await session.gwtoken(args, { env });
    expect(result.code).toBe(3);
    expect(result.stderr).toContain('gwtoken: error: ');
    expect(result.stderr).not.toContain('::');
  });
});

test('what only asks for a token masks none', async () => {
  const result = await session.gwtoken(['status', '--check'], { env: { GITHUB_ACTIONS: 'true' } });
  expect(result.code).toBe(0);
  expect(result.stdout + result.stderr).not.toContain('::');
});

test('a token with a percent sign is escaped as the runner undoes it', () => {
  let written = '';
  const stderr = { isTTY: () => false, write: (text: string) => (written += text) };
  maskToken('100%25%0A', { env: { GITHUB_ACTIONS: 'true' }, stderr });
  expect(written).toBe('::add-mask::100%2525%250A\n');
});
