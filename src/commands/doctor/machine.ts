/** Doctor's checks of what surrounds a request: the directories, and the names of variables. */

import { shellWord } from '../../text';
import type { World } from '../../world';
import { strayVariables } from '../stray-variables';
import { type Check, passed, warning } from './check';

/** Checks a directory. What cannot be written costs the cache, or what `login` would store. */
export async function directoryCheck(which: 'config' | 'cache', { probes }: World): Promise<Check> {
  const { path, exists, problem } = await probes.folder(which);
  const name = `${which} directory`;
  const elsewhere = `set GWTOKEN_${which.toUpperCase()}_DIR to a directory of yours`;
  if (path === undefined) return warning(name, 'no home directory', elsewhere);
  const hint = problem?.isOpen ? `run: chmod go-w ${shellWord(path)}` : elsewhere;
  if (problem) return warning(name, `${path} ${problem.text}`, hint);
  return passed(name, exists ? path : `${path} (will be created)`);
}

/** Warns of variables that look like gwtoken's and are none. */
export function variableChecks({ env }: Pick<World, 'env'>): Check[] {
  const stray = strayVariables(env).map(({ name, meant }) => {
    const hints = meant.map((each) => `did you mean: ${each}`);
    return warning('variables', `${name}: gwtoken reads no variable of this name`, ...hints);
  });
  return stray.length > 0 ? stray : [passed('variables', 'no misspelled ones')];
}
