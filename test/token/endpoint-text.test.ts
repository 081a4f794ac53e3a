/** An endpoint's text is shown only if it contains the secret in no encoding. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shownText } from '../../src/token/endpoint-text';

/** Like fast-check's unit `binary`, whose making takes two seconds. */
const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code));

/** A secret that no text contains by chance, with characters that encodings change. */
const secret = fc
  .tuple(
    fc.string({ unit: 'binary-ascii', minLength: 6, maxLength: 20 }),
    fc.constantFrom('/', '+', ' ', 'é', '🙂', '"', '&', '=', '%', '\\', '~', "'", '##['),
  )
  .map(([text, special]) => `se${special}cret${text.replace(/\p{Cc}/gu, '')}`);
const around = fc.string({ maxLength: 30 });

const FORMS: Readonly<Record<string, (secret: string) => string>> = {
  unchanged: (text) => text,
  'in upper case': (text) => text.toUpperCase(),
  'form-encoded': (text) => new URLSearchParams([['', text]]).toString().slice(1),
  'percent-encoded': encodeURIComponent,
  'in base64': (text) => Buffer.from(text).toString('base64'),
  'in base64url': (text) => Buffer.from(text).toString('base64url'),
  'in the base64 of an Authorization header': (text) => Buffer.from(`id:${text}`).toString('base64'),
  'in hexadecimal': (text) => Buffer.from(text).toString('hex'),
};

describe('a text is withheld', () => {
  test.each(Object.entries(FORMS))('if it contains the secret %s', (_, encode) => {
    fc.assert(
      fc.property(secret, around, around, (own, before, after) => {
        expect(shownText(`${before}${encode(own)}${after}`, own)).toBeUndefined();
      }),
    );
  });

  const INNER = Object.entries(FORMS).filter(([, encode]) => encode !== FORMS['in upper case']);
  const pairs = INNER.flatMap(([inner, first]) =>
    INNER.map(([outer, last]) => [inner, outer, first, last] as const),
  );
  test.each(pairs)(
    'if it contains the secret %s, in a text that is then passed on %s',
    (_, __, first, last) => {
      fc.assert(
        fc.property(secret, around, around, (own, before, after) => {
          expect(shownText(`a ${last(`${before}${first(own)}${after}`)}`, own)).toBeUndefined();
        }),
        { numRuns: 10 },
      );
    },
  );

  test('if the secret appears after cleaning, or beyond the shown part', () => {
    expect(shownText('you sent two\nwords', 'two words')).toBeUndefined();
    expect(shownText(`${'x'.repeat(195)}two words`, 'two words')).toBeUndefined();
  });
});

describe('any other text is shown', () => {
  test('on one line of at most 200 characters without control characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 400 }), (text) => {
        const shown = shownText(text, 'the secret');
        if (shown === undefined) return;
        expect(shown).not.toMatch(/[\p{C}\u2028\u2029]/u);
        expect([...shown].length).toBeLessThanOrEqual(201);
      }),
    );
    expect(shownText('  a\r\n\u001b[31mb\u0007 ', 's3cret')).toBe('a [31mb');
    const letters = '🙂'.repeat(200);
    expect(shownText(letters, 's3cret')).toBe(letters);
    expect(shownText(`${letters}x`, 's3cret')).toBe(`${letters}…`);
  });

  test.each([
    ['##vso[task.setvariable variable=a]b', '# #vso[task.setvariable variable=a]b'],
    ['see ##[stop-commands]x', 'see # #[stop-commands]x'],
    ['#\u200b#[error]', '# #[error]'],
    ['::add-mask::b', ': :add-mask::b'],
    ['a ::set-env name=b::c', 'a : :set-env name=b::c'],
    ['## 12 [a] of ::1 at 12::30', '## 12 [a] of ::1 at 12::30'],
  ])('without a command for a CI system: %j', (text, shown) => {
    expect(shownText(text, 's3cret')).toBe(shown);
  });

  test.each([undefined, null, 1, {}, ['a'], '', ' \n\u200b '])(
    'unless it is empty or not a string: %j',
    (text) => {
      expect(shownText(text, 's3cret')).toBeUndefined();
    },
  );
});
