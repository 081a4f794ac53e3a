import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { resolveFetchSettings } from '../../src/settings/resolve';
import { configValue } from '../../src/settings/table';
import {
  isLoopback,
  parseAuthUrl,
  parseDurationMs,
  parseOnOff,
  parseRegion,
  parseRetries,
  parseSwitch,
  parseText,
  parseTimeLimitMs,
} from '../../src/settings/values';
import { given } from './given';
import { refusal } from './refusal';

describe('the text of an auth URL', () => {
  test.for([
    ['HTTPS://ID.Example.COM/', 'https://id.example.com'],
    ['https://id.example.com:443/a//', 'https://id.example.com/a'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['http://127.200.3.4/x', 'http://127.200.3.4/x'],
    ['http://127.0.22.133', 'http://127.0.22.133'],
    ['http://[::1]:1/', 'http://[::1]:1'],
    ['http://localhost', 'http://localhost'],
    ['https://a.test/b/oauth2/token//', 'https://a.test/b'],
    ['https://a.test/oauth2/token/x', 'https://a.test/oauth2/token/x'],
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
    'http://127.evil.example',
    'http://127.0.0.1.example.com',
    'http://127.0.0.1x',
    'http://127.0.0-1',
    'http://x127.0.0.1',
    'http://[::2]',
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
            /^invalid duration ".*" \(from --min-ttl\)$/s,
          );
        },
      ),
    );
  });

  test('config set stores numbers and switches as such, and all else as it was written', () => {
    const stored = ([key, text]: readonly [string, string]) => configValue(key, text);
    const rows = [
      ['sandbox', 'true'],
      ['sandbox', '0'],
      ['retries', '03'],
      ['cache', 'true'],
      ['timeout', '5m'],
      ['auth-url', 'https://{region}.x/oauth2/token/'],
      ['region', 'US'],
      ['profile', 'a.b'],
    ] as const;
    expect(rows.map(stored)).toEqual([true, false, 3, 'on', '5m', 'https://{region}.x', 'us', 'a.b']);
  });
});

describe('values are read strictly, and an error names the value, its source and what is allowed', () => {
  const of =
    <T>(parse: (text: string, where: string, what: string) => T, what: string) =>
    (text: string, where: string) =>
      parse(text, where, what);
  const parsers = {
    region: [parseRegion, ['eu', 'US', 'eU'], ['', 'ap', 'eu ', 'constructor'], 'region', 'eu or us'],
    switch: [
      of(parseSwitch, 'sandbox'),
      ['1', 'true', '0', 'false'],
      ['', 'yes', 'TRUE', '01', '2'],
      'sandbox',
      '1, true, 0 or false',
    ],
    'on and off': [
      of(parseOnOff, 'cache'),
      ['on', 'true', 'off', 'false'],
      ['', '1', '0', 'ON'],
      'cache',
      'on or off',
    ],
    duration: [
      parseDurationMs,
      ['0', '90', '90s', '5m', '1h', '999999999h'],
      ['', '1d', '9999999999', 'x5m', '5mm', '1.5s', '1 s', '1e3', '٣'],
      'duration',
      '90, 90s, 5m or 1h',
    ],
    'time limit': [
      parseTimeLimitMs,
      ['1s', '60m', '1h', '3600'],
      ['0', '0h', '3601', '2h'],
      'timeout',
      '1s to 1h',
    ],
    retries: [
      parseRetries,
      ['0', '9', '10', '07'],
      ['', '11', '-1', '1.0', '010', '1e1', ' 1'],
      'retries',
      '0 to 10',
    ],
    text: [of(parseText, 'ca-file'), ['a', ' ', '0', 'ä'], ['', 'a\0b'], 'ca-file', 'a non-empty value'],
  } as const;

  test.for(Object.entries(parsers))('%s', ([, [parse, good, bad, what, allowed]]) => {
    for (const text of good) expect(() => parse(text, 'x')).not.toThrow();
    for (const text of bad) {
      expect(refusal(() => parse(text, 'the flag'))).toEqual({
        message: `invalid ${what} ${JSON.stringify(text)} (from the flag)`,
        hints: [`use ${allowed}`],
      });
    }
  });

  test('of each setting by its own rule, and of a variable by its own', () => {
    const refused: Readonly<Record<string, readonly [text: string, said: string]>> = {
      region: ['ap', 'invalid region "ap"'],
      sandbox: ['on', 'invalid sandbox "on"'],
      profile: ['Acme', 'invalid profile name "Acme"'],
      'auth-url': ['x', 'auth URL "x"'],
      'min-ttl': ['1d', 'invalid duration "1d"'],
      timeout: ['2h', 'invalid timeout "2h"'],
      retries: ['11', 'invalid retries "11"'],
      cache: ['1', 'invalid cache "1"'],
      'ca-file': ['', 'invalid ca-file ""'],
      'keychain-timeout': ['0', 'invalid timeout "0"'],
      'credential-command': ['', 'invalid credential-command ""'],
    };
    for (const [key, [text, said]] of Object.entries(refused)) {
      const { message } = refusal(() => configValue(key, text));
      expect(message).toBe(`${said} (from the command line)${key === 'auth-url' ? ' is not a URL' : ''}`);
    }
    expect(configValue('min-ttl', '2h')).toBe('2h');
    const env = { GWTOKEN_NO_CACHE: 'on' };
    expect(refusal(() => resolveFetchSettings(given({ env }), 'default'))).toEqual({
      message: 'invalid no-cache "on" (from GWTOKEN_NO_CACHE)',
      hints: ['use 1, true, 0 or false'],
    });
  });

  test('and mean this', () => {
    expect(['eu', 'EU', 'us', 'Us'].map((text) => parseRegion(text, 'x'))).toEqual(['eu', 'eu', 'us', 'us']);
    expect(['1', 'true', '0', 'false'].map((text) => parseSwitch(text, 'x', 'sandbox'))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(['on', 'true', 'off', 'false'].map((text) => parseOnOff(text, 'x', 'cache'))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(['0', '10', '07'].map((text) => parseRetries(text, 'x'))).toEqual([0, 10, 7]);
    expect(['1', '1h'].map((text) => parseTimeLimitMs(text, 'x'))).toEqual([1000, 3_600_000]);
    expect(parseText(' a ', 'x', 'ca-file')).toBe(' a ');
  });
});
