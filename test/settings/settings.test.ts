import { describe, expect, test } from 'vitest';
import {
  resolveAuthUrl,
  resolveClient,
  resolveEnvironment,
  resolveFetchSettings,
  resolveProfile,
  resolveRegion,
} from '../../src/settings/resolve';
import type { Given } from '../../src/settings/setting';
import { given, type Places } from './given';

describe('flag, then variable, then the profile’s key, then the general one, then the default', () => {
  /** Each setting given in all places at once; taking one place away after the other shows the order. */
  const SETTINGS: Record<
    string,
    {
      resolve: (given: Given) => { value: unknown; source: { name: string } } | undefined;
      flag?: [name: string, value: string | boolean, resolved: unknown, source?: string];
      variable?: [name: string, value: string, resolved: unknown];
      own?: [key: string, value: string | number | boolean, resolved: unknown];
      general?: [key: string, value: string | number | boolean, resolved: unknown];
      byDefault: unknown;
    }
  > = {
    region: {
      resolve: (from) => resolveRegion(from, 'acme'),
      flag: ['region', 'eu', 'eu'],
      variable: ['GWTOKEN_REGION', 'us', 'us'],
      own: ['region', 'eu', 'eu'],
      general: ['region', 'us', 'us'],
      byDefault: undefined,
    },
    environment: {
      resolve: (from) => resolveEnvironment(from, 'acme'),
      flag: ['sandbox', true, 'sandbox'],
      variable: ['GWTOKEN_SANDBOX', '0', 'production'],
      own: ['sandbox', true, 'sandbox'],
      general: ['sandbox', false, 'production'],
      byDefault: 'production',
    },
    'environment, undone': {
      resolve: (from) => resolveEnvironment(from, 'acme'),
      flag: ['sandbox', false, 'production', '--no-sandbox'],
      variable: ['GWTOKEN_SANDBOX', 'true', 'sandbox'],
      general: ['sandbox', 'false', 'production'],
      byDefault: 'production',
    },
    profile: {
      resolve: resolveProfile,
      flag: ['profile', 'a', 'a'],
      variable: ['GWTOKEN_PROFILE', 'b', 'b'],
      general: ['profile', 'c', 'c'],
      byDefault: 'default',
    },
    'minimum life': {
      resolve: (from) => resolveFetchSettings(from, 'acme').minTtlMs,
      flag: ['min-ttl', '90', 90_000],
      variable: ['GWTOKEN_MIN_TTL', '2m', 120_000],
      own: ['min-ttl', '1h', 3_600_000],
      general: ['min-ttl', 30, 30_000],
      byDefault: undefined,
    },
    'time limit': {
      resolve: (from) => resolveFetchSettings(from, 'acme').timeoutMs,
      flag: ['timeout', '5s', 5000],
      variable: ['GWTOKEN_TIMEOUT', '6', 6000],
      own: ['timeout', '7s', 7000],
      general: ['timeout', '8s', 8000],
      byDefault: 10_000,
    },
    retries: {
      resolve: (from) => resolveFetchSettings(from, 'acme').retries,
      flag: ['retries', '0', 0],
      variable: ['GWTOKEN_RETRIES', '1', 1],
      own: ['retries', 3, 3],
      general: ['retries', '4', 4],
      byDefault: 2,
    },
    cache: {
      resolve: (from) => resolveFetchSettings(from, 'acme').cache,
      flag: ['cache', false, false, '--no-cache'],
      variable: ['GWTOKEN_NO_CACHE', '0', true],
      general: ['cache', 'off', false],
      byDefault: true,
    },
    'extra CA': {
      resolve: (from) => resolveFetchSettings(from, 'acme').caFile,
      flag: ['ca-file', '/f', '/f'],
      variable: ['GWTOKEN_CA_FILE', '/v', '/v'],
      own: ['ca-file', '/p', '/p'],
      general: ['ca-file', '/g', '/g'],
      byDefault: undefined,
    },
    'keychain wait': {
      resolve: (from) => resolveFetchSettings(from, 'acme').keychainTimeoutMs,
      variable: ['GWTOKEN_KEYCHAIN_TIMEOUT', '5', 5000],
      general: ['keychain-timeout', '1m', 60_000],
      byDefault: undefined,
    },
    'credential command': {
      resolve: (from) => resolveFetchSettings(from, 'acme').credentialCommand,
      own: ['credential-command', 'pass a', 'pass a'],
      general: ['credential-command', 'pass b', 'pass b'],
      byDefault: undefined,
    },
    'auth URL': {
      resolve: (from) => resolveAuthUrl(from, { profile: 'acme', environment: 'production', region: 'eu' }),
      flag: ['auth-url', 'https://f', 'https://f'],
      variable: ['GWTOKEN_AUTH_URL', 'https://v', 'https://v'],
      own: ['auth-url', 'https://p', 'https://p'],
      general: ['auth-url', 'https://g', 'https://g'],
      byDefault: undefined,
    },
  };

  test.for(Object.entries(SETTINGS))('%s', ([, { resolve, flag, variable, own, general, byDefault }]) => {
    const places = {
      flags: flag && { [flag[0]]: flag[1] },
      env: variable && { [variable[0]]: variable[1] },
      profiles: own && { acme: { [own[0]]: own[1] } },
      general: general && { [general[0]]: general[1] },
    };
    const sources: [keyof typeof places, unknown, string][] = [
      ['flags', flag?.[2], flag?.[3] ?? `--${flag?.[0]}`],
      ['env', variable?.[2], variable?.[0] ?? ''],
      ['profiles', own?.[2], `${own?.[0]} of profile acme in /c.json`],
      ['general', general?.[2], `${general?.[0]} in /c.json`],
    ];
    const left: Record<string, unknown> = { ...places };
    for (const [place, value, name] of sources) {
      if (places[place] === undefined) continue;
      expect(resolve(given(left as Places))).toMatchObject({ value, source: { name } });
      delete left[place];
    }
    expect(resolve(given({}))?.value).toBe(byDefault);
    // An empty variable counts as unset; another profile's key is none of ours.
    if (variable) expect(resolve(given({ env: { [variable[0]]: '' } }))?.value).toBe(byDefault);
    if (own) expect(resolve(given({ profiles: { other: { [own[0]]: own[1] } } }))?.value).toBe(byDefault);
  });
});

test('a client is its profile, environment and region, each with its source', () => {
  const from = given({
    flags: { region: 'us' },
    env: { GWTOKEN_SANDBOX: '1' },
    general: { profile: 'acme' },
  });
  const { client, profile, environment, region } = resolveClient(from);
  expect(client).toEqual({ profile: 'acme', environment: 'sandbox', region: 'us' });
  expect([profile, environment, region].map(({ source }) => source.name)).toEqual([
    'profile in /c.json',
    'GWTOKEN_SANDBOX',
    '--region',
  ]);
  expect(() => resolveClient(given({}))).toThrow('no region given');
});
