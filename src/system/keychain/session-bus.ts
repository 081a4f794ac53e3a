/**
 * Checks the owner of the session bus. tmux and detached shells keep the address after the session has ended.
 * Then another user can listen at that address, and would get the secret of the next `login`.
 */
import { existsSync, lstatSync, statSync } from 'node:fs';
import { type GwtokenError, orUndefined } from '../../errors';
import type { Env } from '../../world';
import type { Host } from '../files/paths';
import { ownerProblem } from '../files/trust';
import { keychainError } from './errors';

/** Matches the address of a socket file, which has an owner (D-Bus specification, "Server Addresses"). */
const SOCKET = /^unix:path=([^,]+)(?:,guid=\w*)?$/;

/**
 * Returns the environment with the address of the bus, so that libsecret does not look for another bus. Of a
 * list, it keeps the sockets that exist; D-Bus connects to the first one that answers. Throws `keychain` with
 * the reason `no-keychain` if there is no bus, or if another user may answer.
 */
export function withSessionBus(env: Env, host: Host): Env {
  const { XDG_RUNTIME_DIR: runtime, DBUS_SESSION_BUS_ADDRESS: given } = env;
  const address = given || (runtime && existsSync(`${runtime}/bus`) && `unix:path=${runtime}/bus`);
  if (!address) throw keychainError('no-session');
  const variable = given ? 'DBUS_SESSION_BUS_ADDRESS' : 'XDG_RUNTIME_DIR';
  const existing = address.split(';').filter((part) => isOwnSocket(part, host, variable));
  if (existing.length === 0) throw notUsable(address, 'has ended', variable);
  return { ...env, DBUS_SESSION_BUS_ADDRESS: existing.join(';') };
}

/** Returns false if the socket has ended. Throws if it belongs to another user, or is not a socket file. */
function isOwnSocket(address: string, host: Host, variable: string): boolean {
  const [, value] = SOCKET.exec(address) ?? [];
  if (value === undefined) throw notUsable(address, 'is not a unix:path socket', variable);
  const path = orUndefined(() => decodeURIComponent(value)) ?? value;
  // The owner of a link decides where it leads, even after this check.
  for (const statOf of [lstatSync, statSync]) {
    const stat = orUndefined(() => statOf(path));
    if (stat === undefined) return false;
    const problem = ownerProblem(stat, 'user or root', host);
    if (problem !== undefined) throw notUsable(path, problem, variable);
  }
  return true;
}

function notUsable(bus: string, problem: string, variable: string): GwtokenError {
  return keychainError('no-session').with({
    message: `no keychain here: the session bus at ${bus} ${problem}`,
    hints: [`${variable} is not of your session: unset it, or log in again`],
  });
}
