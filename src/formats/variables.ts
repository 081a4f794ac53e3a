/** The variables that contain a token, for `env` and `exec` (contract section 4). */

import { GwtokenError } from '../errors';
import { quoted } from '../text';
import { expiresAtMs, type Token } from '../token/token';
import type { Variable } from './format';

export const DEFAULT_PREFIX = 'GWTOKEN_';

export function isPrefix(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(text);
}

/** @param where the source of the prefix, for the message */
export function checkPrefix(text: string, where: string): string {
  if (isPrefix(text)) return text;
  throw new GwtokenError('usage', `invalid prefix ${quoted(text)} (from ${where})`, {
    hints: ['use letters, digits and underscores, not starting with a digit, for example EU_'],
  });
}

/** Each variable's name without the prefix, and its value; a scope that is empty is not set, as on Windows it cannot be. */
const VARIABLES: Readonly<Record<string, (token: Token) => string | undefined>> = {
  ACCESS_TOKEN: ({ accessToken }) => accessToken,
  TOKEN_TYPE: ({ tokenType }) => tokenType,
  EXPIRES_AT(token) {
    const expiresAt = expiresAtMs(token);
    return expiresAt === undefined ? undefined : String(Math.floor(expiresAt / 1000));
  },
  SCOPE: ({ scope }) => (scope === '' ? undefined : scope),
};

export function tokenVariables(token: Token, prefix: string): Variable[] {
  return Object.entries(VARIABLES).map(([name, read]) => ({ name: prefix + name, value: read(token) }));
}

export function variableNames(prefix: string): string[] {
  return Object.keys(VARIABLES).map((name) => prefix + name);
}
