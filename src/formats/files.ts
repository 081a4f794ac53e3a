/** Files of `NAME=value` lines, which have only variables with a value, and JSON. */
import { usage } from '../errors';
import { cannotCarry, type Format, type Variable } from './format';
import { jsonText } from './names';

/**
 * `.env`, for dotenv, `node --env-file` and similar parsers, which agree on little: a value that one of them,
 * or a shell that sources the file, would change is refused. So a backslash, which escapes or not depending
 * on quote and library, is refused, and `$` and backtick are allowed in single quotes only.
 */
export const dotenv: Format = {
  set: (variables) => lines(variables, dotenvValue),
  unset: () => nothingToUnset('dotenv'),
};

function dotenvValue(value: string, name: string): string {
  // zsh takes `=ls` for a program's path, at the start and behind a colon.
  if (/^[\w.,:/@%+=-]*$/.test(value) && !/(^|:)=/.test(value)) return value;
  if (!/['\\]/.test(value)) return `'${value}'`;
  if (!/["\\$`]/.test(value)) return `"${value}"`;
  throw cannotCarry(
    name,
    'contains quotes or a backslash, which .env parsers treat differently',
    'use instead: gwtoken exec -- COMMAND',
  );
}

/** `docker run --env-file`: nothing is escaped, and some versions strip quotes around the whole value. */
export const docker: Format = {
  set: (variables) => lines(variables, dockerValue),
  unset: () => nothingToUnset('docker'),
};

function dockerValue(value: string, name: string): string {
  if (!/^(['"]).*\1$/.test(value)) return value;
  throw cannotCarry(
    name,
    'is in quotes, which some Docker versions strip',
    'use instead: gwtoken exec -- docker run -e NAME IMAGE',
  );
}

function lines(variables: readonly Variable[], encode: (value: string, name: string) => string): string {
  return variables
    .flatMap(({ name, value }) => (value === undefined ? [] : [`${name}=${encode(value, name)}\n`]))
    .join('');
}

function nothingToUnset(format: string): never {
  throw usage(
    `--unset does not work with --format ${format}: such a file can only set variables`,
    'delete the file or the lines in it',
  );
}

/** An object of names and values, null for a removed one. A reader fails by itself if nothing is printed. */
export const json: Format = {
  set: (variables) => jsonText(Object.fromEntries(variables.map(({ name, value }) => [name, value ?? null]))),
  unset: (names) => jsonText(Object.fromEntries(names.map((name) => [name, null]))),
};
