/** The auth URL: which ones are taken, and what is said of the others. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { resolve } from '../../src/settings/resolve';
import { SETTINGS, type SettingSources } from '../../src/settings/table';
import { parseAuthUrl } from '../../src/settings/values';
import { refusal } from './refusal';
import { sources } from './sources';

describe('the auth URL', () => {
  const resolved = (from: SettingSources) =>
    resolve(SETTINGS.authUrl, from, { profile: 'acme', region: 'eu' });

  test('another region’s is not looked at', () => {
    const env = { GWTOKEN_AUTH_URL_US: 'nonsense' };
    expect(resolved(sources({ env, general: { 'auth-url.us': 'nonsense' } }))).toBeUndefined();
  });

  test('{region} is replaced everywhere, and what was written is kept', () => {
    const env = { GWTOKEN_AUTH_URL: 'https://{region}.id.example.com/{region}/' };
    expect(resolved(sources({ env }))).toMatchObject({
      value: 'https://eu.id.example.com/eu',
      text: 'https://{region}.id.example.com/{region}/',
    });
  });
});

describe('an auth URL is refused', () => {
  const EXAMPLE = 'https://identity.example.com';
  const NO_URL = ['is not an https:// URL', `example: ${EXAMPLE}`] as const;
  const BLANK = ['contains a space, backslash or control character', `example: ${EXAMPLE}`] as const;
  const BRACES = ['contains { or }', 'the only placeholder is {region}'] as const;
  const USER = [
    'contains a user name or password',
    'remove it; gwtoken login stores credentials in the keychain',
  ] as const;
  const QUERY = ['contains a query or fragment', `use only the base URL, for example ${EXAMPLE}`] as const;

  test.for<readonly [text: string, shown: string, problem: string, hint: string]>([
    ['https://a.test/b c', 'https://a.test/b c', ...BLANK],
    ['https://a.test\\b', 'https://a.test\\b', ...BLANK],
    ['https://a.test/\u00a0', 'https://a.test/\u00a0', ...BLANK],
    ['ftp://a.test', 'ftp://a.test', ...NO_URL],
    ['x-y.z://a.test', 'x-y.z://a.test', ...NO_URL],
    ['https://{REGION}.test', 'https://{REGION}.test', ...BRACES],
    ['https://a%7b.test', 'https://a%7b.test', ...BRACES],
    ['', '', ...NO_URL],
    ['mailto:a.test', 'mailto:a.test', ...NO_URL],
    ['id.a.test', 'id.a.test', 'is not an https:// URL', 'did you mean: https://id.a.test'],
    ['ID.A.TEST', 'ID.A.TEST', 'is not an https:// URL', 'did you mean: https://ID.A.TEST'],
    [
      'id.a.test:8443/b/c-d',
      'id.a.test:8443/b/c-d',
      'is not an https:// URL',
      'did you mean: https://id.a.test:8443/b/c-d',
    ],
    ['id.a.test:8443x', 'id.a.test:8443x', ...NO_URL],
    ['/id.a.test', '/id.a.test', ...NO_URL],
    ['id.a.test/b?c', 'id.a.test/b?***', ...NO_URL],
    ['https://user@a.test', 'https://***@a.test', ...USER],
    ['user@a.test', '//***@a.test', ...NO_URL],
    ['https://user:/pass@a.test', 'https://***@a.test', ...USER],
    ['https://a.test?b=c', 'https://a.test?***', ...QUERY],
    ['https://a.test/#b', 'https://a.test/#***', ...QUERY],
    ['http://a.test:8080/b/', 'http://a.test:8080/b/', 'is not encrypted', 'use https://a.test:8080/b'],
  ])('as %j', ([text, shown, problem, hint]) => {
    expect(refusal(() => parseAuthUrl(text, '--auth-url', 'us'))).toEqual({
      message: `auth URL ${JSON.stringify(shown)} (from --auth-url) ${problem}`,
      hints: [hint],
    });
  });

  test('without repeating what may be a secret: before an @, and behind a ? or #', () => {
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
