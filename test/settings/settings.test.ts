/** The precedence of the settings: each one in every place it can come from. */
import { describe, expect, test } from 'vitest';
import {
  resolveApiUrl,
  resolveAuthUrl,
  resolveClient,
  resolveEnvironment,
  resolveFetchSettings,
  resolveProfile,
  resolveRegion,
} from '../../src/settings/resolve';
import { SETTINGS, type SettingDefinition, type SettingSources } from '../../src/settings/table';
import { sources } from './sources';

type Found = { value: unknown; source: { name: string } } | undefined;
/** Its place, what is written there, and its value then. `acme:` before a key is that profile's own. */
type Place = readonly [name: string, written: string | number | boolean, value: unknown];

const urls = (...names: string[]): Place[] =>
  names.map((name, at) => [name, `https://h${at}`, `https://h${at}`]);
const OF_ACME = { profile: 'acme', environment: 'production', region: 'eu' } as const;
const fetched = (name: keyof ReturnType<typeof resolveFetchSettings>) => (from: SettingSources) =>
  resolveFetchSettings(from, 'acme')[name];

const urlKeys = (key: string) => ['acme:', ''].flatMap((own) => [`${own}${key}.eu`, `${own}${key}`]);

/** A flag, a variable, a profile's key and the general one: what is written in each, and its value then. */
const everywhere = (key: string, values: Record<string, unknown>): Place[] => {
  const names = [`--${key}`, `GWTOKEN_${key.toUpperCase().replace('-', '_')}`, `acme:${key}`, key];
  return Object.entries(values).map(([written, value], at) => [names[at]!, written, value]);
};

/** Place by place: the first that has anything is taken. A new setting gets its row here. */
const ORDER: Record<
  string,
  { resolve(from: SettingSources): Found; places: readonly Place[]; otherwise: unknown }
> = {
  region: {
    resolve: (from) => resolveRegion(from, 'acme'),
    places: everywhere('region', { eu: 'eu', us: 'us', EU: 'eu', US: 'us' }),
    otherwise: undefined,
  },
  environment: {
    resolve: (from) => resolveEnvironment(from, 'acme'),
    places: [
      ['--sandbox', true, 'sandbox'],
      ['GWTOKEN_SANDBOX', '0', 'production'],
      ['acme:sandbox', true, 'sandbox'],
      ['sandbox', false, 'production'],
    ],
    otherwise: 'production',
  },
  'environment, undone': {
    resolve: (from) => resolveEnvironment(from, 'acme'),
    places: [
      ['--no-sandbox', false, 'production'],
      ['GWTOKEN_SANDBOX', 'true', 'sandbox'],
      ['sandbox', 'false', 'production'],
    ],
    otherwise: 'production',
  },
  profile: {
    resolve: resolveProfile,
    places: [
      ['--profile', 'a', 'a'],
      ['GWTOKEN_PROFILE', 'b', 'b'],
      ['profile', 'c', 'c'],
    ],
    otherwise: 'default',
  },
  'min-ttl': {
    resolve: fetched('minTtlMs'),
    places: everywhere('min-ttl', { '90': 90_000, '2m': 120_000, '1h': 3_600_000, '30': 30_000 }),
    otherwise: undefined,
  },
  timeout: {
    resolve: fetched('timeoutMs'),
    places: everywhere('timeout', { '5s': 5000, '6s': 6000, '7s': 7000, '8s': 8000 }),
    otherwise: 10_000,
  },
  retries: {
    resolve: fetched('retries'),
    places: everywhere('retries', { '0': 0, '1': 1, '3': 3, '4': 4 }),
    otherwise: 2,
  },
  cache: {
    resolve: fetched('cache'),
    places: [
      ['--no-cache', false, false],
      ['GWTOKEN_NO_CACHE', '0', true],
      ['cache', 'off', false],
    ],
    otherwise: true,
  },
  'ca-file': {
    resolve: fetched('caFile'),
    places: everywhere('ca-file', { '/f': '/f', '/v': '/v', '/p': '/p', '/g': '/g' }),
    otherwise: undefined,
  },
  'keychain-timeout': {
    resolve: fetched('keychainTimeoutMs'),
    places: [
      ['GWTOKEN_KEYCHAIN_TIMEOUT', '5', 5000],
      ['keychain-timeout', '1m', 60_000],
    ],
    otherwise: undefined,
  },
  'credential-command': {
    resolve: fetched('credentialCommand'),
    places: [
      ['acme:credential-command', 'pass a', 'pass a'],
      ['credential-command', 'pass b', 'pass b'],
    ],
    otherwise: undefined,
  },
  'auth URL': {
    resolve: (from) => resolveAuthUrl(from, OF_ACME),
    places: urls('--auth-url', 'GWTOKEN_AUTH_URL_EU', 'GWTOKEN_AUTH_URL', ...urlKeys('auth-url')),
    otherwise: undefined,
  },
  'API URL': {
    resolve: (from) => resolveApiUrl(from, OF_ACME),
    places: urls(...urlKeys('api-url')),
    otherwise: undefined,
  },
};

