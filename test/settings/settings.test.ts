/** The precedence of each setting's sources. */
import { describe, expect, test } from 'vitest';
import { DEFAULT_PREFIX, tokenVariables } from '../../src/formats/token-variables';
import { resolve } from '../../src/settings/resolve';
import {
  allKeys,
  ROWS,
  SETTINGS,
  type SettingDefinition,
  type SettingSources,
  variableOf,
} from '../../src/settings/table';
import type { StoredClient } from '../../src/world';
import { sources } from './sources';

/** A place, the text in it, and the parsed value. `acme:key` is a key of the profile acme. */
type Place = readonly [name: string, written: string | number | boolean, value: unknown];

const urls = (...names: string[]): Place[] =>
  names.map((name, at) => [name, `https://h${at}`, `https://h${at}`]);
const OF_ACME = { profile: 'acme', environment: 'production', region: 'eu' } as const;
const STORED = 'stored client ';
const urlKeys = (key: string) => ['acme:', ''].flatMap((own) => [`${own}${key}.eu`, `${own}${key}`]);

/** Returns a setting's flag, variable, key of acme and general key. Each gets one of the texts with its value. */
const fourPlaces = (key: string, values: Record<string, unknown>): Place[] => {
  const names = [`--${key}`, `GWTOKEN_${key.toUpperCase().replace('-', '_')}`, `acme:${key}`, key];
  return Object.entries(values).map(([written, value], at) => [names[at]!, written, value]);
};

/** The places of each setting in order of precedence, and its default. Add a row for a new setting. */
const ORDER: Record<
  string,
  { row: SettingDefinition<unknown>; places: readonly Place[]; fallback: unknown }
> = {
  region: {
    row: SETTINGS.region,
    places: fourPlaces('region', { eu: 'eu', us: 'us', EU: 'eu', US: 'us' }),
    fallback: undefined,
  },
  environment: {
    row: SETTINGS.environment,
    places: [
      ['--sandbox', true, 'sandbox'],
      ['GWTOKEN_SANDBOX', '0', 'production'],
      ['acme:sandbox', true, 'sandbox'],
      ['sandbox', false, 'production'],
    ],
    fallback: 'production',
  },
  'environment, negated': {
    row: SETTINGS.environment,
    places: [
      ['--no-sandbox', false, 'production'],
      ['GWTOKEN_SANDBOX', 'true', 'sandbox'],
      ['sandbox', 'false', 'production'],
    ],
    fallback: 'production',
  },
  profile: {
    row: SETTINGS.profile,
    places: [
      ['--profile', 'a', 'a'],
      ['GWTOKEN_PROFILE', 'b', 'b'],
      ['profile', 'c', 'c'],
    ],
    fallback: 'default',
  },
  'min-ttl': {
    row: SETTINGS.minTtlMs,
    places: fourPlaces('min-ttl', { '90': 90_000, '2m': 120_000, '1h': 3_600_000, '30': 30_000 }),
    fallback: undefined,
  },
  timeout: {
    row: SETTINGS.timeoutMs,
    places: fourPlaces('timeout', { '5s': 5000, '6s': 6000, '7s': 7000, '8s': 8000 }),
    fallback: 10_000,
  },
  retries: {
    row: SETTINGS.retries,
    places: fourPlaces('retries', { '0': 0, '1': 1, '3': 3, '4': 4 }),
    fallback: 2,
  },
  cache: {
    row: SETTINGS.cache,
    places: [
      ['--no-cache', false, false],
      ['GWTOKEN_NO_CACHE', '0', true],
      ['cache', 'off', false],
    ],
    fallback: true,
  },
  'ca-file': {
    row: SETTINGS.caFile,
    places: fourPlaces('ca-file', { '/f': '/f', '/v': '/v', '/p': '/p', '/g': '/g' }),
    fallback: undefined,
  },
  'keychain-timeout': {
    row: SETTINGS.keychainTimeoutMs,
    places: [
      ['GWTOKEN_KEYCHAIN_TIMEOUT', '5', 5000],
      ['keychain-timeout', '1m', 60_000],
    ],
    fallback: undefined,
  },
  'credential-command': {
    row: SETTINGS.credentialCommand,
    places: [
      ['acme:credential-command', 'pass a', 'pass a'],
      ['credential-command', 'pass b', 'pass b'],
    ],
    fallback: undefined,
  },
  'auth URL': {
    row: SETTINGS.authUrl,
    places: urls(
      ...['--auth-url', 'GWTOKEN_AUTH_URL_EU', 'GWTOKEN_AUTH_URL', ...urlKeys('auth-url')],
      `${STORED}acme:production:eu`,
    ),
    fallback: undefined,
  },
  'API URL': {
    row: SETTINGS.apiUrl,
    places: urls(...urlKeys('api-url')),
    fallback: undefined,
  },
};

