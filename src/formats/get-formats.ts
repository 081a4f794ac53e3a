/** The formats of `gwtoken get`. Each output ends with one LF on every platform. */
import { usage } from '../errors';
import type { FlagValues } from '../settings/table';
import { utcTime } from '../text';
import type { TokenAnswer } from '../token/query';
import { expiresAtMs, type Token } from '../token/token';
import { formatAmong, jsonText } from './format';

type GetFormat = (answer: TokenAnswer, nowMs: number) => string;

/** The formats in the order of the help; the first one is the default. */
const FORMATS: Readonly<Record<string, GetFormat>> = {
  token: ({ token }) => `${token.accessToken}\n`,
  json: (answer, nowMs) => `${jsonText(tokenJson(answer, nowMs))}\n`,
  header: ({ token }) => `Authorization: ${bearer(token)}\n`,
  headers: ({ token }) => `${jsonText({ Authorization: bearer(token) })}\n`,
  // In a double-quoted value of a curl config file an unescaped quote would end the token.
  curl: ({ token }) => `header = "Authorization: ${bearer(token).replace(/["\\]/g, '\\$&')}"\n`,
  'credential-helper'({ token }) {
    const expiresAt = expiresAtMs(token);
    const expires = expiresAt && utcTime(expiresAt);
    return `${jsonText({ headers: { Authorization: [bearer(token)] }, expires })}\n`;
  },
};

/** Returns the credentials of an Authorization header. @see RFC 6750 section 2.1 */
function bearer({ accessToken }: Token): string {
  return `Bearer ${accessToken}`;
}

export const GET_FORMAT_NAMES: readonly string[] = Object.keys(FORMATS);

/** Returns the format that the flags name; throws `usage` for an unknown name. */
export function getFormat({ format, json }: FlagValues): GetFormat {
  if (format !== undefined && json)
    throw usage('--json and --format cannot be used together', ['omit one of them']);
  return formatAmong(FORMATS, format ?? (json ? 'json' : 'token'));
}

/**
 * Returns the token's facts. `expires_in` counts the seconds from now, and `expires_at` is a UTC time as in
 * RFC 3339. Both are null if the endpoint returned no lifetime.
 */
function tokenJson({ token, clientId, authUrl, query, from }: TokenAnswer, nowMs: number): object {
  const { region, environment, profile } = query.key.client;
  const expiresAt = expiresAtMs(token);
  return {
    access_token: token.accessToken,
    token_type: token.tokenType,
    expires_in: expiresAt === undefined ? null : Math.max(0, Math.floor((expiresAt - nowMs) / 1000)),
    expires_at: expiresAt === undefined ? null : utcTime(expiresAt),
    scope: token.scope,
    region,
    environment,
    profile,
    client_id: clientId,
    auth_url: authUrl,
    source: from,
  };
}
