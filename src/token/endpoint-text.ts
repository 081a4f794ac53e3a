/** Texts from the endpoint, made safe to show. */
import { cleaned } from '../text';

/** Returns the text on one line of 200 characters at most; undefined if empty or with the secret in it. */
export function shownText(text: unknown, secret: string): string | undefined {
  if (typeof text !== 'string') return undefined;
  const whole = cleaned(text, Number.POSITIVE_INFINITY);
  if (whole === '' || [...new Set([text, whole])].some((each) => containsSecret(each, secret)))
    return undefined;
  return cleaned(text);
}

/**
 * Returns whether the secret is in the text, which may repeat the request: plain, in another case, percent-
 * or form-encoded, in base64 or hex, or in one of these inside another (gateways pass bodies on in base64).
 */
export function containsSecret(text: string, secret: string): boolean {
  const wanted = secret.toLowerCase();
  const contains = (reading: string): boolean => reading.toLowerCase().includes(wanted);
  // Most decodings are random bytes. An encoded secret is a run of ASCII, at least as long as the secret.
  const run = new RegExp(`[\\x20-\\x7e]{${Math.min(secret.length, 16)}}`);
  return (
    contains(text) ||
    decodings(text).some((inner) => contains(inner) || (run.test(inner) && decodings(inner).some(contains)))
  );
}

function decodings(text: string): string[] {
  const base64 = text.replace(/[^\w+/-]/g, '');
  const hex = text.replace(/[^0-9a-f]/gi, '');
  const decoded = [
    fromPercent(text),
    fromPercent(text.replaceAll('+', ' ')),
    // The encoded secret may start at any digit.
    ...[0, 1, 2, 3].map((start) => String(Buffer.from(base64.slice(start), 'base64'))),
    ...[0, 1].map((start) => String(Buffer.from(hex.slice(start), 'hex'))),
  ];
  return decoded.filter((each) => each !== text);
}

function fromPercent(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) =>
    String(Buffer.from(bytes.replaceAll('%', ''), 'hex')),
  );
}
