/** The key of a token: it differs in all that the request depends on, and is stored without its secret. */
import { describe, expect, test } from 'vitest';
import { hmac } from '../../src/system/distribution';
import { keyMatches, storedKey } from '../../src/token/key';
import { keyWith } from '../harness/homes/client';
import type { Values } from '../settings/places';

const world = { hmac };
const BASE = { GWTOKEN_REGION: 'eu', GWTOKEN_AUTH_URL: 'https://a.test' };
const PAIR = { GWTOKEN_CLIENT_ID: 'id', GWTOKEN_CLIENT_SECRET: 'top-secret' };
const variables = (more: Record<string, string> = {}): Values => ({ env: { ...BASE, ...PAIR, ...more } });
const command = (line: string): Values => ({ env: BASE, general: { 'credential-command': line } });
const ENTRY = { clientId: 'id', authUrl: 'https://a.test', loginId: 'login 1' };
const keychain = (more: Partial<typeof ENTRY> = {}): Values => ({
  env: BASE,
  stored: { 'default:production:eu': { ...ENTRY, ...more } },
});

/** Settings and credentials that each have their own tokens. */
const KINDS: Readonly<Record<string, Values>> = {
  variables: variables(),
  'another client ID': variables({ GWTOKEN_CLIENT_ID: 'id2' }),
  'another auth URL': variables({ GWTOKEN_AUTH_URL: 'https://b.test' }),
  'another region': variables({ GWTOKEN_REGION: 'us' }),
  'the sandbox': variables({ GWTOKEN_SANDBOX: '1' }),
  'another profile': variables({ GWTOKEN_PROFILE: 'acme' }),
  'a command': command('pass id'),
  'another command': command('pass top-secret'),
  'the keychain': keychain(),
  'another login': keychain({ loginId: 'login 2' }),
  'a login without an ID': keychain({ loginId: '' }),
  'another stored client ID': keychain({ clientId: 'id2' }),
  'another stored auth URL': keychain({ authUrl: 'https://b.test' }),
  'a client in no list': { env: BASE },
};

describe('a key', () => {
  test.each(Object.keys(KINDS))('of %s matches no other', (name) => {
    const stored = storedKey(keyWith(KINDS[name]!), 'salt', world);
    const matching = Object.keys(KINDS).filter((each) => keyMatches(stored, keyWith(KINDS[each]!), world));
    expect(matching).toEqual([name]);
  });

  test('names its files by its facts, which only another secret shares', () => {
    const facts = Object.values(KINDS).map((values) => JSON.stringify(keyWith(values).facts));
    expect(new Set(facts).size).toBe(facts.length);
    const [one, other] = [variables(), variables({ GWTOKEN_CLIENT_SECRET: 'another' })].map(keyWith);
    expect(other?.facts).toEqual(one?.facts);
    expect(keyMatches(storedKey(one!, 'salt', world), other!, world)).toBe(false);
  });

  test('is stored with a salted HMAC of its secret, and with no secret as it is', () => {
    for (const values of [variables(), command('pass top-secret')]) {
      const key = keyWith(values);
      const stored = storedKey(key, 'salt', world);
      expect(JSON.stringify(stored)).not.toContain('top-secret');
      expect(stored.hmac).toMatch(/^[0-9a-f]{64}$/);
      expect(storedKey(key, 'other salt', world).hmac).not.toBe(stored.hmac);
    }
    expect(storedKey(keyWith(keychain()), 'salt', world).hmac).toBe('');
  });
});
