/**
 * The warm path: `get` answered from the cache without commander, undici or anything else that costs time at every
 * start. Options, settings, cache rules and formats are the CLI's own; whatever is not its case, errors included, it
 * leaves to the CLI by giving no answer.
 */

import { minTtlProblem, resolveAsk } from './core/ask';
import { lookUp } from './core/look-up';
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
    const ask = resolveAsk(given, resolveClient(given), world);
    if (!ask.settings.cache.value) return undefined;
    const cached = lookUp(ask, world);
    if (!cached || minTtlProblem(cached.token, ask.settings, world.now())) return undefined;
    return write(cached, world.now());
  } catch {
    return undefined;
  }
}

/** The plain spellings `--name value`, `--name=value`, `-n value` and switches; undefined for anything else. */
function parseFlags(argv: readonly string[], known: readonly Flag[]): FlagValues | undefined {
  const values: Record<string, string | boolean> = {};
  for (let index = 0; index < argv.length; index++) {
    const [, dashes, name = '', , inline] = /^(--?)([a-z-]+)(=(.*))?$/s.exec(argv[index] ?? '') ?? [];
    const negated = dashes === '--' && name.startsWith('no-') ? name.slice(3) : undefined;
    const flag = known.find((each) =>
      dashes === '-' ? each.short === name : each.name === name || each.name === negated,
    );
    if (!flag) return undefined;
    if (negated === flag.name) {
      if (!flag.negative || inline !== undefined) return undefined;
      values[flag.name] = false;
    } else if (!('value' in flag)) {
      if (flag.negative === 'only' || inline !== undefined) return undefined;
      values[flag.name] = true;
    } else {
      const value = inline ?? argv[++index];
      if (value === undefined || value.startsWith('-') || (dashes === '-' && inline !== undefined))
        return undefined;
      values[flag.name] = value;
    }
  }
  return values;
}
