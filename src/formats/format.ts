/** The type of a format of `gwtoken env`, and what formats share. */
import { type GwtokenError, usage } from '../errors';
import { quoted } from '../text';
import type { Variable } from './token-variables';

/** A format of `gwtoken env`, for one kind of reader. Its statements end with LF on every platform. */
export interface Format {
  /**
   * Returns the statement that sets a variable.
   *
   * @throws GwtokenError `usage` for a value that it cannot carry exactly
   */
  set(name: string, value: string): string;
  /** Returns the statement that removes a variable; absent if the reader knows no way. */
  remove?(name: string): string;
  /** Makes the output of the statements; absent if that is one after the other. */
  join?(statements: readonly string[]): string;
  /** Returns a statement that fails with this exit code; absent if the reader fails without output. */
  fail?(exitCode: number): string;
  /** Returns the line that evaluates this command's output; absent if there is nothing to evaluate. */
  hint?(command: string): string;
  /** The variable with the path of the file to append to; absent if the output goes to stdout. */
  readonly appendsTo?: string;
  /** The prefix without `--prefix`; absent: the usual one. */
  readonly prefix?: string;
}

/** Returns all of the output for these variables. */
export function printVariables(variables: readonly Variable[], format: Format): string {
  const statements = variables.map(({ name, value }) =>
    value === undefined ? (format.remove?.(name) ?? '') : format.set(name, value),
  );
  return format.join?.(statements) ?? statements.join('');
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

/** Returns the format of that name; an unknown one is a `usage` error, with the names to use. */
export function formatAmong<T>(
  formats: Readonly<Record<string, T>>,
  name: string,
  names = Object.keys(formats),
): T {
  const format = Object.hasOwn(formats, name) ? formats[name] : undefined;
  if (format) return format;
  throw usage(`unknown format ${quoted(name)} (from --format)`, `use one of: ${names.join(', ')}`);
}

/** Returns JSON on one line. `##` is escaped: no text of the endpoint is a CI system's command. */
export function jsonText(value: object): string {
  return JSON.stringify(value).replaceAll('##', '#\\u0023');
}
