/** Loads stored credentials, which are sent to no other auth URL than their own. */

import { clientName } from '../client';
import { failure, GwtokenError } from '../errors';
import type { Setting } from '../settings/table';
import { parseAuthUrl } from '../settings/values';
import { isCi } from '../waiting';
import { commandCredentials } from './command';
import type { Credentials, LoadWorld, Wanted } from './credentials';
import { notReturned, parseItem } from './keychain-item';

export async function fromCommand(
  command: Setting<string>,
  wanted: Wanted,
  world: LoadWorld,
): Promise<Credentials> {
  const { authUrl, ...credentials } = await commandCredentials(command, wanted, world);
  // Without one of its own the config file's counts: no stray variable or flag sends the secret elsewhere.
  if (authUrl !== undefined || wanted.authUrl.source.kind !== 'config')
    checkBinding('the credential command printed', authUrl, wanted);
  return credentials;
}

/** Reasons of a keychain that cannot be used at all. */
const NO_KEYCHAIN: readonly unknown[] = [
  'module-missing',
  'library-missing',
  'not-loadable',
  'no-session',
  'no-provider',
];

export async function fromKeychain(wanted: Wanted, world: LoadWorld): Promise<Credentials> {
  const { client, timeoutMs, signal } = wanted;
  const name = clientName(client);
  const item = await world.keychain.get(name, timeoutMs, signal).catch((error: unknown) => {
    // In a CI job that is the rule, and no reason to install one.
    const isMissing = error instanceof GwtokenError && NO_KEYCHAIN.includes(error.reason);
    if (!isMissing || !isCi(world.env)) throw error;
    world.trace(error.message);
  });
  if (item === undefined) {
    if (world.clients.read()[name]) throw notReturned(client);
    world.trace('created the keychain item yourself? see: gwtoken help keychain');
    throw failure('no-credentials', `no credentials found for ${name}`);
  }
  const { authUrl, ...credentials } = parseItem(item, client);
  checkBinding(`${name} was stored for`, authUrl, wanted);
  return credentials;
}

/** Throws `usage` of the reason `bound-elsewhere` if the secret is for another auth URL, or for none. */
function checkBinding(bound: string, own: string | undefined, { client, authUrl }: Wanted): void {
  const { value, source } = authUrl;
  const url = own === undefined ? 'no auth URL' : parseAuthUrl(own, 'the stored credentials', client.region);
  if (url === value) return;
  const message = `${bound} ${url}, but ${source.name} says ${value}; nothing was sent`;
  throw new GwtokenError('usage', message, { reason: 'bound-elsewhere' });
}
