import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  checkSecret,
  clientIdProblem,
  secretFromBytes,
  secretProblem,
} from '../../src/credentials/credentials';
import { refusal } from '../settings/refusal';

const unit = fc.integer({ min: 0, max: 0x2ff }).map((code) => String.fromCodePoint(code));
const visible = fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCodePoint(code));
const HINT = 'provide only the secret, on one line of UTF-8';
const isControl = (character: string): boolean =>
  character < ' ' || (character >= '\x7f' && character <= '\x9f');

test('a client ID consists of printable ASCII characters', () => {
  for (let code = 0; code <= 0x2ff; code++) {
    const isAllowed = code >= 0x20 && code <= 0x7e;
    const problem = isAllowed ? undefined : 'contains a character that is not allowed in a client ID';
    expect([code, clientIdProblem(`a${String.fromCodePoint(code)}`)]).toEqual([code, problem]);
  }
  expect(clientIdProblem('')).toBe('is empty');
});

describe('a secret', () => {
  test('is rejected if it contains a control character', () => {
    fc.assert(
      fc.property(fc.string({ unit, minLength: 1, maxLength: 30 }), (secret) => {
        const problem = [...secret].some(isControl)
          ? 'contains a control character (such as a newline)'
          : undefined;
        expect(secretProblem(secret)).toBe(problem);
      }),
    );
  });

  test('does not appear in the error that rejects it', () => {
    expect(refusal(() => checkSecret('s3cret\ts3cret', 'stdin'))).toEqual({
      message: 'the client secret from stdin contains a control character (such as a newline)',
      hints: [HINT],
    });
  });

  test('is the content of its file without a BOM and the last line end', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.oneof(visible, fc.constantFrom('é', 'ß', '🙂', '\u00ad')), minLength: 1 }),
        fc.constantFrom('', '\uFEFF'),
        fc.constantFrom('', '\n', '\r\n'),
        (secret, before, after) => {
          expect(secretFromBytes(Buffer.from(before + secret + after), 'x')).toBe(secret);
        },
      ),
    );
    for (const lines of ['a\n\n', 'a\r', 'a\nb'])
      expect(refusal(() => secretFromBytes(Buffer.from(lines), 'x')).message).toContain('control character');
  });

  test.each([
    ['latin-1', Buffer.from('sécret', 'latin1'), 'is not UTF-8 text'],
    ['nothing', Buffer.from('\n'), 'is empty'],
  ])('is rejected if its file contains %s', (_, bytes, problem) => {
    expect(refusal(() => secretFromBytes(bytes, 'the file'))).toEqual({
      message: `the client secret from the file ${problem}`,
      hints: [HINT],
    });
  });
});
