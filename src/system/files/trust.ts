/**
 * Whose a file or folder is, and who else may write to it (contract, sections 2 and 7): one rule for all that gwtoken
 * reads and keeps. Links aside it is about POSIX alone: on Windows neither owners nor modes are looked at.
 */
import type { Stats } from 'node:fs';
import type { Distrust } from '../../world/files';
import type { Machine } from './paths';

/** Whose it may be. An administrator may well write a user's config, and root could change the user's own anyway. */
export type Owners = 'user' | 'user or root';

/** Why it is not to be trusted; undefined if it is. A link is seen in what `lstat` gives alone. */
export function distrust(stat: Stats, owners: Owners, machine: Machine): Distrust | undefined {
  if (stat.isSymbolicLink()) return { why: 'link', text: 'is a symbolic link' };
  return foreign(stat, owners, machine) ?? open(stat, machine);
}

/** The first half of {@link distrust}, for what is to be written: its mode is the writer's own. */
export function foreign(stat: Stats, owners: Owners, { uid }: Machine): Distrust | undefined {
  if (uid === undefined || stat.uid === uid || (owners === 'user or root' && stat.uid === 0))
    return undefined;
  return { why: 'foreign', text: `belongs to another user (uid ${stat.uid})` };
}

function open({ mode }: Stats, { uid }: Machine): Distrust | undefined {
  if (uid === undefined || (mode & 0o022) === 0) return undefined;
  return { why: 'open', text: `can be written by others (mode ${(mode & 0o777).toString(8)})` };
}
