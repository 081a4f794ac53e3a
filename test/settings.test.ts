import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { configValue } from '../src/core/config-keys';
import { isLoopback, parseAuthUrl, parseDurationMs, parseTimeLimitMs } from '../src/core/setting-values';
import {
  type Given,
  requireAuthUrl,
  resolveAuthUrl,
  resolveClient,
  resolveEnvironment,
  resolveFetchSettings,
  resolveProfile,
  resolveRegion,
} from '../src/core/settings';
import type { ConfigValues } from '../src/world';

interface Places {
  readonly flags?: Given['flags'];
  readonly env?: Given['env'];
  readonly general?: ConfigValues;
  readonly profiles?: Readonly<Record<string, ConfigValues>>;
}
const given = ({ flags = {}, env = {}, general = {}, profiles = {} }: Places): Given => ({
  flags,
  env,
  config: { path: '/c.json', general, profiles },
});

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

describe('the auth URL', () => {
  const eu = { profile: 'acme', environment: 'production', region: 'eu' } as const;
  const sandbox = { ...eu, environment: 'sandbox' } as const;
  const at = (places: Places, client: typeof eu | typeof sandbox = eu) =>
    resolveAuthUrl(given(places), client)?.source.name;
  const url = 'https://id.example.com';

  test('the region’s name wins over the general one, and another region’s is not looked at', () => {
    const env = { GWTOKEN_AUTH_URL_EU: url, GWTOKEN_AUTH_URL: url, GWTOKEN_AUTH_URL_US: 'nonsense' };
    expect(at({ env })).toBe('GWTOKEN_AUTH_URL_EU');
    expect(at({ env: { ...env, GWTOKEN_AUTH_URL_EU: '' } })).toBe('GWTOKEN_AUTH_URL');
    expect(at({ env: { GWTOKEN_AUTH_URL_US: url } })).toBeUndefined();
  });

  test('the profile’s specific, its general, the general’s specific, the general’s general', () => {
    const own: Record<string, string> = { 'auth-url.eu': url, 'auth-url': url };
    const general: Record<string, string> = { ...own };
    const seen: (string | undefined)[] = [];
    for (const [values, key] of [
      [own, 'auth-url.eu'],
      [own, 'auth-url'],
      [general, 'auth-url.eu'],
      [general, 'auth-url'],
    ] as const) {
      seen.push(at({ general, profiles: { acme: own } }));
      delete values[key];
    }
    expect(seen).toEqual([
      'auth-url.eu of profile acme in /c.json',
      'auth-url of profile acme in /c.json',
      'auth-url.eu in /c.json',
      'auth-url in /c.json',
    ]);
    expect(at({ general, profiles: { acme: own } })).toBeUndefined();
  });

  test('with the sandbox, any name with SANDBOX wins over all without; else the region’s address serves both', () => {
    const env: Record<string, string> = {
      GWTOKEN_SANDBOX_AUTH_URL_EU: url,
      GWTOKEN_SANDBOX_AUTH_URL: url,
      GWTOKEN_AUTH_URL_EU: url,
    };
    const general = { 'sandbox.auth-url': url, 'auth-url.eu': url };
    expect(at({ env, general }, sandbox)).toBe('GWTOKEN_SANDBOX_AUTH_URL_EU');
    delete env['GWTOKEN_SANDBOX_AUTH_URL_EU'];
    expect(at({ env, general }, sandbox)).toBe('GWTOKEN_SANDBOX_AUTH_URL');
    delete env['GWTOKEN_SANDBOX_AUTH_URL'];
    expect(at({ env, general, profiles: { acme: { 'auth-url.eu': url } } }, sandbox)).toBe(
      'sandbox.auth-url in /c.json',
    );
    expect(at({ env }, sandbox)).toBe('GWTOKEN_AUTH_URL_EU');
    expect(at({ env: { GWTOKEN_SANDBOX_AUTH_URL: url } })).toBeUndefined();
    expect(at({ env, flags: { 'auth-url': url } }, sandbox)).toBe('--auth-url');
  });

  test('{region} is replaced everywhere, and what was written is kept', () => {
    const found = resolveAuthUrl(
      given({ env: { GWTOKEN_AUTH_URL: 'https://{region}.id.example.com/{region}/' } }),
      eu,
    );
    expect(found).toMatchObject({
      value: 'https://eu.id.example.com/eu',
      template: 'https://{region}.id.example.com/{region}/',
    });
  });

  test('without one the error names every way, and variables that are empty', () => {
    expect(() => requireAuthUrl(given({ env: { GWTOKEN_AUTH_URL_EU: '' } }), eu)).toThrow(
      'no auth URL given for region eu (GWTOKEN_AUTH_URL_EU is set but empty)',
    );
  });

  test.for([
    ['HTTPS://ID.Example.COM/', 'https://id.example.com'],
    ['https://id.example.com:443/a//', 'https://id.example.com/a'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['http://127.200.3.4/x', 'http://127.200.3.4/x'],
    ['http://[::1]:1/', 'http://[::1]:1'],
    ['http://localhost', 'http://localhost'],
  ])('%s is %s', ([text, address]) => {
    expect(parseAuthUrl(text!, 'x', 'eu')).toBe(address);
  });

  test.for([
    'http://[::ffff:127.0.0.1]',
    'http://localhost.',
    'http://0.0.0.0',
    'http://128.0.0.1',
    'http://10.0.0.1',
    'http://localhost.example.com',
    'https:id.example.com',
    'https:/id.example.com',
    '//id.example.com',
    'https://',
    'javascript:alert(1)',
    'file:///etc/passwd',
  ])('%s is refused', (text) => {
    expect(() => parseAuthUrl(text, 'x', 'eu')).toThrow(/\(from x\)/);
  });

  test('any URL is taken as it stands or refused: https, or loopback; nothing beside the address; twice is once', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.webUrl({ withQueryParameters: true, withFragments: true }),
          fc.string(),
          fc.string().map((path) => `https://a.example/${path}`),
          fc.ipV4().map((ip) => `http://${ip}`),
        ),
        (text) => {
          let address: string;
          try {
            address = parseAuthUrl(text, 'x', 'us');
          } catch (error) {
            expect(error).toMatchObject({ name: 'GwtokenError', kind: 'usage', hints: [expect.any(String)] });
            return;
          }
          const { protocol, hostname, username, password, search, hash } = new URL(address);
          expect(protocol === 'https:' || isLoopback(hostname)).toBe(true);
          expect([username, password, search, hash]).toEqual(['', '', '', '']);
          expect(address).not.toMatch(/\/$|[\s\\{}]/);
          expect(hostname).toBe(new URL(text.replaceAll('{region}', 'us')).hostname);
          expect(parseAuthUrl(address, 'x', 'us')).toBe(address);
        },
      ),
    );
  });
});

