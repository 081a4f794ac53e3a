/** The formats of `gwtoken env` by name; its output on success, with `--unset`, and after a failure. */

import { orUndefined, usage } from '../errors';
import type { FlagValues } from '../settings/table';
import type { Token } from '../token/token';
import type { Env, World } from '../world';
import { azure, docker, dotenv, githubEnv, githubOutput, json } from './files';
import { type Format, formatAmong, printVariables } from './format';
import { csh, fish, posix, powershell } from './shells';
import { DEFAULT_PREFIX, prefixOf, tokenVariables } from './token-variables';

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

/** Shells by the names that people type. */
const SHELLS = { bash: posix, zsh: posix, ksh: posix, dash: posix, tcsh: csh, pwsh: powershell };

/**
 * Returns the format of that name, or shell; an unknown one is a `usage` error. The default is always sh:
 * `eval $(gwtoken env)` has to mean one thing, and its shell cannot be known.
 */
export function formatNamed(name = 'sh'): Format {
  return formatAmong<Format>({ ...FORMATS, ...SHELLS }, name, ENV_FORMATS);
}

/** The look of the output. */
export interface EnvOptions {
  readonly format: Format;
  readonly prefix: string;
}

/** Reads the flags of `gwtoken env`. Throws `usage` for what the format cannot do. */
export function envOptions({ format: name, prefix, unset }: FlagValues): EnvOptions {
  const format = formatNamed(name);
  if (unset && !format.remove)
    throw usage(
      `--unset does not work with --format ${name}: such a file can only set variables`,
      'delete the file or the lines in it',
    );
  return { format, prefix: prefixOf(prefix, format.prefix) };
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
  const format = orUndefined(() => formatNamed(lastValue(argv, '--format'))) ?? posix;
  if (!format.fail) return '';
  const prefix = orUndefined(() => prefixOf(lastValue(argv, '--prefix'))) ?? DEFAULT_PREFIX;
  return envOutput(undefined, { format, prefix }) + format.fail(exitCode);
}

function lastValue(argv: readonly string[], flag: string): string | undefined {
  return new RegExp(`.*(?:^|\0)${flag}[=\0]([^\0]+)`, 's').exec(argv.join('\0'))?.[1];
}

/** Returns the line that evaluates the command's output in the shell of `$SHELL`, which may not be ours. */
export function evaluatingLine(command: string, { SHELL = '' }: Env): string | undefined {
  const format = orUndefined(() => formatNamed(SHELL.split('/').at(-1))) ?? posix;
  return format.hint?.(command);
}
