/** The output of `gwtoken env`: on success, with `--unset`, and after a failure. */

import { usage } from '../errors';
import type { FlagValues } from '../settings/table';
import type { Token } from '../token/token';
import type { Env, World } from '../world';
import { azure, docker, dotenv, githubEnv, githubOutput, json } from './files';
import { checkPrefix, DEFAULT_PREFIX, type Format, isPrefix, tokenVariables } from './format';
import { type EnvFormat, formatAmong } from './names';
import { csh, fish, posix, powershell } from './shells';

const FORMATS: Readonly<Record<EnvFormat, Format>> = {
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

/** Always the default: `eval $(gwtoken env)` has to mean one thing, and its shell cannot be known. */
const DEFAULT: EnvFormat = 'sh';

/** Shells whose name is not their format's, by the name that people type. */
const SHELLS: Readonly<Record<string, EnvFormat>> = {
  bash: 'sh',
  zsh: 'sh',
  ksh: 'sh',
  dash: 'sh',
  tcsh: 'csh',
  pwsh: 'powershell',
};

/** Returns the name in the table for a name that was given; undefined if there is none. */
function knownFormat(name = ''): EnvFormat | undefined {
  if (Object.hasOwn(SHELLS, name)) return SHELLS[name];
  return Object.hasOwn(FORMATS, name) ? (name as EnvFormat) : undefined;
}

/** Returns the format of that name; an unknown one is a `usage` error. */
export function formatNamed(name: string): Format {
  return formatAmong(FORMATS, knownFormat(name) ?? name);
}

interface EnvOptions {
  readonly name: string;
  readonly format: Format;
  readonly prefix: string;
}

export function envOptions(flags: FlagValues): EnvOptions {
  const name = String(flags['format'] ?? DEFAULT);
  const format = formatNamed(name);
  const prefix = checkPrefix(String(flags['prefix'] ?? DEFAULT_PREFIX));
  if (flags['unset'] === true && format.onlySets)
    throw usage(
      `--unset does not work with --format ${name}: such a file can only set variables`,
      'delete the file or the lines in it',
    );
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

/** Returns what sets the token's variables or, without a token, removes them. */
export function envOutput(token: Token | undefined, { format, prefix }: EnvOptions): string {
  return format.print(tokenVariables(token, prefix));
}

/**
 * Returns the output of a failure; empty for a format whose reader fails anyway if it gets none. The
 * arguments themselves may be wrong, so format and prefix are found in them without parsing them.
 */
export function failureOutput(argv: readonly string[], exitCode: number): string {
  const { print, fail } = FORMATS[knownFormat(lastValue(argv, '--format')) ?? DEFAULT];
  if (!fail) return '';
  const prefix = lastValue(argv, '--prefix') ?? '';
  return print(tokenVariables(undefined, isPrefix(prefix) ? prefix : DEFAULT_PREFIX)) + fail(exitCode);
}

function lastValue(argv: readonly string[], flag: string): string | undefined {
  const index = argv.findLastIndex((word) => word === flag || word.startsWith(`${flag}=`));
  const word = argv[index];
  return word === flag ? argv[index + 1] : word?.slice(flag.length + 1);
}

/** Returns the line that evaluates the output, without `--format` in the shell of `$SHELL`, if one can. */
export function evaluatingLine(
  flags: FlagValues,
  { SHELL = '' }: Env,
  command = flags['unset'] === true ? 'gwtoken env --unset' : 'gwtoken env',
): string | undefined {
  const name = flags['format'] ?? knownFormat(SHELL.split('/').at(-1)) ?? DEFAULT;
  return formatNamed(String(name)).hint?.(command);
}
