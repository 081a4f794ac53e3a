/**
 * Who owns a file or directory, and who else can write to it (contract, sections 2 and 7): one rule for everything that
 * gwtoken reads and stores. Except for links it concerns only POSIX: on Windows neither owners nor modes are checked.
 */
import type { Stats } from 'node:fs';
import type { Distrust } from '../../world';
import type { Machine } from './paths';

/** Who may own it. An administrator may write a user's config file, and root could change the user's own anyway. */
export type Owners = 'user' | 'user or root';

/**
 * Why it is not trusted; undefined if it is. The wrong owner is reported rather than write access for others.
 *
 * @param stat from `lstat`, if links are to be found
 */
export function distrust(stat: Stats, owners: Owners, { uid }: Machine): Distrust | undefined {
  if (stat.isSymbolicLink()) return { why: 'link', text: 'is a symbolic link' };
  if (uid === undefined) return undefined;
  if (stat.uid !== uid && (owners === 'user' || stat.uid !== 0))
    return { why: 'foreign', text: `belongs to another user (uid ${stat.uid})` };
  if ((stat.mode & 0o022) !== 0)
    return { why: 'open', text: `is writable by other users (mode ${(stat.mode & 0o777).toString(8)})` };
  return undefined;
}
