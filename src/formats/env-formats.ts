/** The formats of `gwtoken env` by name, and its output on success, with `--unset`, and after a failure. */

import { orUndefined, usage } from '../errors';
import type { FlagValues } from '../settings/table';
import type { Token } from '../token/token';
import type { Env, World } from '../world';
import { azure, docker, dotenv, githubEnv, githubOutput, json } from './files';
import { type Format, formatAmong, printVariables } from './format';
import { csh, fish, posix, powershell } from './shells';
import { DEFAULT_PREFIX, prefixOf, tokenVariables } from './token-variables';

/** The formats in the order of the help. */
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

export const ENV_FORMAT_NAMES = Object.keys(FORMATS);

/** More names that people type for a shell's format. */
const ALIASES = { bash: posix, zsh: posix, ksh: posix, dash: posix, tcsh: csh, pwsh: powershell };

/**
 * Returns the format with this name; throws `usage` for an unknown name. The default is always sh, because
 * gwtoken cannot know which shell runs `eval $(gwtoken env)`.
 */
export function envFormat(name = 'sh'): Format {
  return formatAmong<Format>({ ...FORMATS, ...ALIASES }, name, ENV_FORMAT_NAMES);
}

/** Format of the output, and prefix of its variables. */
interface EnvOptions {
  readonly format: Format;
  readonly prefix: string;
}

/** Reads the flags of `gwtoken env`. Throws `usage` if the format does not support them. */
export function envOptions({ format: name, prefix, unset }: FlagValues): EnvOptions {
  const format = envFormat(name);
  if (unset && !format.remove)
    throw usage(`--unset does not work with --format ${name}: such a file can only set variables`, {
      reason: 'no-unset-format',
    });
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

/** Returns statements that set the token's variables or, without a token, remove them. */
export function envOutput(token: Token | undefined, { format, prefix }: EnvOptions): string {
  return printVariables(tokenVariables(token, prefix), format);
}

/**
 * Returns the output after a failure; empty for a format whose reader fails without output. The flags may be
 * the cause of the failure, so an invalid format counts as sh, and an invalid prefix as the default one.
 */
export function failureOutput(
  formatName: string | undefined,
  givenPrefix: string | undefined,
  exitCode: number,
): string {
  const format = orUndefined(() => envFormat(formatName)) ?? posix;
  if (!format.fail) return '';
  const prefix = orUndefined(() => prefixOf(givenPrefix)) ?? DEFAULT_PREFIX;
  return envOutput(undefined, { format, prefix }) + format.fail(exitCode);
}

/** Returns the line that evaluates the command's output in the user's login shell, which `$SHELL` names. */
export function evaluatingLine(command: string, { SHELL = '' }: Env): string | undefined {
  const name = SHELL.split('/').at(-1);
  const format = orUndefined(() => envFormat(name)) ?? posix;
  return format.evaluatingLine?.(format === posix ? command : `${command} --format ${name}`);
}
