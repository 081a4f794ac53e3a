/** What `gwtoken env` prints: on success, with `--unset`, and when anything went wrong. */
import type { FlagValues } from '../options';
import type { Format } from './formats/format';
import { findFormat, formatNamed } from './formats/table';
import type { Token } from './token';
import { checkPrefix, DEFAULT_PREFIX, isPrefix, tokenVariables, variableNames } from './token-variables';

/** `sh`, always: `eval $(gwtoken env)` has to mean one thing, and which shell reads it cannot be known. */
const DEFAULT_FORMAT = 'sh';

export interface EnvOptions {
  readonly format: Format;
  readonly prefix: string;
}

/** @throws GwtokenError `usage` for a format that does not exist or a prefix that makes no variable's name */
export function envOptions(flags: FlagValues): EnvOptions {
  return {
    format: formatNamed(String(flags['format'] ?? DEFAULT_FORMAT), '--format'),
    prefix: checkPrefix(String(flags['prefix'] ?? DEFAULT_PREFIX), '--prefix'),
  };
}

/** @throws GwtokenError `usage` for a value that the format cannot carry exactly */
export function envOutput(token: Token, { format, prefix }: EnvOptions): string {
  return format.set(tokenVariables(token, prefix));
}

export function unsetOutput({ format, prefix }: EnvOptions): string {
  return format.unset(variableNames(prefix));
}

/**
 * What a failure prints on stdout, so that whoever evaluates it fails with this exit code and keeps no token of an
 * earlier call; empty for a format that fails by itself. The arguments may be the failure, so format and prefix are
 * taken from what can be recognised in them.
 */
export function failureOutput(argv: readonly string[], exitCode: number): string {
  const format = findFormat(lastValue(argv, '--format') ?? '') ?? formatNamed(DEFAULT_FORMAT, 'default');
  const prefix = lastValue(argv, '--prefix');
  const names = variableNames(prefix !== undefined && isPrefix(prefix) ? prefix : DEFAULT_PREFIX);
  return format.failure?.(names, exitCode) ?? '';
}

function lastValue(argv: readonly string[], flag: string): string | undefined {
  const values = argv.flatMap((word, index) =>
    word.startsWith(`${flag}=`)
      ? [word.slice(flag.length + 1)]
      : word === flag
        ? argv.slice(index + 1, index + 2)
        : [],
  );
  return values.at(-1);
}
