/** How `gwtoken get` prints a token. Each output ends with one LF on every platform. */

import { usage } from '../errors';
import type { FlagValues } from '../settings/table';
import { quoted } from '../text';
import type { TokenAnswer } from '../token/query';
import { expiresAtMs, freshUntilMs, secondsLeft, type Token } from '../token/token';
import { jsonText } from './format';

/** @param isTTY whether a person reads it: then JSON is indented */
type Write = (answer: TokenAnswer, nowMs: number, isTTY: () => boolean) => string;

/** In the order of the help; the first one is the default. */
const FORMATS = {
  token: ({ token }) => `${token.accessToken}\n`,
  json: (answer, nowMs, isTTY) => jsonText(tokenJson(answer, nowMs), isTTY() ? 2 : 0),
  header: ({ token }) => `Authorization: ${bearer(token)}\n`,
  headers: ({ token }) => jsonText({ Authorization: bearer(token) }),
  // In a double-quoted value of a curl config file backslash and quote are escaped: unescaped, the token is cut short.
  curl: ({ token }) => `header = "Authorization: ${bearer(token).replace(/["\\]/g, '\\$&')}"\n`,
  'credential-helper': ({ token, minTtlMs }) => {
    const until = freshUntilMs(token, minTtlMs);
    const expires = until === undefined ? undefined : new Date(until).toISOString();
    return jsonText({ headers: { Authorization: [bearer(token)] }, expires });
  },
} satisfies Readonly<Record<string, Write>>;

function bearer({ accessToken }: Token): string {
  return `Bearer ${accessToken}`;
}

export const GET_FORMATS: readonly string[] = Object.keys(FORMATS);

export function tokenFormat(flags: FlagValues): Write {
  return formatAmong<Write>(FORMATS, String(flags['format'] ?? 'token'));
}

/** Returns the format of that name; an unknown one is a `usage` error. */
export function formatAmong<T>(formats: Readonly<Record<string, T>>, name: string): T {
  const format = Object.hasOwn(formats, name) ? formats[name] : undefined;
  if (format) return format;
  throw usage(
    `unknown format ${quoted(name)} (from --format)`,
    `use one of: ${Object.keys(formats).join(', ')}`,
  );
}

/** `expires_in` is what is left now, `expires_at` RFC 3339 in UTC; both are null if the endpoint returned no lifetime. */
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
