/** The type of a format of `gwtoken env`, and functions that several formats use. */
import { type GwtokenError, usage } from '../errors';
import { quoted } from '../text';
import type { Variable } from './token-variables';

/** A format of `gwtoken env`, for one kind of reader. Its statements end with LF on every platform. */
export interface Format {
  /** Returns the statement that sets a variable. Throws `usage` if the format cannot carry its value. */
  set(name: string, value: string, isSecret?: boolean): string;
  /** Returns the statement that removes a variable; absent if the reader cannot remove one. */
  remove?(name: string): string;
  /** Joins the statements to the output; absent if the output is their concatenation. */
  join?(statements: readonly string[]): string;
  /** Returns a statement that fails with this exit code; absent if the reader fails without output. */
  fail?(exitCode: number): string;
  /** Returns the line that evaluates the output of a command; absent if no shell evaluates the format. */
  evaluatingLine?(command: string): string;
  /** Name of the variable that holds the path of the output file; absent if the output goes to stdout. */
  readonly appendsTo?: string;
  /** The prefix if the user gives no `--prefix`; absent if it is {@link DEFAULT_PREFIX}. */
  readonly prefix?: string;
}

/** Returns the format's whole output for these variables. */
export function printVariables(variables: readonly Variable[], format: Format): string {
  const statements = variables.map(({ name, value, isSecret }) =>
    value === undefined ? (format.remove?.(name) ?? '') : format.set(name, value, isSecret),
  );
  return format.join?.(statements) ?? statements.join('');
}

/** Makes the error for a value that the format would have to change. */
export function cannotCarry(name: string, problem: string): GwtokenError {
  return usage(`cannot pass ${name} unchanged: its value ${problem}`);
}

/** Throws `usage` for a value that Windows would truncate or drop, because it is too long. */
export function checkForWindows({ name, value = '' }: Variable): void {
  if (value.length > 32_766) throw cannotCarry(name, 'is too long for a Windows environment variable');
}

/** Returns the format with this name in any case. Throws `usage` with the valid names for another name. */
export function formatAmong<T>(formats: Readonly<Record<string, T>>, name: string): T {
  const key = name.toLowerCase();
  const format = Object.hasOwn(formats, key) ? formats[key] : undefined;
  if (format) return format;
  throw usage(`unknown format ${quoted(name)} (from --format)`, [`use: ${Object.keys(formats).join(' ')}`]);
}

/** Returns JSON on one line. It escapes `##`, so that the endpoint's text cannot be a CI system's command. */
export function jsonText(value: object): string {
  return JSON.stringify(value).replaceAll('##', '#\\u0023');
}
