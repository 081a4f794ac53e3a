import { describe, expect, test } from 'vitest';
import { DEFAULT_PREFIX, tokenVariables } from '../../src/formats/token-variables';
import { selecting, settingLines } from '../../src/settings/resolve';
import { allKeys, ROWS, SETTINGS, type Settings, variableOf } from '../../src/settings/table';
import type { StoredClient } from '../../src/world';
import { settingsWith } from './places';
import { refusal } from './refusal';

/** A place, the text in it, and the parsed value. `acme:key` is a key of the profile acme. */
type Place = readonly [name: string, written: string | number | boolean, value: unknown];

const urls = (...names: string[]): Place[] =>
  names.map((name, at) => [name, `https://h${at}`, `https://h${at}`]);
/** Flags that select a client, for each setting that depends on it. */
const ACME = { profile: 'acme', region: 'eu' };
const STORED = 'stored client ';
const urlKeys = (key: string) => ['acme:', ''].flatMap((own) => [`${own}${key}.eu`, `${own}${key}`]);

/** Returns a setting's flag, variable, key of acme and general key. Each gets one of the texts with its value. */
const fourPlaces = (key: string, values: Record<string, unknown>): Place[] => {
  const names = [`--${key}`, `GWTOKEN_${key.toUpperCase().replace('-', '_')}`, `acme:${key}`, key];
  return Object.entries(values).map(([written, value], at) => [names[at]!, written, value]);
};

type Row = readonly [setting: keyof typeof SETTINGS, places: readonly Place[], fallback?: unknown];

/** The places of each setting in order of precedence, and its default. Add a row for a new setting. */
const ORDER: readonly Row[] = [
  ['region', fourPlaces('region', { eu: 'eu', us: 'us', EU: 'eu', US: 'us' })],
  [
    'environment',
    [
      ['--sandbox', true, 'sandbox'],
      ['GWTOKEN_SANDBOX', '0', 'production'],
      ['acme:sandbox', true, 'sandbox'],
      ['sandbox', false, 'production'],
    ],
    'production',
  ],
  [
    'environment',
    [
      ['--no-sandbox', false, 'production'],
      ['GWTOKEN_SANDBOX', 'true', 'sandbox'],
      ['sandbox', 'false', 'production'],
    ],
    'production',
  ],
  [
    'profile',
    [
      ['--profile', 'a', 'a'],
      ['GWTOKEN_PROFILE', 'b', 'b'],
      ['profile', 'c', 'c'],
    ],
    'default',
  ],
  ['minTtlMs', fourPlaces('min-ttl', { '90': 90_000, '2m': 120_000, '1h': 3_600_000, '30': 30_000 })],
  ['timeoutMs', fourPlaces('timeout', { '5s': 5000, '6s': 6000, '7s': 7000, '8s': 8000 }), 10_000],
  ['retries', fourPlaces('retries', { '0': 0, '1': 1, '3': 3, '4': 4 }), 2],
  [
    'cache',
    [
      ['--no-cache', false, false],
      ['GWTOKEN_NO_CACHE', '0', true],
      ['cache', 'off', false],
    ],
    true,
  ],
  ['caFile', fourPlaces('ca-file', { '/f': '/f', '/v': '/v', '/p': '/p', '/g': '/g' })],
  [
    'keychainTimeoutMs',
    [
      ['GWTOKEN_KEYCHAIN_TIMEOUT', '5', 5000],
      ['keychain-timeout', '1m', 60_000],
    ],
  ],
  [
    'credentialCommand',
    [
      ['acme:credential-command', 'pass a', 'pass a'],
      ['credential-command', 'pass b', 'pass b'],
    ],
  ],
  [
    'authUrl',
    urls(
      ...['--auth-url', 'GWTOKEN_AUTH_URL_EU', 'GWTOKEN_AUTH_URL', ...urlKeys('auth-url')],
      `${STORED}acme:production:eu`,
    ),
  ],
  ['apiUrl', urls(...urlKeys('api-url'))],
];

/** Returns settings of which only these places are set, beside the flags. */
function settingsIn(places: readonly Place[], selected: Readonly<Record<string, string>>): Settings {
  const flags: Record<string, string | boolean> = { ...selected };
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
  return settingsWith({ flags, env, general, profiles: { acme: own }, stored });
}

/** Returns the flags that select the client of a setting, without the setting itself. */
function flagsFor(setting: keyof typeof SETTINGS): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(ACME).filter(([flag]) => flag !== setting));
}

function sourceOf(name: string): string {
  if (/^(--|GWTOKEN_|stored )/.test(name)) return name;
  return `${name.replace(/acme:(.*)/, '$1 of profile acme')} in /c.json`;
}