/** What is given when these places have something and all others nothing. */
function filledIn(places: readonly Place[]): SettingSources {
  const flags: Record<string, string | boolean> = {};
  const env: Record<string, string> = {};
  const general: Record<string, string | number | boolean> = {};
  const own: Record<string, string | number | boolean> = {};
  for (const [name, written] of places) {
    if (name.startsWith('--')) flags[name.replace(/^--(no-)?/, '')] = written as string | boolean;
    else if (name.startsWith('GWTOKEN_')) env[name] = String(written);
    else if (name.startsWith('acme:')) own[name.slice('acme:'.length)] = written;
    else general[name] = written;
  }
  return sources({ flags, env, general, profiles: { acme: own } });
}

function sourceOf(name: string): string {
  if (/^(--|GWTOKEN_)/.test(name)) return name;
  return name.startsWith('acme:')
    ? `${name.slice('acme:'.length)} of profile acme in /c.json`
    : `${name} in /c.json`;
}

describe('flag, then variable, then the profile’s key, then the general one, then the default', () => {
  test.for(Object.entries(ORDER))(
    '%s, in every combination of places',
    ([, { resolve, places, otherwise }]) => {
      const wrong: object[] = [];
      for (let chosen = 0; chosen < 2 ** places.length; chosen++) {
        const filled = places.filter((_, at) => (chosen >> at) & 1);
        const found = resolve(filledIn(filled));
        const [first] = filled;
        const is = [found?.value, found?.source.name];
        const expected = first
          ? [first[2], sourceOf(first[0])]
          : [otherwise, otherwise === undefined ? undefined : 'default'];
        if (is[0] !== expected[0] || is[1] !== expected[1]) wrong.push({ filled, is, expected });
      }
      expect(wrong).toEqual([]);
    },
  );

  test.for(Object.entries(ORDER))(
    '%s: an empty variable counts as unset, and another profile’s key is none of ours',
    ([, { resolve, places, otherwise }]) => {
      const empty = places.flatMap(([name]): Place[] =>
        name.startsWith('GWTOKEN_') ? [[name, '', '']] : [],
      );
      expect(resolve(filledIn(empty))?.value).toBe(otherwise);
      const own = places.flatMap(([name, written]) =>
        name.startsWith('acme:') ? [[name.slice(5), written]] : [],
      );
      expect(resolve(sources({ profiles: { other: Object.fromEntries(own) } }))?.value).toBe(otherwise);
    },
  );
});

test('no variable moves the API URL: the token goes there', () => {
  const env = { GWTOKEN_API_URL: 'https://a.test', GWTOKEN_API_URL_EU: 'https://a.test' };
  expect(resolveApiUrl(sources({ env }), OF_ACME)).toBeUndefined();
});

test('every setting has its row above', () => {
  const rows = Object.keys(ORDER).map((name) => name.replace(', undone', ''));
  const all: readonly SettingDefinition<unknown>[] = Object.values(SETTINGS);
  expect(new Set(rows)).toEqual(new Set(all.map(({ name, key }) => name ?? key)));
});

test('a client is its profile, environment and region, each with its source', () => {
  const from = sources({
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
});
