/** The terminal that controls gwtoken, wherever its streams lead. */
import { closeSync, constants, openSync, readFileSync } from 'node:fs';
import { orUndefined } from '../../errors';

/**
 * Tells if the terminal is this job's: it is not a background job. Without /proc, having a terminal counts as
 * yes; Windows has no jobs.
 */
export function isForeground(platform: NodeJS.Platform): boolean {
  if (platform === 'win32') return true;
  if (platform !== 'linux') return hasTerminal();
  // "pid (name) state parent group session terminal foreground …" (proc(5)): the name may contain anything.
  const stat = orUndefined(() => readFileSync('/proc/self/stat', 'latin1')) ?? '';
  const [, , group, , , foregroundGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return group !== undefined && group === foregroundGroup;
}

/** Tells if there is one. */
function hasTerminal(): boolean {
  const terminal = orUndefined(() => openSync('/dev/tty', constants.O_RDWR | constants.O_NOCTTY));
  if (terminal !== undefined) closeSync(terminal);
  return terminal !== undefined;
}
