import { expect, test } from 'vitest';
import { formatItem, parseItem } from '../../src/credentials/keychain-item';
import { EU } from '../harness/homes/client';

const STORED = { clientId: 'eu-client', clientSecret: 'hush', authUrl: 'https://id.example.com' };
const TEXT = formatItem(STORED);

test.each([
  ['as login writes it', TEXT],
  ['with a trailing newline', `${TEXT}\n`],
  ['with CRLF and a BOM', `\uFEFF${TEXT}\r\n`],
  ['over several lines, with further members', JSON.stringify({ ...JSON.parse(TEXT), note: 'x' }, null, 2)],
  [
    'as cmdkey writes it on Windows: UTF-16, as keytar shows it',
    [...TEXT].map((each) => `${each}\0`).join(''),
  ],
])('parseItem reads an item %s', (_, text) => {
  expect(parseItem(text, EU)).toEqual(STORED);
});

test.each([
  ['{"client_secret": "canary",}', 'is not JSON'],
  ['canary', 'is not JSON'],
  ['{"clientId":"eu-client","secret":"canary"}', 'has no client_id or client_secret'],
  ['["canary"]', 'has no client_id or client_secret'],
  ['null', 'has no client_id or client_secret'],
  ['{"client_id":"a","client_secret":"canary\\n"}', 'has a client_id or client_secret that'],
  ['{"client_id":"a","client_secret":"canary","auth_url":1}', 'has an auth_url that is not a string'],
  // What keytar makes of UTF-16 with a letter beyond ASCII, and of other bytes that are not UTF-8.
  [
    Buffer.from('{"client_id":"a","client_secret":"canary-ü"}', 'utf16le').toString('utf8'),
    'is not UTF-8 text',
  ],
])('parseItem refuses %j without showing it', (text, problem) => {
  const hints = [
    'to replace it, run: gwtoken login --region eu',
    'to remove it, run: gwtoken logout --region eu',
  ];
  const message = expect.stringMatching(
    new RegExp(`^the keychain item gwtoken, default:production:eu ${problem}(?!.*canary)`),
  );
  expect(() => parseItem(text, EU)).toThrow(
    expect.objectContaining({ kind: 'keychain', reason: 'malformed', message, hints }),
  );
});

test('formatItem takes at most 2,560 bytes, on every platform', () => {
  const overhead = Buffer.byteLength(formatItem({ ...STORED, clientSecret: '' }));
  const fits = { ...STORED, clientSecret: 'x'.repeat(2560 - overhead) };
  expect(Buffer.byteLength(formatItem(fits))).toBe(2560);
  expect(() => formatItem({ ...fits, clientSecret: `${fits.clientSecret}x` })).toThrow(
    expect.objectContaining({ kind: 'usage', reason: 'too-large' }),
  );
});
