import { expect } from 'vitest';
import { filesBelow } from './files';
import type { Ended } from './in-process';

/** A secret that is long enough to be found, with characters that forms, JSON, shells and URLs escape. */
export const SECRET = 'Zk9+Canary-Secret/"Q7&=%\\$!';
export const TOKEN = 'Canary-Token.a~b+c/d==';
const IN_A_FORM = new URLSearchParams({ '': SECRET }).toString().slice(1);
/** Patterns of the secret in each encoding. Only base64 hides its words; gateways encode whole forms in it. */
export const SECRET_FORMS = [/canary-secret/i, ...base64Forms(SECRET), ...base64Forms(IN_A_FORM)];
const TOKEN_FORMS = [/canary-token/i, ...base64Forms(TOKEN)];

/** Matches the middle of a text's base64 at each of the three offsets within a longer text. */
function base64Forms(text: string): RegExp[] {
  return [0, 1, 2].map((offset) => {
    const encoded = Buffer.from(' '.repeat(offset) + text).toString('base64');
    return new RegExp(encoded.slice(4, 16).replace(/[+/]/g, '[+/_-]'));
  });
}

/**
 * Fails if a stream or a new file below a home contains the secret or the token, or if stderr has no error. Only the
 * cache may contain the token.
 */
export function expectSilence(
  home: string,
  result: Ended,
  before: ReadonlyMap<string, Buffer> = new Map(),
): void {
  const places = new Map([
    ['stdout', result.stdout],
    ['stderr', result.stderr],
  ]);
  for (const [path, content] of filesBelow(home))
    if (!before.get(path)?.equals(content)) places.set(path, content.toString('latin1'));
  const leaks = [...places].flatMap(([place, text]) => {
    const forms = place.startsWith('cache/') ? SECRET_FORMS : [...SECRET_FORMS, ...TOKEN_FORMS];
    return forms.filter((form) => form.test(text)).map((form) => `${form} in ${place}: ${text}`);
  });
  expect(leaks).toEqual([]);
  expect(result.stderr).toMatch(/^gwtoken: error: /m);
}
