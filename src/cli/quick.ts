/**
 * The quick path: answers `get` and `env` from the cache, without undici or anything else that costs
 * time at every start. It uses the CLI's own options, settings, cache rules and formats, and returns
 * undefined if the CLI has to answer, for example with an error.
 */
import { ENV_FLAGS, GET_FLAGS } from '../commands/flags';
import { strayVariables } from '../commands/stray-variables';
import { envOptions, envOutput } from '../formats/env-formats';
import { getFormat } from '../formats/get-formats';
import { isStdout } from '../formats/output';
import { gather, unknownKeys } from '../settings/resolve';
import type { FlagValues } from '../settings/table';
import { lookInCache } from '../token/cache';
import { queryOf, type TokenAnswer } from '../token/query';
import type { QuickWorld } from '../world';
import { flagsOfPlainLine } from './line';

interface QuickRun extends QuickWorld {
  /** Returns false only if stdout is certainly not a terminal; a sure answer would cost 2 ms. */
  mayBeTerminal(): boolean;
}

/** Returns what the command prints, or undefined if the CLI has to answer. */
export function quick(argv: readonly string[], world: QuickRun): string | undefined {
  // The CLI masks the token.
  if (world.env['GITHUB_ACTIONS']) return undefined;
  try {
    const flagsOfGet = flagsOfPlainLine(argv, 'get', GET_FLAGS);
    if (flagsOfGet) return quickGet(flagsOfGet, world);
    const flagsOfEnv = flagsOfPlainLine(argv, 'env', ENV_FLAGS);
    return flagsOfEnv && quickEnv(flagsOfEnv, world);
  } catch {
    return undefined;
  }
}

function quickGet(flags: FlagValues, world: QuickWorld): string | undefined {
  const format = getFormat(flags);
  const cached = cachedToken(flags, world);
  return cached && format(cached, world.now());
}

/** Returns the statements; undefined for a terminal or a format that appends to a file. */
function quickEnv(flags: FlagValues, world: QuickRun): string | undefined {
  if (world.mayBeTerminal()) return undefined;
  const options = envOptions(flags);
  if (flags.unset || options.format.appendsTo !== undefined) return undefined;
  const cached = cachedToken(flags, world);
  return cached && envOutput(cached.token, options);
}

/** Returns the cached token if it is valid for this query. Throws what the CLI throws again and reports. */
function cachedToken(flags: FlagValues, world: QuickWorld): TokenAnswer | undefined {
  // The CLI writes files, and warns of unknown keys and variables.
  if (!isStdout(flags.output)) return undefined;
  const settings = gather(flags, world);
  if (unknownKeys(settings.config).length > 0 || strayVariables(world).length > 0) return undefined;
  const query = queryOf(settings, world);
  return query.useCache ? lookInCache(query, world) : undefined;
}
