/** The endpoint's own texts, made safe to show. */

const LIMIT = 200;

/**
 * One line of 200 characters at most, without control and format characters; undefined if it contains the secret,
 * as it is or in one of the forms in which an endpoint could send back what it received.
 */
export function showable(text: unknown, secret: string): string | undefined {
  if (typeof text !== 'string') return undefined;
  // \p{C}: controls, bidirectional and zero-width marks, halves of surrogate pairs.
  const clean = text.replace(/[\p{C}\u2028\u2029]+/gu, ' ').trim();
  if (clean === '') return undefined;
  const looked = [text, clean].flatMap((each) => [
    each,
    each.replace(/%[0-9a-f]{2}/gi, (byte) => byte.toUpperCase()),
  ]);
  if (formsOf(secret).some((form) => looked.some((each) => each.includes(form)))) return undefined;
  const characters = [...clean];
  return characters.length > LIMIT ? `${characters.slice(0, LIMIT).join('')}…` : clean;
}

/** As it is, form-encoded (the request's body), percent-encoded with capitals, escaped as JSON, in base64. */
function formsOf(secret: string): string[] {
  const form = new URLSearchParams({ s: secret }).toString().slice(2);
  // A lone half of a surrogate pair cannot be encoded, and was sent as U+FFFD.
  const percent = encodeURIComponent(Buffer.from(secret).toString());
  const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '');
  const escaped = JSON.stringify(secret).slice(1, -1);
  return [secret, form, percent, escaped, base64];
}
