import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SETTINGS, type SettingRow } from '../../src/settings/table';
import { isLoopback, parseApiUrl, parseAuthUrl } from '../../src/settings/values';
import { settingsWith } from './places';
import { refusal } from './refusal';

describe('parseAuthUrl', () => {
  test.for([
    ['HTTPS://ID.Example.COM/', 'https://id.example.com'],
    ['https://id.example.com:443/a//', 'https://id.example.com/a'],
    ['http://[::1]:1/', 'http://[::1]:1'],
    ['https://a.test/b//oauth2/token//', 'https://a.test/b'],
    ['https://oauth2/token', 'https://oauth2/token'],
    ['https://oauth2/token/oauth2/token', 'https://oauth2/token'],
    ['https://a.test/oauth2/token/x', 'https://a.test/oauth2/token/x'],
  ])('reads %s as %s', ([text, address]) => {
    expect(parseAuthUrl(text!, 'x', 'eu')).toBe(address);
  });

  test('isLoopback accepts localhost, [::1] and 127.0.0.0/8 only', () => {
    for (const host of ['localhost', '[::1]', '127.200.3.4']) expect(isLoopback(host)).toBe(true);
    const others = ['localhost.', '128.0.0.1', 'localhost.a.test', '127.evil.test', '127.0.0.1.a.test'];
    for (const host of [...others, 'x127.0.0.1', '[::2]']) expect(isLoopback(host)).toBe(false);
  });

  test('rejects a text, or returns a bare https or loopback URL that parses to itself', () => {
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
            expect(error).toMatchObject({
              name: 'GwtokenError',
              kind: 'usage',
              hints: expect.arrayContaining([expect.any(String)]),
            });
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

test('an auth URL replaces each {region}, keeps the text and ignores other regions', () => {
  const text = 'https://{region}.id.example.com/{region}/';
  const env = { GWTOKEN_AUTH_URL_US: 'nonsense', GWTOKEN_AUTH_URL: text };
  const flags = { region: 'eu' };
  expect(settingsWith({ flags, env, general: { 'auth-url.us': 'nonsense' } }).authUrl).toMatchObject({
    value: 'https://eu.id.example.com/eu',
    text,
  });
});

describe('the error for an invalid URL', () => {
  const EXAMPLE = 'https://identity.example.com';
  const NO_URL = ['is not a valid https:// URL', `example: ${EXAMPLE}`] as const;
  const BLANK = ['contains a space, backslash or control character', `example: ${EXAMPLE}`] as const;
  const BRACES = ['contains { or }', 'the only placeholder is {region}'] as const;
  const STORES = 'remove it; gwtoken login stores credentials in the keychain';
  const USER = ['contains a user name or password', STORES] as const;
  const QUERY = ['contains a query or fragment', `use only the base URL, for example ${EXAMPLE}`] as const;

  test.for<readonly [text: string, problem: string, hint: string]>([
    ['https://a.test/b c', ...BLANK],
    ['https://a.test\\b', ...BLANK],
    ['https://a.test/\u00a0', ...BLANK],
    ['ftp://a.test', ...NO_URL],
    ['https://{REGION}.test', ...BRACES],
    ['https://a%7b.test', ...BRACES],
    ['id.a.test/b', ...NO_URL],
    ['https://user@a.test', ...USER],
    ['user@a.test', ...NO_URL],
    ['https://user:/pass@a.test', ...USER],
    ['https://a.test?b=c', ...QUERY],
    ['https://a.test/#b', ...QUERY],
    ['http://a.test:8080/b/', 'is not encrypted', 'use https://a.test:8080/b'],
  ])('names the problem and a hint for the auth URL %j', ([text, problem, hint]) => {
    const shown = /[@?#]/.test(text) ? '' : ` ${JSON.stringify(text)}`;
    const message = `auth URL${shown} (from --auth-url) ${problem}`;
    expect(refusal(() => parseAuthUrl(text, '--auth-url', 'us'))).toEqual({ message, hints: [hint] });
  });

  test('shows an example of a gateway for an API URL', () => {
    const message = 'API URL "gateway" (from the command line) is not a valid https:// URL';
    const hints = ['example: https://gateway.example.com'];
    expect(refusal(() => parseApiUrl('gateway', 'the command line'))).toEqual({ message, hints });
  });

  test('does not repeat text that may be a secret: before an @, or after a ? or #', () => {
    const piece = fc.constantFrom(
      ...['', 'a', '/', ':', '\\', '?', '#', '@', '\n', '.test', '{', 'https://'],
    );
    const text = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(''));
    const start = fc.constantFrom('https://', 'http://', 'u:', '//', '');
    fc.assert(
      fc.property(start, text, text, fc.constantFrom('@', '?', '#'), (start, before, after, mark) => {
        const secret = 's3cret';
        const written =
          mark === '@'
            ? `${start}u:${before}${secret}@${after}h.test`
            : `${start}h.test${before}${mark}${secret}${after}`;
        const { message, hints } = refusal(() => parseAuthUrl(written, 'x', 'eu'));
        expect(`${message} ${hints}`).not.toContain(secret);
      }),
    );
  });
});

const { region, environment, minTtlMs, timeoutMs, keychainTimeoutMs, retries } = SETTINGS;
const { cache, caFile, credentialCommand } = SETTINGS;
const TIMEOUT = {
  valid: { '1': 1000, '60m': 3_600_000 },
  invalid: ['0', '3601', '2h'],
  what: 'timeout',
  allowed: '1s to 1h',
};
const TEXT = { valid: { ' a ': ' a ', '0': '0' }, invalid: ['', 'a\0b'], allowed: 'a non-empty value' };

test.for<{
  parser: Pick<SettingRow<unknown>, 'parse'>;
  valid: Record<string, unknown>;
  invalid: readonly string[];
  what: string;
  allowed: string;
}>([
  {
    parser: region,
    valid: { eu: 'eu', EU: 'eu', Us: 'us' },
    invalid: ['', 'mars', 'eu ', 'constructor'],
    what: 'region',
    allowed: 'eu or us',
  },
  {
    parser: environment,
    valid: { '1': 'sandbox', true: 'sandbox', '0': 'production', false: 'production' },
    invalid: ['', 'yes', 'TRUE', '01'],
    what: 'sandbox',
    allowed: '1, true, 0 or false',
  },
  {
    parser: minTtlMs,
    valid: { '0': 0, '90': 90_000, '90s': 90_000, '5m': 300_000, '999999999h': 999_999_999 * 3_600_000 },
    invalid: ['', '1d', '9999999999', 'x5m', '5mm', '1.5s', '1 s', '٣'],
    what: 'duration',
    allowed: '90, 90s, 5m or 1h',
  },
  { parser: timeoutMs, ...TIMEOUT },
  { parser: keychainTimeoutMs, ...TIMEOUT },
  {
    parser: retries,
    valid: { '0': 0, '10': 10, '07': 7 },
    invalid: ['', '11', '-1', '010', ' 1'],
    what: 'retries',
    allowed: '0 to 10',
  },
  {
    parser: cache,
    valid: { on: true, true: true, off: false, false: false },
    invalid: ['', '1', 'ON'],
    what: 'cache',
    allowed: 'on, true, off or false',
  },
  {
    parser: cache.variable,
    valid: { '1': false, '0': true },
    invalid: ['on'],
    what: 'no-cache',
    allowed: '1, true, 0 or false',
  },
  { parser: caFile, ...TEXT, what: 'ca-file' },
  { parser: credentialCommand, ...TEXT, what: 'credential-command' },
])('the parser of $what is strict, and its error names value, source and choices', (row) => {
  for (const [text, value] of Object.entries(row.valid)) expect(row.parser.parse(text, 'x')).toBe(value);
  for (const text of row.invalid)
    expect(refusal(() => row.parser.parse(text, 'the flag'))).toEqual({
      message: `invalid ${row.what} ${JSON.stringify(text)} (from the flag)`,
      hints: [`use ${row.allowed}`],
    });
});
