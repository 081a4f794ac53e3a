/**
 * The keychain's child: nothing else loads keytar. It answers one request of its parent, which then kills it.
 * A pending dialog never returns and keeps even process.exit() from ending a process, and a native fault
 * takes the process with it. It calls only getPassword, setPassword and deletePassword: the find functions
 * crash on locked and on foreign items.
 *
 * It imports nothing that the main program starts with: in the bundle that is one file, and loading it starts
 * the program.
 */
import { type Keytar, loadKeytar } from './keytar';

export type Request =
  | { readonly op: 'probe' }
  | { readonly op: 'get' | 'delete'; readonly account: string }
  | { readonly op: 'set'; readonly account: string; readonly value: string };

/** The result of get: the value, or null; set: if it replaced one; delete and probe: if there was one. */
export type Value = string | boolean | null;

export interface Failure {
  /** False if it is keytar itself that cannot be loaded. */
  readonly isLoaded: boolean;
  readonly message: string;
  /** The system's, or `DENIED`. */
  readonly code?: string | undefined;
}

export type Answer = { readonly value: Value } | { readonly failure: Failure };

const SERVICE = 'gwtoken';
const PROBE_SERVICE = 'gwtoken-probe';

const nothing = (): void => {};
// Keeps SIGUSR1 from opening Node's debugger, as quick-world.ts does in the main program.
if (process.platform !== 'win32') process.on('SIGUSR1', nothing).off('SIGUSR1', nothing);
// process.exit() would wait for the thread that is waiting for a person.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// Ctrl-C reaches the whole group; the parent decides, and this program ends with it.
process.on('SIGINT', nothing);
process.once('message', async (request: Request) => {
  process.send?.(await answer(request));
});

async function answer(request: Request): Promise<Answer> {
  let isLoaded = false;
  try {
    const keytar = loadKeytar();
    isLoaded = true;
    return { value: await perform(request, keytar) };
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    return { failure: { isLoaded, message, code } };
  }
}

async function perform(request: Request, keytar: Keytar): Promise<Value> {
  switch (request.op) {
    case 'get':
      return await keytar.getPassword(SERVICE, request.account);
    case 'delete':
      return await remove(keytar, SERVICE, request.account);
    case 'set':
      return await store(keytar, SERVICE, request.account, request.value);
    case 'probe': {
      // With the process ID, as two may be tested at once.
      const account = `probe ${process.pid}`;
      await store(keytar, PROBE_SERVICE, account, 'gwtoken was here \u2602');
      return await remove(keytar, PROBE_SERVICE, account);
    }
  }
}

/** Stores the value; tells if it replaced one. Reading that first spares the person a second dialog. */
async function store(keytar: Keytar, service: string, account: string, value: string): Promise<boolean> {
  const before = await keytar.getPassword(service, account);
  await keytar.setPassword(service, account, value);
  if ((await keytar.getPassword(service, account)) !== value)
    throw denied('the item does not contain what was to be stored');
  // Empty is what a session with a wrong key leaves behind.
  return Boolean(before);
}

/**
 * Deletes an item, and returns if there was one. libsecret ignores those that are locked for this connection,
 * as all of KeePassXC's and KWallet's are at first: reading one asks the person, and unlocks it for as long
 * as this program runs.
 */
async function remove(keytar: Keytar, service: string, account: string): Promise<boolean> {
  try {
    let isDeleted = await keytar.deletePassword(service, account);
    if (!isDeleted) {
      await keytar.getPassword(service, account);
      isDeleted = await keytar.deletePassword(service, account);
    }
    // A read that fails tells nothing: its session may have a wrong key.
    if (isDeleted && (await keytar.getPassword(service, account).catch(() => null)) !== null)
      throw denied('the item is still there');
    return isDeleted;
  } catch (error) {
    // Of two logouts at the same time, one finds the item and then the other has removed it.
    if (/No such (interface|object path)/.test((error as Error).message)) return false;
    throw error;
  }
}

/** Makes the error for a person's no, for which keytar resolves: only reading back shows it. */
function denied(message: string): Error {
  return Object.assign(new Error(message), { code: 'DENIED' });
}