/** Returns sources in which only these places are set. */
function sourcesWith(places: readonly Place[]): SettingSources {
  const flags: Record<string, string | boolean> = {};
  const env: Record<string, string> = {};
  const general: Record<string, string | number | boolean> = {};
  const own: Record<string, string | number | boolean> = {};
  const stored: Record<string, StoredClient> = {};
  for (const [name, written] of places) {
    if (name.startsWith('--')) flags[name.replace(/^--(no-)?/, '')] = written as string | boolean;
    else if (name.startsWith('GWTOKEN_')) env[name] = String(written);
    else if (name.startsWith(STORED))
      stored[name.slice(STORED.length)] = { clientId: 'id', authUrl: String(written), loginId: '' };
    else if (name.startsWith('acme:')) own[name.slice('acme:'.length)] = written;
    else general[name] = written;
  }
  return sources({ flags, env, general, profiles: { acme: own }, stored });
}

function sourceOf(name: string): string {
  if (/^(--|GWTOKEN_|stored )/.test(name)) return name;
  return `${name.replace(/acme:(.*)/, '$1 of profile acme')} in /c.json`;
}

describe('resolve', () => {
  test.for(Object.entries(ORDER))('takes %s from the first place that sets it', ([, setting]) => {
    const { row, places, fallback } = setting;
    const byDefault = [fallback, fallback === undefined ? undefined : 'default'];
    for (let chosen = 0; chosen < 2 ** places.length; chosen++) {
      const filled = places.filter((_, at) => (chosen >> at) & 1);
      const [first] = filled;
      const expected = first ? [first[2], sourceOf(first[0])] : byDefault;
      const found = resolve(row, sourcesWith(filled), OF_ACME);
      expect([found?.value, found?.source.name], JSON.stringify(filled)).toEqual(expected);
    }
  });

  test('ignores an empty variable and the keys of other profiles', () => {
    for (const [name, { row, places, fallback }] of Object.entries(ORDER)) {
      const empty = places.flatMap(([place]): Place[] =>
        place.startsWith('GWTOKEN_') ? [[place, '', '']] : [],
      );
      const others = Object.fromEntries(
        places.flatMap(([place, written]) => (place.startsWith('acme:') ? [[place.slice(5), written]] : [])),
      );
      for (const from of [sourcesWith(empty), sources({ profiles: { other: others } })])
        expect([name, resolve(row, from, OF_ACME)?.value]).toEqual([name, fallback]);
    }
  });
});

test('no setting has a variable that env sets', () => {
  const ofTokens = tokenVariables(undefined, { prefix: DEFAULT_PREFIX }).map(({ name }) => name);
  const ofSettings = ROWS.flatMap((row) => allKeys(row).map((key) => variableOf(row, key)));
  expect(ofSettings.filter((name) => ofTokens.includes(name ?? ''))).toEqual([]);
});

test('no variable changes the API URL, to which gwtoken sends tokens', () => {
  const env = { GWTOKEN_API_URL: 'https://a.test', GWTOKEN_API_URL_EU: 'https://a.test' };
  expect(resolve(SETTINGS.apiUrl, sources({ env }), OF_ACME)).toBeUndefined();
});

test('ORDER has a row for each setting', () => {
  const rows = Object.keys(ORDER).map((name) => name.replace(', negated', ''));
  const all: readonly SettingDefinition<unknown>[] = Object.values(SETTINGS);
  expect(new Set(rows)).toEqual(new Set(all.map(({ name, key }) => name ?? key)));
});
