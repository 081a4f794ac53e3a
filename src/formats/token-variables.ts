/** The variables that `env` and `exec` set from a token. */
import { usage } from '../errors';
import type { FlagValues } from '../settings/table';
import { quoted } from '../text';
import { expiresAtMs, type Token } from '../token/token';

/** One variable of the output. Without a value it is removed: another client's token may have set it. */
export interface Variable {
  readonly name: string;
  readonly value: string | undefined;
  /** True for the access token only. */
  readonly isSecret?: boolean;
}

/** Names of the variables: a prefix for all, or with `variable` the name of the only one, for the token. */
export interface VariableNames {
  readonly prefix: string;
  readonly variable?: string | undefined;
}

/** Returns the variables of a token; without a token, the same variables without values. */
export function tokenVariables(token: Token | undefined, { prefix, variable }: VariableNames): Variable[] {
  const access = { name: variable ?? `${prefix}ACCESS_TOKEN`, value: token?.accessToken, isSecret: true };
  if (variable !== undefined) return [access];
  const expiresAt = token && expiresAtMs(token);
  const values = {
    TOKEN_TYPE: token?.tokenType,
    EXPIRES_AT: expiresAt === undefined ? undefined : String(Math.floor(expiresAt / 1000)),
    // Windows cannot set an empty variable.
    SCOPE: token?.scope || undefined,
  };
  return [access, ...Object.entries(values).map(([name, value]) => ({ name: prefix + name, value }))];
}

/** End of the variable for the path of the token file, which only exec sets. */
export const TOKEN_FILE = 'TOKEN_FILE';

export const DEFAULT_PREFIX = 'GWTOKEN_';

/** Returns the names by `--prefix` or `--variable`. Throws `usage` if no variable can have them. */
export function variableNames(
  { prefix, variable }: Pick<FlagValues, 'prefix' | 'variable'>,
  defaultPrefix = DEFAULT_PREFIX,
): VariableNames {
  if (prefix !== undefined && variable !== undefined)
    throw usage('--prefix and --variable cannot be used together', ['omit one of them']);
  if (prefix !== undefined) assertName(prefix, 'prefix', 'EU_');
  if (variable !== undefined) assertName(variable, 'variable', 'API_TOKEN');
  // gwtoken below `gwtoken exec` would read the token as a setting or a secret.
  if (variable !== undefined && /^GWTOKEN_(?!ACCESS_TOKEN$)/i.test(variable))
    throw usage(`${variable} (from --variable) is a name for gwtoken's own variables`, [
      'use another name, for example API_TOKEN',
    ]);
  return { prefix: prefix ?? defaultPrefix, variable };
}

function assertName(name: string, flag: string, example: string): void {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return;
  throw usage(`invalid ${flag} ${quoted(name)} (from --${flag})`, [
    `use letters, digits and underscores, no digit first: for example ${example}`,
  ]);
}
