/** Files of `NAME=value` lines. A variable without a value has no line: such a file is the whole of what is set. */
import { GwtokenError } from '../errors';
import { cannotCarry, type Format, type Variable } from './format';

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
  if (/^[\w.,:/@%+=-]*$/.test(value)) return value;
  if (!/['\\]/.test(value)) return `'${value}'`;
  if (!/["\\$`]/.test(value)) return `"${value}"`;
  throw cannotCarry(
    name,
    'has quotes or a backslash that readers of .env files take in different ways',
    INSTEAD,
  );
}

/** `docker run --env-file`: nothing is escaped, and a pair of quotes around all of it is taken off, or not, by version. */
export const docker: Format = {
  set: (variables) => lines(variables, dockerValue),
  unset: () => nothingToUnset('docker'),
};

function dockerValue(value: string, name: string): string {
  if (!/^(['"]).*\1$/.test(value)) return value;
  throw cannotCarry(name, 'stands in quotes, which some versions of docker take off', INSTEAD);
}

const INSTEAD = 'hand the variable on by its name: gwtoken exec -- COMMAND';

function lines(variables: readonly Variable[], encode: (value: string, name: string) => string): string {
  return variables
    .flatMap(({ name, value }) => (value === undefined ? [] : [`${name}=${encode(value, name)}\n`]))
    .join('');
}

function nothingToUnset(format: string): never {
  throw new GwtokenError(
    'usage',
    `--format ${format} has nothing to unset: such a file can only set variables`,
    {
      hints: ['remove the file, or the lines from it'],
    },
  );
}
