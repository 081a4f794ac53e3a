/**
 * Whose a file or folder is, and who else may write to it (contract, sections 2 and 7): one rule for all that gwtoken
 * reads and keeps. Links aside it is about POSIX alone: on Windows neither owners nor modes are looked at.
 */
import type { Stats } from 'node:fs';
import type { Distrust } from '../../world/files';
import type { Machine } from './paths';

/** Whose it may be. An administrator may well write a user's config, and root could change the user's own anyway. */
export type Owners = 'user' | 'user or root';

/**
 * Why it is not to be trusted; undefined if it is. That it is another user's comes before that others can write to it.
 *
 * @param stat shows a link if it is what `lstat` gave
 */
export function distrust(stat: Stats, owners: Owners, { uid }: Machine): Distrust | undefined {
  if (stat.isSymbolicLink()) return { why: 'link', text: 'is a symbolic link' };
  if (uid === undefined) return undefined;
  if (stat.uid !== uid && (owners === 'user' || stat.uid !== 0))
    return { why: 'foreign', text: `belongs to another user (uid ${stat.uid})` };
  if ((stat.mode & 0o022) !== 0)
    return { why: 'open', text: `can be written by others (mode ${(stat.mode & 0o777).toString(8)})` };
  return undefined;
}
