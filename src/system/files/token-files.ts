/**
 * The files of `exec --token-file`: 0600, in a directory of ours, replaced whole. The name identifies the owner, so
 * that the next gwtoken run removes what a killed owner left behind.
 */
import { createHash, randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { GwtokenError, messageOf, systemCode } from '../../errors';
import type { TokenFile } from '../../world';
import { procStat } from '../processes/proc-stat';
import { makeFolder } from './folders';
import type { Machine } from './paths';
import { replaceFile } from './replace';
import { folderProblem } from './token-cache';
import { distrust } from './trust';

/** This process, and how it finds out whether another one is alive. */
type Own = Pick<NodeJS.Process, 'pid' | 'kill'>;

const NAME = /^token-([0-9a-f]{8})-(\d+)-(\d+)-[0-9a-f]{16}(\.\w+\.tmp)?$/;

/** An owner that we cannot see (in another container) touches its file every 30 s, but may be suspended for a night. */
const UNSEEN_OWNER_MS = 24 * 3600 * 1000;

/**
 * Creates the file in `wanted`, or in a new directory of its own if the cache's directory above it is not trusted. The
 * path is absolute: the command may change its working directory.
 *
 * @throws GwtokenError `local`
 */
export function createTokenFile(wanted: string, own: Own, machine: Machine, text: string): TokenFile {
  const folder = folderFor(resolve(wanted), machine);
  const start = startTime(own.pid);
  const name = `token-${place(machine)}-${own.pid}-${start}-${randomBytes(8).toString('hex')}`;
  const path = join(folder, name);
  const replace = (content: string): void => {
    for (let triesLeft = FOLDER_TRIES; ; triesLeft--) {
      try {
        makeFolder(folder, machine);
        checkFolder(folder, machine);
        replaceFile(path, content, machine);
        return;
      } catch (error) {
        // Another exec removed the empty directory as it ended.
        if (systemCode(error) !== 'ENOENT' || triesLeft === 0) throw error;
      }
    }
  };
  try {
    replace(text);
  } catch (error) {
    const code = systemCode(error);
    const why = code === undefined ? `: ${messageOf(error)}` : ` (${code})`;
    throw new GwtokenError('local', `cannot create a token file in ${folder}${why}`, {
      hints: ['set GWTOKEN_CACHE_DIR to a directory you own'],
      cause: error,
    });
  }
  return {
    path,
    replace,
    touch: () => quietly(() => fs.utimesSync(path, new Date(), new Date())),
    remove() {
      quietly(() => fs.rmSync(path, { force: true }));
      // Only if it is empty: then the next start has nothing to check.
      quietly(() => fs.rmdirSync(folder));
    },
  };
}

/** How often the directory may vanish between its creation and the file's. */
const FOLDER_TRIES = 100;

function folderFor(wanted: string, machine: Machine): string {
  let isTrusted = true;
  quietly(() => {
    isTrusted = folderProblem(dirname(wanted), machine) === undefined;
  });
  if (isTrusted) return wanted;
  try {
    return fs.mkdtempSync(join(tmpdir(), 'gwtoken-exec-'));
  } catch (error) {
    throw new GwtokenError('local', `cannot create a directory for the token file in ${tmpdir()}`, {
      hints: ['set GWTOKEN_CACHE_DIR to a directory you own'],
      cause: error,
    });
  }
}

/** Removes the files whose owners are gone. Nothing here throws: they do not concern this run. */
export function sweepTokenFiles(folder: string, own: Own, machine: Machine): void {
  quietly(() => {
    checkFolder(folder, machine);
    for (const name of fs.readdirSync(folder)) {
      if (isLeftOver(join(folder, name), name, own, machine)) quietly(() => fs.rmSync(join(folder, name)));
    }
    fs.rmdirSync(folder);
  });
}

/** A directory or link in the temporary directory is filled or used right after its creation. */
const STALE_MS = 60_000;

/**
 * Removes from the temporary directory what killed runs left there: the directories of token files, and the
 * links to sockets with long paths. Nothing here throws.
 */
export function sweepTemporaryFolder(own: Own, machine: Machine): void {
  quietly(() => {
    for (const name of fs.readdirSync(tmpdir())) {
      if (/^gwtoken-(exec-\w{6}|[0-9a-f]{16})$/.test(name))
        quietly(() => sweepTemporary(join(tmpdir(), name), own, machine));
    }
  });
}

function sweepTemporary(path: string, own: Own, machine: Machine): void {
  const stat = fs.lstatSync(path);
  if (machine.uid !== undefined && stat.uid !== machine.uid) return;
  const isStale = Date.now() - stat.mtimeMs > STALE_MS;
  if (stat.isSymbolicLink()) {
    if (isStale) fs.unlinkSync(path);
  } else if (isStale || fs.readdirSync(path).length > 0) sweepTokenFiles(path, own, machine);
}

function isLeftOver(path: string, name: string, own: Own, machine: Machine): boolean {
  const [, where, pid, start] = NAME.exec(name) ?? [];
  if (where === undefined) return false;
  if (where !== place(machine)) {
    const { mtimeMs = Date.now() } = fs.lstatSync(path, { throwIfNoEntry: false }) ?? {};
    return Date.now() - mtimeMs > UNSEEN_OWNER_MS;
  }
  return !isAlive(Number(pid), own) || startTime(Number(pid)) !== start;
}

function isAlive(pid: number, own: Own): boolean {
  try {
    return own.kill(pid, 0);
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
}

/**
 * The scope in which process IDs are unique: this boot of this machine and, on Linux, this PID namespace. Machines
 * share home directories, and containers and sandboxes often share the host name too: each has its own process 7, and
 * must not mistake another's file for one that was left behind.
 */
function place({ platform }: Machine): string {
  const parts = [hostname()];
  if (platform === 'linux') {
    quietly(() => parts.push(fs.readFileSync('/proc/sys/kernel/random/boot_id', 'latin1')));
    quietly(() => parts.push(fs.readlinkSync('/proc/self/ns/pid')));
  }
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 8);
}

/** When a process was started, since its ID may have been reused by now; `0` if unknown. */
function startTime(pid: number): string {
  return procStat(pid)?.startTime ?? '0';
}

/** Nobody else may be able to write to the token's directory. */
function checkFolder(folder: string, machine: Machine): void {
  const stat = fs.lstatSync(folder);
  if (!stat.isDirectory()) throw new Error('it is not a directory');
  const untrusted = distrust(stat, 'user', machine);
  if (untrusted) throw new Error(`it ${untrusted.text}`);
}

function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // The next run tries again.
  }
}
