/**
 * The keychain's child: nothing else loads keytar. It answers one request of its parent, which then kills it.
 * A pending dialog never returns and keeps even process.exit() from ending a process, and a native fault
 * takes the process with it. It calls only getPassword, setPassword and deletePassword: the find functions
 * crash on locked and on foreign items.
 *
 * It imports nothing that the main program starts with: in the bundle that is one file, and loading it starts
 * the program.
 */
import { type Keytar, loadKeytar, whyNotLoaded } from './keytar';

/** The message that keytar is loaded, and from now on a person or the service is waited for. */
export type Loaded = 'loaded';

export type Request =
  | { readonly op: 'probe' }
  | { readonly op: 'get' | 'delete'; readonly account: string }
  | { readonly op: 'set'; readonly account: string; readonly value: string };

export type Answer =
  /** The result of get: the value or null; set: the one before; delete: if there was one; probe: null. */
  | { readonly ok: true; readonly value: string | boolean | null }
  | {
      readonly ok: false;
      readonly stage: 'load' | 'call' | 'read back';
      readonly message: string;
      readonly code?: string | undefined;
      /** The loader's own message, which keytar drops. */
      readonly cause?: string | undefined;
    };

const MESSAGE = 'the item does not contain what was to be stored';
const NOT_STORED: Answer = { ok: false, stage: 'read back', message: MESSAGE };

const SERVICE = 'gwtoken';
const PROBE_SERVICE = 'gwtoken-probe';

const nothing = (): void => {};
// Closes Node's debugger, as quick-world.ts does for the main program.
if (process.platform !== 'win32') process.on('SIGUSR1', nothing).off('SIGUSR1', nothing);
// process.exit() would wait for the thread that is waiting for a person.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// Ctrl-C reaches the whole group; the parent decides, and this program ends with it.
process.on('SIGINT', nothing);
process.once('message', async (request: Request) => {
  process.send?.(await answer(request));
});

async function answer(request: Request): Promise<Answer> {
  let keytar: Keytar;
  try {
    keytar = loadKeytar();
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    return { ok: false, stage: 'load', message, code, cause: whyNotLoaded() };
  }
  process.send?.('loaded' satisfies Loaded);
  try {
    return await perform(request, keytar);
  } catch (error) {
    return { ok: false, stage: 'call', message: (error as Error).message };
  }
}

async function perform(request: Request, keytar: Keytar): Promise<Answer> {
  switch (request.op) {
    case 'get':
      return { ok: true, value: await keytar.getPassword(SERVICE, request.account) };
    case 'delete':
      return { ok: true, value: await remove(keytar, request.account) };
    case 'set':
      return await replace(keytar, request.account, request.value);
    case 'probe':
      return await roundTrip(keytar);
  }
}

/**
 * Deletes an item. libsecret ignores those that are locked for this connection, as all of KeePassXC's and
 * KWallet's are at first: reading one asks the person, and unlocks it for as long as this program runs.
 */
async function remove(keytar: Keytar, account: string): Promise<boolean> {
  try {
    if (await keytar.deletePassword(SERVICE, account)) return true;
    if ((await keytar.getPassword(SERVICE, account)) === null) return false;
    return await keytar.deletePassword(SERVICE, account);
  } catch (error) {
    // Of two logouts at the same time, one finds the item and then the other has removed it.
    if (/No such (interface|object path)/.test((error as Error).message)) return false;
    throw error;
  }
}

/**
 * Stores the value, and answers with the one before it. Reading that first spares the person a second dialog,
 * and reading back shows if the person said no, for which keytar resolves too. A third value is a later
 * login's; but if none could be read before, it may be the old one.
 */
async function replace(keytar: Keytar, account: string, value: string): Promise<Answer> {
  const before = await keytar.getPassword(SERVICE, account);
  await keytar.setPassword(SERVICE, account, value);
  const found = await keytar.getPassword(SERVICE, account);
  const isReplaced = found !== null && before !== null && found !== before;
  return found === value || isReplaced ? { ok: true, value: before } : NOT_STORED;
}

/** Stores, reads and deletes a test item. Its name has the process ID, as two may be tested at once. */
async function roundTrip(keytar: Keytar): Promise<Answer> {
  const account = `probe ${process.pid}`;
  const value = `gwtoken was here at ${new Date().toISOString()} ☂`;
  await keytar.setPassword(PROBE_SERVICE, account, value);
  let found: string | null | undefined;
  try {
    found = await keytar.getPassword(PROBE_SERVICE, account);
  } finally {
    // If the person has dismissed the keyring's dialog, deleting would only open it again.
    if (found !== null) await keytar.deletePassword(PROBE_SERVICE, account);
  }
  if (found === null) return NOT_STORED;
  if (found !== value) throw new Error('the test item contains something else than was stored');
  return { ok: true, value: null };
}
