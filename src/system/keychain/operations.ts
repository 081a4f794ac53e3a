/** The calls to keytar for each request. */
import type { Keytar } from './keytar';

export type Request =
  | { readonly op: 'probe' | 'accounts' }
  | { readonly op: 'get' | 'delete'; readonly account: string }
  | { readonly op: 'set'; readonly account: string; readonly value: string };

export interface Result {
  /** True if there was an item before the request. */
  readonly found: boolean;
  readonly value?: string;
  /** True if a `delete` found no item, but the keychain may hide one. */
  readonly mayBeHidden?: true;
  readonly accounts?: readonly string[];
}

const SERVICE = 'gwtoken';
const PROBE_SERVICE = 'gwtoken-probe';

/** Throws keytar's error, or `DENIED` if a person declined the dialog. */
export async function perform(request: Request, keytar: Keytar, pid: number): Promise<Result> {
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
      // Probes that run at the same time need different names.
      const account = `probe ${pid}`;
      await store(keytar, PROBE_SERVICE, account, 'gwtoken was here \u2602');
      return { found: await remove(keytar, PROBE_SERVICE, account) };
    }
    case 'accounts': {
      // The secrets stay in this process. Windows also finds services that begin with the same letters.
      const items = await keytar.findCredentials(SERVICE);
      return { found: items.length > 0, accounts: items.map(({ account }) => account) };
    }
  }
}

/**
 * Stores the value and returns true if it replaced another one. Reading the old value first unlocks the item,
 * which saves the person a second dialog. Throws `DENIED` if the item then does not contain the value.
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
 * unlocks the item for the life of this process. Throws `DENIED` if the item is still there.
 */
async function remove(keytar: Keytar, service: string, account: string): Promise<boolean> {
  let isDeleted = await keytar.deletePassword(service, account);
  if (!isDeleted) {
    await keytar.getPassword(service, account);
    isDeleted = await keytar.deletePassword(service, account);
  }
  // A failed read proves nothing, because its session may have a wrong key.
  if (isDeleted && (await keytar.getPassword(service, account).catch(() => null)) !== null)
    throw denied('the item is still there');
  return isDeleted;
}

/** Makes the error for a declined dialog. keytar resolves in that case, so only reading back reveals it. */
function denied(message: string): Error {
  return Object.assign(new Error(message), { code: 'DENIED' });
}
