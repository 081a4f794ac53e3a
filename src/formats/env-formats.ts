/** The formats of `gwtoken env` by name; its output on success, with `--unset`, and after a failure. */

import { orUndefined, usage } from '../errors';
import type { FlagValues } from '../settings/table';
import type { Token } from '../token/token';
import type { Env, World } from '../world';
import { azure, docker, dotenv, githubEnv, githubOutput, json } from './files';
import {
  checkPrefix,
  DEFAULT_PREFIX,
  type Format,
  formatAmong,
  printVariables,
  tokenVariables,
} from './format';
import { csh, fish, posix, powershell } from './shells';

/** In the order of the help. */
const FORMATS = {
  sh: posix,
  fish,
  csh,
  powershell,
  json,
  dotenv,
  docker,
  'github-env': githubEnv,
  'github-output': githubOutput,
  azure,
};

export const ENV_FORMATS = Object.keys(FORMATS);

/** Always this one: `eval $(gwtoken env)` has to mean one thing, and its shell cannot be known. */
const DEFAULT = 'sh';

/** Shells by the names that people type. */
const SHELLS = { bash: posix, zsh: posix, ksh: posix, dash: posix, tcsh: csh, pwsh: powershell };

/** Returns the format of that name, or shell; an unknown one is a `usage` error. */
export function formatNamed(name: string): Format {
  return formatAmong<Format>({ ...FORMATS, ...SHELLS }, name, ENV_FORMATS);
}

/** What the output looks like. */
export interface EnvOptions {
  readonly format: Format;
  readonly prefix: string;
}

/** Reads the flags of `gwtoken env`. Throws `usage` for what the format cannot do. */
export function envOptions({ format: named, prefix, unset }: FlagValues): EnvOptions {
  const name = String(named ?? DEFAULT);
  const format = formatNamed(name);
  if (unset === true && !format.remove)
    throw usage(
      `--unset does not work with --format ${name}: such a file can only set variables`,
      'delete the file or the lines in it',
    );
  if (prefix === undefined) return { format, prefix: format.prefix ?? DEFAULT_PREFIX };
  return { format, prefix: checkPrefix(String(prefix)) };
}

/** Returns the function that writes the output: to stdout, or to the end of the format's existing file. */
export function envDestination(
  { appendsTo }: Format,
  { env, stdout, appender }: Pick<World, 'env' | 'stdout' | 'appender'>,
): (text: string) => void {
  if (appendsTo === undefined) return (text) => stdout.write(text);
  return appender(env[appendsTo] ?? '', appendsTo);
}

/** Returns what sets the token's variables or, without a token, removes them. */
export function envOutput(token: Token | undefined, { format, prefix }: EnvOptions): string {
  return printVariables(tokenVariables(token, prefix), format);
}

/**
 * Returns the output of a failure; empty for a format whose reader fails anyway if it gets none. The
 * arguments themselves may be wrong, so format and prefix are found in them without parsing them.
 */
export function failureOutput(argv: readonly string[], exitCode: number): string {
  const format = orUndefined(() => formatNamed(lastValue(argv, '--format') ?? DEFAULT)) ?? posix;
  if (!format.fail) return '';
  const prefix = orUndefined(() => checkPrefix(lastValue(argv, '--prefix') ?? '')) ?? DEFAULT_PREFIX;
  return envOutput(undefined, { format, prefix }) + format.fail(exitCode);
}

function lastValue(argv: readonly string[], flag: string): string | undefined {
  return new RegExp(`.*(?:^| )${flag}[= ](\\S+)`, 's').exec(argv.join(' '))?.[1];
}

/** Returns the line that evaluates the command's output in the shell of `$SHELL`, which may not be ours. */
export function evaluatingLine(command: string, { SHELL = '' }: Env): string | undefined {
  const format = orUndefined(() => formatNamed(SHELL.split('/').at(-1) ?? '')) ?? posix;
  return format.hint?.(command);
}
