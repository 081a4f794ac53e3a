/** The output of `gwtoken env`: on success, with `--unset`, and after a failure. */

import { usage } from '../errors';
import type { FlagValues } from '../settings/table';
import type { Token } from '../token/token';
import type { Env, World } from '../world';
import { DEFAULT_ENV_FORMAT, formatNamed, knownFormat } from './env-formats';
import {
  checkPrefix,
  DEFAULT_PREFIX,
  type Format,
  isPrefix,
  tokenVariableNames,
  tokenVariables,
} from './format';

interface EnvOptions {
  readonly name: string;
  readonly format: Format;
  readonly prefix: string;
}

export function envOptions(flags: FlagValues): EnvOptions {
  const name = String(flags['format'] ?? DEFAULT_ENV_FORMAT);
  const format = formatNamed(name);
  const prefix = checkPrefix(String(flags['prefix'] ?? DEFAULT_PREFIX));
  if (!format.ownNames) return { name, format, prefix };
  if (flags['prefix'] === undefined) return { name, format, prefix: '' };
  throw usage(
    `--prefix does not work with --format ${name}: its output names are fixed`,
    'for two clients, use two steps with different ids',
  );
}

/** Returns the function that writes the output: to stdout, or to the end of the format's existing file. */
export function envDestination(
  { name, format: { appendsTo } }: EnvOptions,
  world: Pick<World, 'env' | 'stdout' | 'appender'>,
): (text: string) => void {
  if (appendsTo === undefined) return (text) => world.stdout.write(text);
  const path = world.env[appendsTo];
  if (path) return world.appender(path, appendsTo);
  throw usage(
    `--format ${name} needs the environment variable ${appendsTo}, which is not set`,
    `GitHub Actions sets it in each step; for a shell, see: gwtoken help shells`,
  );
}

export function envOutput(token: Token, { format, prefix }: EnvOptions): string {
  return format.set(tokenVariables(token, prefix));
}

export function unsetOutput({ format, prefix }: EnvOptions): string {
  return format.unset(tokenVariableNames(prefix));
}

/**
 * Returns the output of a failure; empty for a format whose reader fails anyway if it gets none. The
 * arguments themselves may be wrong, so format and prefix are found in them without parsing them.
 */
export function failureOutput(argv: readonly string[], exitCode: number): string {
  const name = knownFormat(lastValue(argv, '--format') ?? '') ?? DEFAULT_ENV_FORMAT;
  const format = formatNamed(name);
  const prefix = lastValue(argv, '--prefix');
  const names = tokenVariableNames(prefix !== undefined && isPrefix(prefix) ? prefix : DEFAULT_PREFIX);
  return format.failure?.(names, exitCode) ?? '';
}

function lastValue(argv: readonly string[], flag: string): string | undefined {
  const index = argv.findLastIndex((word) => word === flag || word.startsWith(`${flag}=`));
  const word = argv[index];
  return word === flag ? argv[index + 1] : word?.slice(flag.length + 1);
}

/** Returns the line that evaluates the output, without `--format` in the shell of `$SHELL`, if one can. */
export function evaluatingLine(flags: FlagValues, { SHELL = '' }: Env): string | undefined {
  const name = flags['format'] ?? knownFormat(SHELL.split('/').at(-1) ?? '') ?? DEFAULT_ENV_FORMAT;
  return formatNamed(String(name)).hint?.(flags['unset'] === true ? 'gwtoken env --unset' : 'gwtoken env');
}
