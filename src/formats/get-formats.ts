/** The formats of `gwtoken get`. Each output ends with one LF on every platform. */

import type { FlagValues } from '../settings/table';
import type { TokenAnswer } from '../token/query';
import { expiresAtMs, freshUntilMs, secondsLeft, type Token } from '../token/token';
import { formatAmong, jsonText } from './names';

type GetFormat = (answer: TokenAnswer, nowMs: number) => string;

/** The formats in the order of the help; the first one is the default. */
const FORMATS = {
  token: ({ token }) => `${token.accessToken}\n`,
  json: (answer, nowMs) => jsonText(tokenJson(answer, nowMs)),
  header: ({ token }) => `Authorization: ${bearer(token)}\n`,
  headers: ({ token }) => jsonText({ Authorization: bearer(token) }),
  // In a double-quoted value of a curl config file an unescaped quote would end the token.
  curl: ({ token }) => `header = "Authorization: ${bearer(token).replace(/["\\]/g, '\\$&')}"\n`,
  'credential-helper'({ token, query }) {
    const until = freshUntilMs(token, query.minTtl);
    const expires = until === undefined ? undefined : new Date(until).toISOString();
    return jsonText({ headers: { Authorization: [bearer(token)] }, expires });
  },
} satisfies Readonly<Record<string, GetFormat>>;

function bearer({ accessToken }: Token): string {
  return `Bearer ${accessToken}`;
}

export const GET_FORMATS: readonly string[] = Object.keys(FORMATS);

/** Returns the format that the flags name; an unknown one is a `usage` error. */
export function getFormat(flags: FlagValues): GetFormat {
  return formatAmong<GetFormat>(
    FORMATS,
    String(flags['format'] ?? (flags['json'] === true ? 'json' : 'token')),
  );
}

/**
 * Returns the token's facts: `expires_in` is what is left now, `expires_at` is RFC 3339 in UTC, and both are
 * null if the endpoint returned no lifetime.
 */
function tokenJson({ token, clientId, query, from }: TokenAnswer, nowMs: number): object {
  const expiresAt = expiresAtMs(token);
  return {
    access_token: token.accessToken,
    token_type: token.tokenType,
    expires_in: secondsLeft(token, nowMs) ?? null,
    expires_at: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
    scope: token.scope,
    region: query.client.region,
    environment: query.client.environment,
    profile: query.client.profile,
    client_id: clientId,
    auth_url: query.authUrl.value,
    source: from,
  };
}
