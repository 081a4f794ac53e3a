/** The type of a format of `gwtoken env`, its variables, and the encodings that several formats share. */
import { type GwtokenError, usage } from '../errors';
import { quoted, VSCHAR } from '../text';
import { expiresAtMs, TOKEN_LIMIT, type Token } from '../token/token';

/** One variable of the output; without a value it is removed, so that no other client's is left. */
export interface Variable {
  readonly name: string;
  readonly value: string | undefined;
}

/** A format of `gwtoken env`, for one kind of reader. The values have passed {@link checkVariables}. */
export interface Format {
  /** The variable with the path of the file to append to; absent if the output goes to stdout. */
  readonly appendsTo?: string;
  /** The format makes its own names, without a prefix. */
  readonly ownNames?: true;
  /** All of the output for these variables, each line ended by LF on every platform. */
  set(variables: readonly Variable[]): string;
  /** The output that removes these variables. @throws GwtokenError `usage` if nothing can */
  unset(names: readonly string[]): string;
  /** Removes the variables and fails with this exit code; absent if the reader fails without output. */
  failure?(names: readonly string[], exitCode: number): string;
  /** The line that evaluates this command's output in the format; absent if there is nothing to evaluate. */
  hint?(command: string): string;
}

/** Returns both outputs of a format with one statement for each variable, which sets or removes it. */
export function statements(
  set: (name: string, value: string) => string,
  unset: (name: string) => string,
): Pick<Format, 'set' | 'unset'> {
  return {
    set: (variables) =>
      variables.map(({ name, value }) => (value === undefined ? unset(name) : set(name, value))).join(''),
    unset: (names) => names.map((name) => unset(name)).join(''),
  };
}

/** Refuses values that cannot be part of a token, by an error without the value. */
export function checkVariables(variables: readonly Variable[]): void {
  for (const { name, value = '' } of variables) {
    if (value.length > TOKEN_LIMIT) throw cannotCarry(name, `is longer than ${TOKEN_LIMIT / 1024} KiB`);
    if (!VSCHAR.test(value)) throw cannotCarry(name, 'contains a control or non-ASCII character');
  }
}

/** The longest variable that Windows passes, in characters; a longer one arrives cut, or not at all. */
const WINDOWS_LIMIT = 32_766;

export function checkForWindows({ name, value = '' }: Variable): void {
  if (value.length > WINDOWS_LIMIT) throw cannotCarry(name, 'is too long for a Windows environment variable');
}

/** Returns the error of a format that refuses a value instead of changing it. */
export function cannotCarry(name: string, problem: string, ...hints: string[]): GwtokenError {
  return usage(`cannot pass ${name} unchanged: its value ${problem}`, ...hints);
}

/** Encodes each run of characters by the first rule that takes it; returns the pieces. */
export function encodeRuns(
  value: string,
  rules: readonly (readonly [run: string, encode: (text: string) => string])[],
): string[] {
  const pattern = new RegExp(rules.map(([run]) => `(${run})`).join('|'), 'g');
  return [...value.matchAll(pattern)].map(([text, ...groups]) =>
    rules[groups.findIndex((group) => group !== undefined)]![1](text),
  );
}

/** Returns `\ooo` for each character; all are ASCII. */
export function octal(text: string): string {
  return text.replace(/./g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`);
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

/** Each variable's name without the prefix, and its value. Windows cannot set an empty scope. */
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

export function tokenVariableNames(prefix: string): string[] {
  return Object.keys(VARIABLES).map((name) => prefix + name);
}
