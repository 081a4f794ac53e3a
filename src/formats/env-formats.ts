/** The formats of `gwtoken env` by name, and its output on success, with `--unset`, and after a failure. */
import { orUndefined, usage } from '../errors';
import type { FlagValues } from '../settings/table';
import type { Token } from '../token/token';
import type { Env, World } from '../world';
import { azure, docker, dotenv, githubEnv, githubOutput, json } from './files';
import { type Format, formatAmong, printVariables } from './format';
import { outputTo } from './output';
import { fish, posix, powershell } from './shells';
import { DEFAULT_PREFIX, tokenVariables, type VariableNames, variableNames } from './token-variables';

/** The formats in the order of the help. */
const FORMATS = {
  sh: posix,
  fish,
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
const ALIASES: ReadonlyMap<string, string> = new Map([
  ...['bash', 'zsh', 'ksh', 'dash'].map((shell) => [shell, 'sh'] as const),
  ['pwsh', 'powershell'],
]);

/**
 * Returns the format with this name; throws `usage` for an unknown name. The default is always sh, because
 * gwtoken cannot know which shell runs `eval $(gwtoken env)`.
 */
export function envFormat(name = 'sh'): Format {
  return formatAmong<Format>(FORMATS, ALIASES.get(name.toLowerCase()) ?? name);
}

interface EnvOptions {
  readonly format: Format;
  readonly names: VariableNames;
}

/** Reads the flags of `gwtoken env`. Throws `usage` if the format does not support them. */
export function envOptions(flags: FlagValues): EnvOptions {
  const { format: name, output, unset } = flags;
  const format = envFormat(name);
  if (unset && !format.remove)
    throw usage(`--unset does not work with --format ${name}: such a file can only set variables`, [
      'delete the file or the lines in it',
    ]);
  if (output !== undefined && format.appendsTo !== undefined)
    throw usage(`--output and --format ${name} cannot be used together`, ['omit one of them']);
  return { format, names: variableNames(flags, format.prefix) };
}

/**
 * Returns the function that writes the output: to stdout, to the FILE of `--output`, or to the end of the
 * format's existing file.
 */
export function envDestination({ appendsTo }: Format, world: World, output?: string): (text: string) => void {
  if (appendsTo !== undefined) return world.appender(world.env[appendsTo] ?? '', appendsTo);
  return outputTo(output, ENV_FORMAT_NAMES, world);
}

/** Returns statements that set the token's variables or, without a token, remove them. */
export function envOutput(token: Token | undefined, { format, names }: EnvOptions): string {
  return printVariables(tokenVariables(token, names), format);
}

/**
 * Returns the output after a failure; empty for a format whose reader fails without output. The flags may be
 * the cause of the failure, so an invalid format counts as sh, and an invalid prefix as the default one.
 */
export function failureOutput(flags: FlagValues, exitCode: number): string {
  const format = orUndefined(() => envFormat(flags.format)) ?? posix;
  if (!format.fail) return '';
  const names = orUndefined(() => variableNames(flags)) ?? { prefix: DEFAULT_PREFIX };
  return envOutput(undefined, { format, names }) + format.fail(exitCode);
}

/** Returns the line that evaluates the command's output in the user's login shell, which `$SHELL` names. */
export function evaluatingLine(command: string, { SHELL = '' }: Env): string | undefined {
  const name = SHELL.split('/').at(-1);
  const format = orUndefined(() => envFormat(name)) ?? posix;
  return format.evaluatingLine?.(format === posix ? command : `${command} --format ${name}`);
}
