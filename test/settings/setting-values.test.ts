/** The values of the settings: how each text is read, and refused. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { resolve } from '../../src/settings/resolve';
import { checkConfigValue, SETTINGS } from '../../src/settings/table';
import {
  isLoopback,
  parseAuthUrl,
  parseDurationMs,
  parseRegion,
  parseRetries,
  parseSwitch,
  parseText,
  parseTimeLimitMs,
} from '../../src/settings/values';
import { refusal } from './refusal';
import { sources } from './sources';

describe('the text of an auth URL', () => {
  test.for([
    ['HTTPS://ID.Example.COM/', 'https://id.example.com'],
    ['https://id.example.com:443/a//', 'https://id.example.com/a'],
    ['http://127.200.3.4:8080/x', 'http://127.200.3.4:8080/x'],
    ['http://127.0.22.133', 'http://127.0.22.133'],
    ['http://[::1]:1/', 'http://[::1]:1'],
    ['http://localhost', 'http://localhost'],
    ['https://a.test/b//oauth2/token//', 'https://a.test/b'],
    ['https://a.test/oauth2/token/x', 'https://a.test/oauth2/token/x'],
  ])('%s is %s', ([text, address]) => {
    expect(parseAuthUrl(text!, 'x', 'eu')).toBe(address);
  });

  test.for([
    'http://localhost.',
    'http://128.0.0.1',
    'http://localhost.example.com',
    'http://127.evil.example',
    'http://127.0.0.1.example.com',
    'http://127.0.0.1x',
    'http://x127.0.0.1',
    'http://[::2]',
    'https:id.example.com',
    '//id.example.com',
    'javascript:alert(1)',
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

describe('values are read strictly, and an error names the value, its source and what is allowed', () => {
  const of =
    <T>(parse: (text: string, where: string, what: string) => T, what: string) =>
    (text: string, where: string) =>
      parse(text, where, what);
  const parsers = {
    region: [parseRegion, { eu: 'eu', EU: 'eu', Us: 'us' }, ['', 'ap', 'eu ', 'constructor'], 'eu or us'],
    sandbox: [
      of(parseSwitch, 'sandbox'),
      { '1': true, true: true, '0': false, false: false },
      ['', 'yes', 'TRUE', '01'],
      '1, true, 0 or false',
    ],
    cache: [
      (text: string, where: string) => parseSwitch(text, where, 'cache', 'on', 'off'),
      { on: true, true: true, off: false, false: false },
      ['', '1', 'ON'],
      'on, true, off or false',
    ],
    duration: [
      parseDurationMs,
      { '0': 0, '90': 90_000, '90s': 90_000, '5m': 300_000, '999999999h': 999_999_999 * 3_600_000 },
      ['', '1d', '9999999999', 'x5m', '5mm', '1.5s', '1 s', '٣'],
      '90, 90s, 5m or 1h',
    ],
    timeout: [
      parseTimeLimitMs,
      { '1': 1000, '60m': 3_600_000, '1h': 3_600_000 },
      ['0', '0h', '3601', '2h'],
      '1s to 1h',
    ],
    retries: [parseRetries, { '0': 0, '10': 10, '07': 7 }, ['', '11', '-1', '010', ' 1'], '0 to 10'],
    'ca-file': [of(parseText, 'ca-file'), { ' a ': ' a ', '0': '0' }, ['', 'a\0b'], 'a non-empty value'],
  } as const;

  test.for(Object.entries(parsers))('%s', ([what, [parse, good, bad, allowed]]) => {
    for (const [text, value] of Object.entries(good)) expect(parse(text, 'x')).toBe(value);
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
      const { message } = refusal(() => checkConfigValue(key, text));
      expect(message).toBe(
        `${said} (from the command line)${key === 'auth-url' ? ' is not an https:// URL' : ''}`,
      );
    }
    const env = { GWTOKEN_NO_CACHE: 'on' };
    expect(refusal(() => resolve(SETTINGS.cache, sources({ env })))).toEqual({
      message: 'invalid no-cache "on" (from GWTOKEN_NO_CACHE)',
      hints: ['use 1, true, 0 or false'],
    });
  });
});
