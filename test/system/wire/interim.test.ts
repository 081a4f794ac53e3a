/** Interim replies, however they are cut on their way; the wire's cases meet whole ones. */
import { expect, test } from 'vitest';
import { skippingInterim } from '../../../src/system/wire/one-socket';

const INTERIM = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n';
const FINAL = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';

/** What is left of these chunks; those behind the first that is let through are not looked at. */
function leftOf(chunks: readonly string[]): string | undefined {
  const skipped = skippingInterim();
  for (const [index, chunk] of chunks.entries()) {
    const rest = skipped(Buffer.from(chunk));
    if (rest !== undefined) return [rest, ...chunks.slice(index + 1)].join('');
  }
  return undefined;
}

test('skippingInterim skips replies wherever they are cut, and keeps the final one', () => {
  const text = INTERIM + FINAL;
  for (let at = 0; at <= text.length; at++)
    expect([at, leftOf([text.slice(0, at), text.slice(at)])]).toEqual([at, FINAL]);
  expect(leftOf([...text])).toBe(FINAL);
  expect(leftOf([...INTERIM])).toBeUndefined();
});

test.each(['HTTP/1.1 101 Switching Protocols', 'HTTP/1.1 200 OK', 'HTTP/1.0 100 Continue', 'SSH-2.0'])(
  'skippingInterim passes %s on at once',
  (text) => {
    expect(leftOf([text])).toBe(text);
    expect(leftOf([INTERIM, text])).toBe(text);
  },
);

test('skippingInterim holds back 64 KiB at most', () => {
  const endless = `HTTP/1.1 103 Early Hints\r\nLink: ${'x'.repeat(64 * 1024)}`.slice(0, 64 * 1024);
  expect(leftOf([endless.slice(0, -1)])).toBeUndefined();
  expect(leftOf([endless])).toBe(endless);
});
