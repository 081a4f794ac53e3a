/** The type of a format of `gwtoken env`, and the variables that all formats write. */
import { type GwtokenError, usage } from '../errors';
import { quoted } from '../text';
import { expiresAtMs, type Token } from '../token/token';

/** One variable of the output; without a value it is removed, so that no other client's is left. */
export interface Variable {
  readonly name: string;
  readonly value: string | undefined;
}

/** A format of `gwtoken env`, for one kind of reader. */
export interface Format {
  /**
   * Returns all of the output for these variables, each line ended by LF on every platform.
   *
   * @throws GwtokenError `usage` for a value that it cannot carry exactly
   */
  print(variables: readonly Variable[]): string;
  /** Returns a statement that fails with this exit code; absent if the reader fails without output. */
  fail?(exitCode: number): string;
  /** Returns the line that evaluates this command's output; absent if there is nothing to evaluate. */
  hint?(command: string): string;
  /** The variable with the path of the file to append to; absent if the output goes to stdout. */
  readonly appendsTo?: string;
  /** The format makes its own names, without a prefix. */
  readonly ownNames?: true;
  /** The reader knows no way to remove a variable. */
  readonly onlySets?: true;
}

/** Returns the `print` of a format with one statement for each variable, which sets or removes it. */
export function statements(
  set: (name: string, value: string) => string,
  remove: (name: string) => string,
): Format['print'] {
  return (variables) =>
    variables.map(({ name, value }) => (value === undefined ? remove(name) : set(name, value))).join('');
}

/** Returns the error of a format that refuses a value instead of changing it. */
export function cannotCarry(name: string, problem: string, ...hints: string[]): GwtokenError {
  return usage(`cannot pass ${name} unchanged: its value ${problem}`, ...hints);
}

/** The longest variable that Windows passes, in characters; a longer one arrives cut, or not at all. */
const WINDOWS_LIMIT = 32_766;

export function checkForWindows({ name, value = '' }: Variable): void {
  if (value.length > WINDOWS_LIMIT) throw cannotCarry(name, 'is too long for a Windows environment variable');
}

export const DEFAULT_PREFIX = 'GWTOKEN_';

export function isPrefix(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(text);
}

export function checkPrefix(text: string): string {
  if (isPrefix(text)) return text;
  throw usage(
    `invalid prefix ${quoted(text)} (from --prefix)`,
    'use letters, digits and underscores, not starting with a digit, for example EU_',
  );
}

/** Returns the variables of a token; without a token, as they are to be removed. */
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
