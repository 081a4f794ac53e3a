/**
 * Trust in the session bus. Its address outlives it, in a tmux or a detached shell: once the session has
 * ended, another user can bind the name of its socket, and would be given the secret of the next `login`.
 */
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { quietly } from '../../errors';
import type { Env } from '../../world';
import type { Host } from '../files/paths';
import { ownerProblem } from '../files/trust';
import { busNotTrusted } from './errors';

/** The sockets in an address (D-Bus specification, "Server Addresses"): by path, or abstract. */
const SOCKETS = /unix:(?:[^;]*,)?(path|abstract)=([^,;]*)/g;

/** Throws a `keychain` error with the reason `no-session` if another user may answer at the session bus. */
export function checkBusTrust(env: Env, host: Host): void {
  for (const [, kind, value = ''] of (env['DBUS_SESSION_BUS_ADDRESS'] ?? '').matchAll(SOCKETS)) {
    const name = quietly(() => decodeURIComponent(value)) ?? value;
    const problem = kind === 'path' ? distrustSocket(name, host) : distrustAbstract(name, host);
    if (problem !== undefined) throw busNotTrusted(name, problem);
  }
}

function distrustSocket(path: string, host: Host): string | undefined {
  const stat = quietly(() => statSync(path));
  return stat ? ownerProblem(stat, 'user or root', host) : 'has ended';
}

/** Looks for the listener among the processes of the user and of root: the kernel does not tell its owner. */
function distrustAbstract(name: string, { uid }: Host): string | undefined {
  const sockets = quietly(() => readFileSync('/proc/net/unix', 'utf8')) ?? '';
  const listeners = sockets
    .split('\n')
    .map((line) => line.split(/ +/))
    .filter(([, , , flags, , , , path]) => flags === LISTENS && path === `@${name}`)
    .map((fields) => `socket:[${fields[6]}]`);
  const isTheUsers = readdirSync('/proc').some((pid) => {
    // Other users' processes, and those that end meanwhile.
    const owner = quietly(() => statSync(`/proc/${pid}/fd`).uid);
    if (!/^\d+$/.test(pid) || (owner !== uid && owner !== 0)) return false;
    const open = quietly(() => readdirSync(`/proc/${pid}/fd`)) ?? [];
    return open.some((fd) => listeners.includes(quietly(() => readlinkSync(`/proc/${pid}/fd/${fd}`)) ?? ''));
  });
  return isTheUsers ? undefined : 'belongs to no program of yours';
}

/** SO_ACCEPTCON in /proc/net/unix. */
const LISTENS = '00010000';
