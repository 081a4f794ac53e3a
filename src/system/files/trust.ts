/**
 * The owner of a file or directory, and who else can write to it: one rule for all that gwtoken reads and
 * stores. On Windows neither owners nor modes are checked.
 */
import {
  accessSync,
  constants,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  rmdirSync,
  type Stats,
  statSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { quietly } from '../../errors';
import type { Distrust, FolderFacts } from '../../world';
import type { Host } from './paths';
import { readRegular } from './read-file';

/** `user` for the cache; `user or root` for the config file, which an administrator may write. */
type Owners = 'user' | 'user or root';

/**
 * Returns why it is not trusted; undefined if it is. The user's own private group, which may write under a
 * umask of 002, is not others, and all may write to a socket. A stat from `lstat` tells of links too.
 */
export function distrust(stat: Stats, owners: Owners, host: Host): Distrust | undefined {
  if (stat.isSymbolicLink()) return { why: 'link', text: 'is a symbolic link' };
  const { uid } = host;
  const foreign = distrustOwner(stat, owners, host);
  if (foreign) return foreign;
  if (uid === undefined || (stat.mode & 0o022) === 0 || stat.isSocket()) return undefined;
  if ((stat.mode & 0o002) === 0 && stat.gid === uid && hasPrivateGroup(uid, host)) return undefined;
  return { why: 'open', text: `is writable by other users (mode ${(stat.mode & 0o777).toString(8)})` };
}

/**
 * Tells if the user's group has their name and nobody else in it, by the files alone: getent would be a
 * process at each start. So an account of a directory service counts as open to others.
 */
function hasPrivateGroup(uid: number, { etc = '/etc' }: Host): boolean {
  const rows = (file: string): string[][] =>
    String(readRegular(`${etc}/${file}`, ACCOUNTS_LIMIT).bytes)
      .split('\n')
      .map((line) => line.split(':'));
  const isPrivate = quietly(() => {
    const users = rows('passwd').map(([name, , id, gid]) => ({ name, id: Number(id), gid: Number(gid) }));
    const groups = rows('group').map(([name, , gid, members]) => ({ name, gid: Number(gid), members }));
    const user = users.find(({ id }) => id === uid)?.name;
    const [group, ...more] = groups.filter(({ gid }) => gid === uid);
    const isOthers = users.some(({ id, gid }) => gid === uid && id !== uid);
    if (user === undefined || group?.name !== user || more.length > 0 || isOthers) return false;
    return !group.members || group.members === user;
  });
  return isPrivate === true;
}

const ACCOUNTS_LIMIT = 16 * 1024 * 1024;

function distrustOwner({ uid }: Stats, owners: Owners, host: Host): Distrust | undefined {
  if (host.uid === undefined || uid === host.uid || (uid === 0 && owners === 'user or root'))
    return undefined;
  return { why: 'foreign', text: `belongs to another user (uid ${uid})` };
}

/**
 * Returns what is not trusted on the way to a file: the file, a directory above it, or a link. As OpenSSH's
 * StrictModes, each has to belong to the user or root, and nobody else may be able to put another in its
 * place. So a sticky directory may be open to all. A read-only mount may not: elsewhere its directory may be
 * writable.
 *
 * @param opened the file that was opened by this path before; another or none is not trusted then
 */
export function checkPathTrust(path: string, host: Host, opened?: Stats): Distrust | undefined {
  if (host.uid === undefined) return undefined;
  const ahead = (path.startsWith('/') ? path : `${resolve('.')}/${path}`).split('/');
  const changed: Distrust = { why: 'changed', text: 'was replaced while it was read' };
  for (let at = '/', links = 0; ; ) {
    const stat = lstatSync(at, { throwIfNoEntry: false });
    // The kernel gives up after 40 links. A missing one is created by those who can write to its directory.
    if (stat === undefined || links > 40) return opened && changed;
    const isLink = stat.isSymbolicLink();
    const problem = (isLink ? distrustOwner : distrust)(stat, 'user or root', host);
    const isSticky = stat.isDirectory() && (stat.mode & 0o1000) !== 0;
    if (problem && !(problem.why === 'open' && isSticky))
      return at === path
        ? problem
        : { why: problem.why, text: `is reached through ${at}, which ${problem.text}`, path: at };
    if (isLink) {
      links += 1;
      const target = readlinkSync(at);
      ahead.unshift(...target.split('/'));
      at = target.startsWith('/') ? '/' : dirname(at);
    }
    const next = ahead.shift();
    const isOther = opened && (opened.dev !== stat.dev || opened.ino !== stat.ino);
    if (next === undefined) return isOther ? changed : undefined;
    at = join(at, next);
  }
}

/**
 * Creates a directory and its missing parents, mode 0700, even beside others who do. Only below what is the
 * user's or root's: `sudo gwtoken` leaves nothing in a HOME that its user cannot change.
 *
 * @throws the system's error; ENOENT for the home directory, which is not gwtoken's to create; EUNTRUSTED
 */
export function makeFolder(path: string, host: Host): void {
  checkNearestAncestor(path, host);
  mkdirSync(path, { recursive: true, mode: 0o700 });
}

/**
 * Returns the path itself if it exists, or the nearest directory above it that does.
 *
 * @throws as {@link makeFolder}, if it is not the user's or root's
 */
function checkNearestAncestor(path: string, host: Host): string {
  const fail = (code: string, problem: string): Error =>
    Object.assign(new Error(`${path} ${problem}`), { code });
  const home = host.env?.['HOME'];
  let at = path;
  let stat = lstatSync(at, { throwIfNoEntry: false });
  while (stat === undefined) {
    const isTop = at === dirname(at);
    if (isTop || (home && resolve(at) === resolve(home))) throw fail('ENOENT', 'does not exist');
    at = dirname(at);
    stat = lstatSync(at, { throwIfNoEntry: false });
  }
  for (const each of stat.isSymbolicLink() ? [stat, statSync(at)] : [stat]) {
    const foreign = distrustOwner(each, 'user or root', host);
    if (foreign) throw fail('EUNTRUSTED', foreign.text);
  }
  return at;
}

/**
 * Describes a directory for doctor.
 *
 * @param which decides who may own it, and if it may be a link (the cache may not)
 */
export function probeFolder(which: 'config' | 'cache', path: string | undefined, host: Host): FolderFacts {
  if (path === undefined) return { path, exists: false, writable: false, untrusted: undefined };
  const isCache = which === 'cache';
  const stat = quietly(() => (isCache ? lstatSync : statSync)(path));
  return {
    path,
    exists: stat !== undefined,
    writable: quietly(() => isWritable(path, host)) === true,
    untrusted: stat && (isCache ? distrust(stat, 'user', host) : checkPathTrust(path, host)),
  };
}

/** Tells if files can be created in a directory or, if it does not exist, if it can be created itself. */
function isWritable(path: string, host: Host): boolean {
  const place = checkNearestAncestor(path, host);
  checkWritable(place, host);
  return statSync(place).isDirectory();
}

/** Checks that something can be created in the directory. @throws the system's error */
export function checkWritable(folder: string, { platform }: Host): void {
  accessSync(folder, constants.W_OK | constants.X_OK);
  // On Windows that checks only the read-only flag; the access lists take effect when something is created.
  if (platform === 'win32') rmdirSync(mkdtempSync(join(folder, 'gwtoken-')));
}
