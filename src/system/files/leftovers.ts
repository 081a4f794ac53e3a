/** Whether something is there to sweep: all that a start without leftovers pays for them. */
import { existsSync } from 'node:fs';

export function hasLeftovers(folder: string | undefined): folder is string {
  return folder !== undefined && existsSync(folder);
}
