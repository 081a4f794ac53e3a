/** The terminal that controls gwtoken, wherever its streams lead. */
import { closeSync, constants, openSync } from 'node:fs';
import { quietly } from '../../errors';
import { procStat } from '../processes/identity';

/** Tells if the terminal's signals reach this process. Without /proc, having a terminal counts as yes. */
export function isForeground(platform: NodeJS.Platform): boolean {
  if (platform !== 'linux') return hasTerminal();
  const self = procStat('self');
  return self !== undefined && self.group === self.foregroundGroup;
}

/** Tells if there is one. */
function hasTerminal(): boolean {
  const terminal = quietly(() => openSync('/dev/tty', constants.O_RDWR | constants.O_NOCTTY));
  if (terminal !== undefined) closeSync(terminal);
  return terminal !== undefined;
}
