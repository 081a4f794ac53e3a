/**
 * The warm path: `get` and `env` answered from the cache without commander, undici or anything else that costs time at
 * every start. Options, settings, cache rules and formats are the CLI's own; everything else, errors included, it
 * leaves to the CLI by returning undefined.
 */

import { type Flag, QUICK_FLAGS } from '../commands/flags';
import { envOptions, envOutput } from '../formats/env';
import { tokenFormat } from '../formats/get';
import { gather, resolveClient } from '../settings/resolve';
import type { FlagValues } from '../settings/table';
import { lookInCache, readEntry } from '../token/cache';
import { minTtlProblem, resolveQuery, type TokenAnswer } from '../token/query';
import type { WarmWorld } from '../world';

interface Surroundings {
  /** False only when stdout surely is no terminal: to be certain costs 2 ms. */
  mayBeTerminal(): boolean;
}

/** Returns what the command prints, or undefined if the CLI has to answer. */
export function quick(argv: readonly string[], world: WarmWorld & Surroundings): string | undefined {
  const command = argv[0];
  if (command !== 'get' && command !== 'env') return undefined;
  const flags = parseFlags(argv.slice(1), QUICK_FLAGS[command]);
  if (!flags || flags['verbose'] || flags['fresh'] || world.env['GITHUB_ACTIONS']) return undefined;
  return command === 'get' ? quickGet(flags, world) : quickEnv(flags, world);
}

/** On a terminal JSON is indented, which is left to the CLI. */
function quickGet(flags: FlagValues, world: WarmWorld & Surroundings): string | undefined {
  if (flags['format'] === 'json' && world.mayBeTerminal()) return undefined;
  try {
    const write = tokenFormat(flags);
    const cached = cachedToken(flags, world);
    return cached && write(cached, world.now(), () => false);
  } catch {
    return undefined;
  }
}

/** On a terminal there is a hint too, and some formats append to a file: both are left to the CLI. */
function quickEnv(flags: FlagValues, world: WarmWorld & Surroundings): string | undefined {
  if (flags['unset'] || world.mayBeTerminal()) return undefined;
  try {
    const cached = cachedToken(flags, world);
    if (!cached) return undefined;
    const options = envOptions(flags);
    return options.format.appendsTo === undefined ? envOutput(cached.token, options) : undefined;
  } catch {
    return undefined;
  }
}

/** @throws GwtokenError that the CLI will throw again and report */
function cachedToken(flags: FlagValues, world: WarmWorld): TokenAnswer | undefined {
  const given = gather(flags, world);
  const clientSettings = resolveClient(given);
  const entry = readEntry(clientSettings.client, world);
  if (!entry) return undefined;
  const query = resolveQuery(given, clientSettings, world, entry.authUrl);
  if (!query.settings.cache.value) return undefined;
  const cached = lookInCache(query, world, entry);
  return cached && !minTtlProblem(cached.token, query.settings, world.now()) ? cached : undefined;
}

/** The plain spellings `--name value`, `--name=value`, `-n value` and switches; undefined for anything else. */
function parseFlags(argv: readonly string[], known: readonly Flag[]): FlagValues | undefined {
  const values: Record<string, string | boolean> = {};
  for (let index = 0; index < argv.length; ) {
    const taken = takeFlag(argv, index, known, values);
    if (taken === 0) return undefined;
    index += taken;
  }
  return values;
}

/** Reads one flag into `values`; returns how many words it takes, 0 when it is not a plain spelling. */
function takeFlag(
  argv: readonly string[],
  index: number,
  known: readonly Flag[],
  values: Record<string, string | boolean>,
): 0 | 1 | 2 {
  const [, dashes, name = '', , inline] = /^(--?)([a-z-]+)(=(.*))?$/s.exec(argv[index] ?? '') ?? [];
  const negated = name.startsWith('no-') ? name.slice(3) : undefined;
  const flag = known.find((each) =>
    dashes === '-' ? each.short === name : each.name === name || each.name === negated,
  );
  if (!flag) return 0;
  if (flag.value === undefined) {
    const isNegated = negated === flag.name;
    if (inline !== undefined || (isNegated ? !flag.negative : flag.negative === 'only')) return 0;
    values[flag.name] = !isNegated;
    return 1;
  }
  const value = inline ?? argv[index + 1];
  if (negated === flag.name || value === undefined) return 0;
  if (inline !== undefined && dashes === '-') return 0;
  values[flag.name] = value;
  return inline === undefined ? 2 : 1;
}
