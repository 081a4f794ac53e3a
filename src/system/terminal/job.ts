import { closeSync, constants, openSync, readFileSync } from 'node:fs';
import { orUndefined } from '../../errors';

/**
 * Returns whether gwtoken is the terminal's foreground job. Without /proc, each job with a terminal counts as
 * one. Windows has no background jobs.
 */
export function isForeground(platform: NodeJS.Platform): boolean {
  if (platform === 'win32') return true;
  if (platform !== 'linux') {
    const terminal = orUndefined(() => openSync('/dev/tty', constants.O_RDWR | constants.O_NOCTTY));
    if (terminal !== undefined) closeSync(terminal);
    return terminal !== undefined;
  }
  // "pid (name) state parent group session terminal foreground …" (proc(5)); the name may contain `)`.
  const stat = orUndefined(() => readFileSync('/proc/self/stat', 'latin1')) ?? '';
  const [, , group, , , foregroundGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return group !== undefined && group === foregroundGroup;
}
