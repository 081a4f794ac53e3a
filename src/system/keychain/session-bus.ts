/**
 * The session bus, and whose it is. Its address outlives it, in a tmux or a detached shell: once the session
 * has ended, another user can listen there, and would be given the secret of the next `login`.
 */
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { GwtokenError, orUndefined } from '../../errors';
import type { Env } from '../../world';
import type { Host } from '../files/paths';
import { ownerProblem } from '../files/trust';
import { keychainError } from './errors';

/** An address whose listener has an owner (D-Bus specification, "Server Addresses"). */
const SOCKET = /^unix:(path|abstract)=([^,]+)(?:,guid=\w*)?$/;
/** A listener in /proc/net/unix: Num RefCount Protocol Flags Type St Inode Path. The flag is SO_ACCEPTCON. */
const LISTENER = /^\S+ \S+ \S+ 00010000 \S+ \S+ +(\d+) @(.*)$/gm;

/**
 * Returns the environment with the bus's address. libsecret then looks for no other one by itself.
 *
 * @throws GwtokenError `keychain`, reason `no-session`, without a bus, or if another user may answer there
 */
export function withSessionBus(env: Env, host: Host): Env {
  const { XDG_RUNTIME_DIR: runtime, DBUS_SESSION_BUS_ADDRESS: given } = env;
  const address = given || (runtime && existsSync(`${runtime}/bus`) && `unix:path=${runtime}/bus`);
  if (!address) throw keychainError('no-session', 'linux');
  for (const part of address.split(';')) {
    const [, kind, value = ''] = SOCKET.exec(part) ?? [];
    if (kind === undefined) throw notTrusted(part, 'is neither a unix:path nor a unix:abstract socket');
    const name = orUndefined(() => decodeURIComponent(value)) ?? value;
    const problem = kind === 'path' ? pathProblem(name, host) : abstractProblem(name, host);
    if (problem !== undefined) throw notTrusted(name, problem);
  }
  return { ...env, DBUS_SESSION_BUS_ADDRESS: address };
}

function notTrusted(socket: string, problem: string): GwtokenError {
  return new GwtokenError('keychain', `no keychain here: the session bus at ${socket} ${problem}`, {
    reason: 'no-session',
    hints: ['DBUS_SESSION_BUS_ADDRESS is not of your session: unset it, or log in again'],
  });
}

function pathProblem(path: string, host: Host): string | undefined {
  // The owner of a link decides where it leads, even after this check.
  for (const statOf of [lstatSync, statSync]) {
    const stat = orUndefined(() => statOf(path));
    const problem = stat ? ownerProblem(stat, 'user or root', host) : 'has ended';
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/**
 * Looks for the listener among the user's processes: the kernel does not tell its owner. A setuid program
 * that another user has started, and that holds their socket, runs as root, but not with all four user IDs.
 */
function abstractProblem(name: string, { uid }: Host): string | undefined {
  const sockets = orUndefined(() => readFileSync('/proc/net/unix', 'utf8')) ?? '';
  const listeners = [...sockets.matchAll(LISTENER)]
    .filter(([, , path]) => path === name)
    .map(([, inode]) => `socket:[${inode}]`);
  const isTheUsers = readdirSync('/proc').some((pid) => {
    // Empty for what is no process, or has ended meanwhile.
    const status = orUndefined(() => readFileSync(`/proc/${pid}/status`, 'utf8')) ?? '';
    if (!status.includes(`\nUid:${`\t${uid}`.repeat(4)}\n`)) return false;
    const open = orUndefined(() => readdirSync(`/proc/${pid}/fd`)) ?? [];
    return open.some((fd) =>
      listeners.includes(orUndefined(() => readlinkSync(`/proc/${pid}/fd/${fd}`)) ?? ''),
    );
  });
  return isTheUsers ? undefined : 'is held by no program of yours';
}