describe('values', () => {
  test('durations: a number with s, m, h or nothing, and nothing else', () => {
    const units = { '': 1000, s: 1000, m: 60_000, h: 3_600_000 };
    fc.assert(
      fc.property(fc.nat(999_999_999), fc.constantFrom('', 's', 'm', 'h'), (amount, unit) => {
        expect(parseDurationMs(`${amount}${unit}`, 'x')).toBe(amount * units[unit as keyof typeof units]);
      }),
    );
    fc.assert(
      fc.property(
        fc.string().filter((text) => !/^\d{1,9}[smh]?$/.test(text)),
        (text) => {
          expect(() => parseDurationMs(text, '--min-ttl')).toThrow(
            /^duration ".*" \(from --min-ttl\) is not valid$/s,
          );
        },
      ),
    );
    for (const bad of ['1.5s', '-1', '1d', '1 s', 'Infinity', '1e3', '', '٣'])
      expect(() => parseDurationMs(bad, 'x')).toThrow();
  });

  test('a time limit is a second to an hour', () => {
    expect([parseTimeLimitMs('1', 'x'), parseTimeLimitMs('1h', 'x')]).toEqual([1000, 3_600_000]);
    for (const bad of ['0', '3601', '61m']) expect(() => parseTimeLimitMs(bad, 'x')).toThrow('time limit');
  });

  test('config set stores numbers and switches as such, and all else as it was written', () => {
    const stored = ([key, text]: readonly [string, string]) => configValue(key, text, 'x');
    const rows = [
      ['sandbox', 'true'],
      ['sandbox', '0'],
      ['retries', '03'],
      ['cache', 'true'],
      ['timeout', '5m'],
      ['auth-url', 'https://{region}.x/'],
      ['region', 'us'],
      ['profile', 'a.b'],
    ] as const;
    expect(rows.map(stored)).toEqual([true, false, 3, 'on', '5m', 'https://{region}.x/', 'us', 'a.b']);
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
});
