/** The variables that a token leaves in, for `env` and `exec` (contract section 4). */

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
  throw new GwtokenError('usage', `prefix ${quoted(text)} (from ${where}) is not valid`, {
    hints: ['a prefix has letters, digits and underscores, and does not begin with a digit: EU_'],
  });
}

/** All of them, with a value each or without one: a scope that is empty is not set, as on Windows it cannot be. */
export function tokenVariables(token: Token, prefix: string): Variable[] {
  const expiresAt = expiresAtMs(token);
  return [
    { name: `${prefix}ACCESS_TOKEN`, value: token.accessToken },
    { name: `${prefix}TOKEN_TYPE`, value: token.tokenType },
    {
      name: `${prefix}EXPIRES_AT`,
      value: expiresAt === undefined ? undefined : String(Math.floor(expiresAt / 1000)),
    },
    { name: `${prefix}SCOPE`, value: token.scope === '' ? undefined : token.scope },
  ];
}

export function variableNames(prefix: string): string[] {
  return ['ACCESS_TOKEN', 'TOKEN_TYPE', 'EXPIRES_AT', 'SCOPE'].map((name) => prefix + name);
}
