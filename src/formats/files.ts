/** Files: of `NAME=value` lines, which list only variables that have a value, and JSON. */
import { usage } from '../errors';
import { cannotCarry, type Format, jsonText, type Variable } from './format';

/**
 * `.env`, for dotenv, `node --env-file` and their like, which agree on little: what one of them, or a shell that
 * sources the file, would take for something else is refused. So no backslash, which escapes or not by quote and
 * library, and no `$` or backtick but in single quotes.
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

/** `docker run --env-file`: nothing is escaped, and some versions strip a pair of quotes around the whole value. */
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

/** From name to value, null for what is removed. Nushell fails by itself if there is none: at a failure not even `{}`. */
export const json: Format = { set: object, unset };

export const nu: Format = {
  set: object,
  unset,
  hint: (command) => `${command} | from json | load-env`,
  quote: (word) => JSON.stringify(word),
};

function object(variables: readonly Variable[]): string {
  return jsonText(Object.fromEntries(variables.map(({ name, value }) => [name, value ?? null])));
}

function unset(names: readonly string[]): string {
  return object(names.map((name) => ({ name, value: undefined })));
}
