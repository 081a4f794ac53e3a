/**
 * The warm path: `get` answered from the cache without commander, undici or anything else that costs time at every
 * start. Options, settings, cache rules and formats are the CLI's own; whatever is not its case, errors included, it
 * leaves to the CLI by giving no answer.
 */

import { minTtlProblem, resolveAsk } from './core/ask';
import { lookUp, storedEntry } from './core/look-up';
import { gather, resolveClient } from './core/settings';
import { tokenFormat } from './core/token-output';
import { COMMAND_FLAGS, type Flag, type FlagValues } from './options';
import type { WarmWorld } from './world';

/** What `gwtoken get` prints, or undefined when the CLI has to answer. */
export function quick(argv: readonly string[], world: WarmWorld): string | undefined {
  const flags = argv[0] === 'get' ? parseFlags(argv.slice(1), COMMAND_FLAGS.get) : undefined;
  if (!flags || flags['verbose'] || flags['fresh'] || world.env['GITHUB_ACTIONS']) return undefined;
  try {
    const write = tokenFormat(String(flags['format'] ?? 'token'), '--format');
    const given = gather(flags, world);
    const clientSettings = resolveClient(given);
    const stored = storedEntry(clientSettings.client, world);
    if (!stored) return undefined;
    const ask = resolveAsk(given, clientSettings, world, stored.authUrl);
    if (!ask.settings.cache.value) return undefined;
    const cached = lookUp(ask, world, stored);
    if (!cached || minTtlProblem(cached.token, ask.settings, world.now())) return undefined;
    return write(cached, world.now());
  } catch {
    return undefined;
  }
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

/** Reads one flag into `values`; gives how many words it takes, 0 when it is not a plain spelling. */
function takeFlag(
  argv: readonly string[],
  index: number,
  known: readonly Flag[],
  values: Record<string, string | boolean>,
): 0 | 1 | 2 {
  const [, dashes, name = '', , inline] = /^(--?)([a-z-]+)(=(.*))?$/s.exec(argv[index] ?? '') ?? [];
  const negated = dashes === '--' && name.startsWith('no-') ? name.slice(3) : undefined;
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
  if (negated === flag.name || value === undefined || value.startsWith('-')) return 0;
  if (inline !== undefined && dashes === '-') return 0;
  values[flag.name] = value;
  return inline === undefined ? 2 : 1;
}
