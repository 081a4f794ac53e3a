/** Keys of the config file, and the errors for unknown and misplaced ones. */
import { describe, expect, test } from 'vitest';
import { REGIONS } from '../../src/client';
import { gather, unknownKeys } from '../../src/settings/resolve';
import { checkConfigKey, checkConfigValue, configKeys } from '../../src/settings/table';
import { settingsWith, type Values } from './places';
import { refusal } from './refusal';

describe('config keys', () => {
  const KEYS = configKeys();
  const VALID = 'for all keys, run: gwtoken help settings';

  test('checkConfigKey accepts every key, except those that reach a user for a profile', () => {
    expect(checkConfigKey('cache').reach).toBe('user');
    const authUrls = ['auth-url', ...REGIONS.map((region) => `auth-url.${region}`)];
    expect(KEYS.filter((key) => key.includes('auth-url'))).toEqual(authUrls);
    for (const key of KEYS) {
      const row = checkConfigKey(key);
      expect(row.key).toBe(key.replace(/\.\w+$/, ''));
      const forProfile = () => checkConfigKey(key, 'acme');
      if (row.reach !== 'user') expect(forProfile()).toBe(row);
      else
        expect(refusal(forProfile)).toEqual({
          message: `${key} cannot be set per profile`,
          hints: ['omit --profile'],
        });
    }
  });

  test('checkConfigKey rejects an unknown key and leads to the valid ones', () => {
    expect(refusal(() => checkConfigKey('nothing'))).toEqual({
      message: 'unknown config key "nothing"',
      hints: [VALID],
    });
    for (const key of ['regoin', 'GWTOKEN_REGION'])
      expect(refusal(() => checkConfigKey(key)).hints).toEqual(['did you mean: region']);
    for (const key of ['client_id', 'Secret', 'my-password', 'token'])
      expect(refusal(() => checkConfigKey(key)).hints).toEqual(['to store credentials, run: gwtoken login']);
  });

  test('gather() warns of unknown config keys, and rejects invalid profile names', () => {
    const read = ({ general = {}, profiles = {} }: Values) => {
      const { config, ...world } = settingsWith({ general, profiles });
      const files = { config: { read: () => config }, clients: { read: () => ({}) } };
      return unknownKeys(gather({}, { ...world, ...files }).config);
    };
    expect(read({ general: { region: 'eu' }, profiles: { acme: { 'auth-url.us': 'x' } } })).toEqual([]);
    const acme = { 'a b': { later: 1 }, cache: 'on' };
    const remove = 'to remove it, run: gwtoken config unset';
    expect(read({ general: { regoin: 'eu' }, profiles: { acme } })).toEqual([
      `unknown config key "regoin" (from /c.json); ${remove} regoin`,
      `unknown config key "a b" (from profile acme in /c.json); ${remove} 'a b' --profile acme`,
      `unknown config key "cache" (from profile acme in /c.json); ${remove} cache --profile acme`,
    ]);
    expect(refusal(() => read({ profiles: { Acme: {} } })).message).toBe(
      'invalid profile name "Acme" (from profiles in /c.json)',
    );
  });

  test('checkConfigValue suggests the key if it is spelled like its variable', () => {
    for (const key of ['auth_url.EU', 'AUTH-URL.EU'])
      expect(refusal(() => checkConfigValue(key, 'x')).hints).toEqual(['did you mean: auth-url.eu']);
  });

  test('checkConfigValue checks an auth URL for the region of its key', () => {
    const shown = (key: string) => refusal(() => checkConfigValue(key, 'http://{region}.test')).hints[0];
    expect(shown('auth-url.us')).toBe('use https://us.test');
    expect(shown('auth-url.eu')).toBe('use https://eu.test');
    expect(shown('auth-url')).toBe('use https://eu.test');
  });
});
