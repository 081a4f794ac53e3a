/** An endpoint's text is shown only without the secret, in whatever form an echo of the request has it. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { showable } from '../../src/token/endpoint-text';

/** Long enough not to be in a text by chance, and with what some encoding changes in it. */
const secret = fc
  .tuple(
    fc.string({ unit: 'binary-ascii', minLength: 6, maxLength: 20 }),
    fc.constantFrom('/', '+', ' ', 'é', '🙂', '"', '&', '=', '%', '\\', '~', "'"),
  )
  .map(([text, special]) => `se${special}cret${text.replace(/\p{Cc}/gu, '')}`)
  // Blanks do not count.
  .filter((text) => text.replace(/\s/g, '').length >= 12);
const around = fc.string({ maxLength: 30 });

const percent = (text: string): string => encodeURIComponent(text);
const form = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1);
const FORMS: Readonly<Record<string, (secret: string) => string>> = {
  'as it is': (text) => text,
  'form-encoded': form,
  'percent-encoded': percent,
  'percent-encoded in either case': (text) => percent(text).replace(/%.[A-F]/, (byte) => byte.toLowerCase()),
  'escaped as JSON': (text) => JSON.stringify(text).slice(1, -1),
  'in upper case': (text) => text.toUpperCase(),
  'in hexadecimal': (text) => Buffer.from(text).toString('hex'),
  'escaped as HTML': (text) =>
    text.replace(/[&<>"]/g, (found) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[found]!),
  'escaped as HTML by numbers': (text) => text.replace(/\W/gu, (found) => `&#${found.codePointAt(0)};`),
  'escaped as HTML by hexadecimal numbers': (text) =>
    text.replace(/\W/gu, (found) => `&#x${found.codePointAt(0)!.toString(16)};`),
  'escaped as \\u': (text) =>
    text.replace(/\W/g, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`),
  'escaped as \\x and \\u{}': (text) =>
    text.replace(/\W/gu, (found) => {
      const code = found.codePointAt(0)!.toString(16);
      return code.length === 2 ? `\\x${code}` : `\\u{${code}}`;
    }),
  'percent-encoded twice': (text) => percent(percent(text)),
  'decomposed (NFD)': (text) => text.normalize('NFD'),
  'in a header, read as Latin-1': (text) => Buffer.from(text).toString('latin1'),
  'in base64url': (text) => Buffer.from(text).toString('base64url'),
  'in the base64 of an Authorization header': (text) => Buffer.from(`id:${text}`).toString('base64'),
  'in the middle of a base64': (text) => Buffer.from(`${'c'}${text}, and more`).toString('base64'),
  'in base64': (text) => Buffer.from(text).toString('base64'),
  'in the base64 of the whole form': (text) =>
    Buffer.from(`client_id=id&client_secret=${form(text)}&grant_type=client_credentials`).toString('base64'),
  'in the base64 of an Authorization header by RFC 6749, section 2.3.1': (text) =>
    Buffer.from(`${form('my id')}:${form(text)}`).toString('base64'),
  'in a wrapped base64': (text) => wrapped(Buffer.from(`id:${text}`).toString('base64'), '\r\n'),
  'in a base64 with escaped line ends': (text) => wrapped(Buffer.from(text).toString('base64'), '\\n'),
  'with a line end in it': (text) => `${text.slice(0, 5)}\r\n${text.slice(5)}`,
  'in hexadecimal with colons': (text) => bytesOf(text).join(':'),
  'in hexadecimal as in a program': (text) =>
    bytesOf(text)
      .map((byte) => `0x${byte}`)
      .join(', '),
  'but for its last character': (text) => text.slice(0, -1),
  'but for its first two characters': (text) => text.slice(2),
};
const wrapped = (text: string, end: string): string => text.replace(/.{16}/g, `$&${end}`);
const bytesOf = (text: string): string[] =>
  [...Buffer.from(text)].map((byte) => byte.toString(16).padStart(2, '0'));

describe('a text with the secret in it is withheld', () => {
  test.each(Object.entries(FORMS))('%s', (_, encode) => {
    fc.assert(
      fc.property(secret, around, around, (own, before, after) => {
        expect(showable(`${before}${encode(own)}${after}`, own)).toBeUndefined();
      }),
    );
  });

  test('with what cleaning takes out in the middle of it, or in it from the start', () => {
    for (const mark of ['\n', '\0', '\u001b', '\u200b', '\u202e', '\u2028']) {
      // The blank that stands for what was taken out completes it.
      expect(showable(`you sent two${mark}words`, 'two words')).toBeUndefined();
      expect(showable(`you sent two${mark}words`, `two${mark}words`)).toBeUndefined();
    }
  });

  test('half a pair of surrogates in it was sent as U+FFFD', () => {
    expect(showable('you sent se%EF%BF%BDcret', 'se\ud800cret')).toBeUndefined();
  });
});

describe('any other text is shown', () => {
  test('on one line, without what writes over a terminal, and of 200 characters at most', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        const shown = showable(text, 'the secret');
        if (shown === undefined) return;
        expect(shown).not.toMatch(/[\p{C}\u2028\u2029]/u);
        expect([...shown].length).toBeLessThanOrEqual(201);
      }),
    );
    expect(showable('  a\r\n\u001b[31mb\u0007 ', 's3cret')).toBe('a [31mb');
    const letters = '🙂'.repeat(200);
    expect(showable(letters, 's3cret')).toBe(letters);
    expect(showable(`${letters}x`, 's3cret')).toBe(`${letters}…`);
  });

  test.each([
    ['##vso[task.setvariable variable=a]b', '# #vso[task.setvariable variable=a]b'],
    ['see ##[stop-commands]x', 'see # #[stop-commands]x'],
    ['###[group]', '## #[group]'],
    ['#\u200b#[error]', '# #[error]'],
    ['::add-mask::b', ': :add-mask::b'],
    ['\u0007 ::Add-Mask::b', ': :Add-Mask::b'],
    ['a ::set-env name=b::c', 'a : :set-env name=b::c'],
    ['## 12 [a] of ::1 at 12::30', '## 12 [a] of ::1 at 12::30'],
  ])('without a command for a CI system: %j', (text, shown) => {
    expect(showable(text, 's3cret')).toBe(shown);
  });

  test.each([undefined, null, 1, {}, ['a'], '', ' \n\u200b '])('unless it is no text: %j', (text) => {
    expect(showable(text, 's3cret')).toBeUndefined();
  });
});
