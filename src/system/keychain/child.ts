/**
 * The keychain's child process, the only program that loads keytar. It answers one request, and then its
 * parent kills it. keytar needs its own process because a pending dialog blocks even process.exit(), and
 * because a native fault ends the process.
 *
 * keytar's find functions crash on locked and on foreign items, so this file calls only getPassword,
 * setPassword and deletePassword.
 *
 * This file imports no module of the main program: the bundle puts those into one file, and loading that file
 * would start the main program.
 */
import { type Keytar, loadKeytar } from './keytar';

export type Request =
  | { readonly op: 'probe' }
  | { readonly op: 'get' | 'delete'; readonly account: string }
  | { readonly op: 'set'; readonly account: string; readonly value: string };

/** Result of a request: `found` says whether the account had an item before. Only `get` returns its value. */
export type Result = { readonly found: true; readonly value?: string } | { readonly found: false };

export interface Failure {
  /** False if keytar could not be loaded. */
  readonly isLoaded: boolean;
  readonly message: string;
  /** The system's error code, or `DENIED`. */
  readonly code?: string | undefined;
}

export type Answer = Result | { readonly failure: Failure };

const SERVICE = 'gwtoken';
const PROBE_SERVICE = 'gwtoken-probe';

const ignore = (): void => {};
// Keeps SIGUSR1 from opening Node's debugger, as quick-world.ts does in the main program.
if (process.platform !== 'win32') process.on('SIGUSR1', ignore).off('SIGUSR1', ignore);
// Uses SIGKILL, because process.exit() would wait for keytar's thread, which may wait for a person.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// Ctrl-C reaches this process too, but the parent handles it and then ends this process.
process.on('SIGINT', ignore);
process.once('message', async (request: Request) => {
  process.send?.(await answer(request));
});

async function answer(request: Request): Promise<Answer> {
  let isLoaded = false;
  try {
    const keytar = loadKeytar();
    isLoaded = true;
    return await perform(request, keytar);
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    return { failure: { isLoaded, message, code } };
  }
}

async function perform(request: Request, keytar: Keytar): Promise<Result> {
  switch (request.op) {
    case 'get': {
      const value = await keytar.getPassword(SERVICE, request.account);
      return value === null ? { found: false } : { found: true, value };
    }
    case 'delete':
      return { found: await remove(keytar, SERVICE, request.account) };
    case 'set':
      return { found: await store(keytar, SERVICE, request.account, request.value) };
    case 'probe': {
      // The process ID separates probes that run at the same time.
      const account = `probe ${process.pid}`;
      await store(keytar, PROBE_SERVICE, account, 'gwtoken was here \u2602');
      return { found: await remove(keytar, PROBE_SERVICE, account) };
    }
  }
}

/**
 * Stores the value and returns true if it replaced another one. Reading the old value first unlocks the item,
 * which saves the person a second dialog.
 *
 * @throws `DENIED` if the item then does not contain the value
 */
async function store(keytar: Keytar, service: string, account: string, value: string): Promise<boolean> {
  const before = await keytar.getPassword(service, account);
  await keytar.setPassword(service, account, value);
  if ((await keytar.getPassword(service, account)) !== value)
    throw denied('the item does not contain what was to be stored');
  // A session with a wrong key leaves an empty value behind; replacing that does not count.
  return Boolean(before);
}

/**
 * Deletes an item and returns true if there was one. libsecret ignores items that are locked for this
 * connection, and all items of KeePassXC and KWallet are locked at first. Reading an item asks the person and
 * unlocks the item for the life of this process.
 *
 * @throws `DENIED` if the item is still there
 */
async function remove(keytar: Keytar, service: string, account: string): Promise<boolean> {
  try {
    let isDeleted = await keytar.deletePassword(service, account);
    if (!isDeleted) {
      await keytar.getPassword(service, account);
      isDeleted = await keytar.deletePassword(service, account);
    }
    // A failed read proves nothing, because its session may have a wrong key.
    if (isDeleted && (await keytar.getPassword(service, account).catch(() => null)) !== null)
      throw denied('the item is still there');
    return isDeleted;
  } catch (error) {
    // Another logout removed the item in between.
    if (/No such (interface|object path)/.test((error as Error).message)) return false;
    throw error;
  }
}

/** Makes the error for a declined dialog. keytar resolves in that case, so only reading back reveals it. */
function denied(message: string): Error {
  return Object.assign(new Error(message), { code: 'DENIED' });
}
