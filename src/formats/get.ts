/** How `gwtoken get` prints a token. Each output ends with one LF on every platform. */

import { GwtokenError } from '../errors';
import { quoted } from '../text';
import type { TokenAnswer } from '../token/query';
import { expiresAtMs, secondsLeft } from '../token/token';

type Write = (answer: TokenAnswer, nowMs: number) => string;

export const TOKEN_FORMATS: Readonly<Record<string, Write>> = {
  token: ({ token }) => `${token.accessToken}\n`,
  json: (answer, nowMs) => `${JSON.stringify(tokenJson(answer, nowMs))}\n`,
  header: ({ token }) => `Authorization: Bearer ${token.accessToken}\n`,
  // In a double-quoted value of a curl config file backslash and quote are escaped: unescaped, the token is cut short.
  curl: ({ token }) => `header = "Authorization: Bearer ${token.accessToken.replace(/["\\]/g, '\\$&')}"\n`,
};

/** The writer of a format; an unknown one is a `usage` error. */
export function tokenFormat(name: string, where: string): Write {
  const write = Object.hasOwn(TOKEN_FORMATS, name) ? TOKEN_FORMATS[name] : undefined;
  if (write) return write;
  throw new GwtokenError('usage', `unknown format ${quoted(name)} (from ${where})`, {
    hints: [`use one of: ${Object.keys(TOKEN_FORMATS).join(', ')}`],
  });
}

/** `expires_in` is what is left now, `expires_at` RFC 3339 in UTC; both null when the endpoint gave no lifetime. */
function tokenJson({ token, client, authUrl, from }: TokenAnswer, nowMs: number): object {
  const expiresAt = expiresAtMs(token);
  return {
    access_token: token.accessToken,
    token_type: token.tokenType,
    expires_in: secondsLeft(token, nowMs) ?? null,
    expires_at: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
    scope: token.scope,
    region: client.region,
    environment: client.environment,
    profile: client.profile,
    auth_url: authUrl,
    source: from,
  };
}