describe('a setting', () => {
  test.for(ORDER)('%s comes from the first place that sets it', ([setting, places, fallback]) => {
    const byDefault = [fallback, fallback === undefined ? undefined : 'default'];
    for (let chosen = 0; chosen < 2 ** places.length; chosen++) {
      const filled = places.filter((_, at) => (chosen >> at) & 1);
      const [first] = filled;
      const expected = first ? [first[2], sourceOf(first[0])] : byDefault;
      const found = settingsIn(filled, flagsFor(setting))[setting];
      expect([found?.value, found?.source.name], JSON.stringify(filled)).toEqual(expected);
    }
  });

  test('ignores an empty variable and the keys of other profiles', () => {
    for (const [setting, places, fallback] of ORDER) {
      const empty = places.flatMap(([place]): Place[] =>
        place.startsWith('GWTOKEN_') ? [[place, '', '']] : [],
      );
      const others = Object.fromEntries(
        places.flatMap(([place, written]) => (place.startsWith('acme:') ? [[place.slice(5), written]] : [])),
      );
      const flags = flagsFor(setting);
      for (const from of [settingsIn(empty, flags), settingsWith({ flags, profiles: { other: others } })])
        expect([setting, from[setting]?.value]).toEqual([setting, fallback]);
    }
  });

  test('that reaches a user ignores the keys of a profile', () => {
    const { cache } = settingsWith({ flags: ACME, profiles: { acme: { cache: 'off' } } });
    expect(cache).toMatchObject({ value: true, source: { kind: 'default' } });
  });

  test('is resolved once, when it is first read', () => {
    const settings = settingsWith({ env: { GWTOKEN_RETRIES: 'bad' } });
    expect(settings.timeoutMs).toBe(settings.timeoutMs);
    expect(refusal(() => settings.retries).message).toBe('invalid retries "bad" (from GWTOKEN_RETRIES)');
  });
});

test('an invalid credential command does not keep a client from being selected', () => {
  const settings = settingsWith({ flags: { region: 'eu' }, general: { 'credential-command': '' } });
  expect(settings.client.region).toBe('eu');
});

test('selecting() gives --profile only to a client that needs it', () => {
  const env = { GWTOKEN_PROFILE: 'team', GWTOKEN_SANDBOX: '1' };
  const settings = settingsWith({ flags: { profile: 'acme', timeout: '5s' }, env });
  const flagsOf = (profile: string) => {
    const client = { profile, environment: 'production', region: 'us' } as const;
    const selected = selecting(client, settings);
    expect(selected.client).toEqual(client);
    return selected.flags;
  };
  const flags = { timeout: '5s', region: 'us', sandbox: false };
  expect(flagsOf('team')).toEqual({ ...flags, profile: undefined });
  expect(flagsOf('default')).toEqual({ ...flags, profile: 'default' });
});

test('no setting has a variable that env sets', () => {
  const ofTokens = tokenVariables(undefined, { prefix: DEFAULT_PREFIX }).map(({ name }) => name);
  const ofSettings = ROWS.flatMap((row) => allKeys(row).map((key) => variableOf(row, key)));
  expect(ofSettings.filter((name) => ofTokens.includes(name ?? ''))).toEqual([]);
});

test('no variable changes the API URL, to which gwtoken sends tokens', () => {
  const env = { GWTOKEN_API_URL: 'https://a.test', GWTOKEN_API_URL_EU: 'https://a.test' };
  expect(settingsWith({ flags: ACME, env }).apiUrl).toBeUndefined();
});

test('ORDER has a row for each setting', () => {
  expect(new Set(ORDER.map(([setting]) => setting))).toEqual(new Set(Object.keys(SETTINGS)));
});

test('settingLines() returns each set or default value with its source, and the error of an invalid one', () => {
  const settings = settingsWith({
    flags: { region: 'us', 'auth-url': 'https://{region}.test', cache: false },
    env: { GWTOKEN_MIN_TTL: '90', GWTOKEN_KEYCHAIN_TIMEOUT: '1m' },
    general: { 'api-url': 'x', 'ca-file': '/ca.pem', 'credential-command': 'pass show secret' },
    profiles: { default: { timeout: '1h' } },
  });
  expect(settingLines(settings).slice(4)).toEqual([
    'API URL: API URL "x" (from api-url in /c.json) is not a valid https:// URL',
    'min-ttl: 1 min 30 s (GWTOKEN_MIN_TTL)',
    'timeout: 1 h (timeout of profile default in /c.json)',
    'retries: 2 (default)',
    'cache: off (--no-cache)',
    'ca-file: /ca.pem (ca-file in /c.json)',
    'keychain-timeout: 1 min (GWTOKEN_KEYCHAIN_TIMEOUT)',
    'credential-command: set (credential-command in /c.json)',
  ]);
});
