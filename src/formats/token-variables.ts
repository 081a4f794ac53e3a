/** The variables that `env` and `exec` set from a token. */
import { usage } from '../errors';
import { quoted } from '../text';
import { expiresAtMs, type Token } from '../token/token';

/** One variable of the output. Without a value it is removed: another client's token may have set it. */
export interface Variable {
  readonly name: string;
  readonly value: string | undefined;
}

/** Returns the variables of a token; without a token, the same variables without values. */
export function tokenVariables(token: Token | undefined, prefix: string): Variable[] {
  const expiresAt = token && expiresAtMs(token);
  const values = {
    ACCESS_TOKEN: token?.accessToken,
    TOKEN_TYPE: token?.tokenType,
    EXPIRES_AT: expiresAt === undefined ? undefined : String(Math.floor(expiresAt / 1000)),
    // Windows cannot set an empty variable.
    SCOPE: token?.scope || undefined,
  };
  return Object.entries(values).map(([name, value]) => ({ name: prefix + name, value }));
}

export const DEFAULT_PREFIX = 'GWTOKEN_';

/** Returns the flag's prefix, or the default one. Throws `usage` if no variable name can start with it. */
export function prefixOf(flag: string | undefined, defaultPrefix = DEFAULT_PREFIX): string {
  if (flag === undefined) return defaultPrefix;
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(flag)) return flag;
  throw usage(`invalid prefix ${quoted(flag)} (from --prefix)`, {
    reason: 'bad-value',
    allowed: 'letters, digits and underscores, not starting with a digit, for example EU_',
  });
}
