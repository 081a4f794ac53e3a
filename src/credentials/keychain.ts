/** The keychain as a source of credentials, and the items in it. */
import { type Client, clientName, loginCommand } from '../client';
import { GwtokenError, type Hints, orUndefined, type Reason, usage } from '../errors';
import { type Setting, type Settings, undoStep } from '../settings/table';
import { ANSWER_WITHIN_MS, isCi } from '../surroundings';
import { shellWord } from '../text';
import { type ParsedCredentials, parseCredentials } from './credentials';
import { bind, type CredentialSource, type LoadWorld, urlOfSettings } from './source';

export function keychainSource(settings: Settings): CredentialSource {
  const { client, stored, keychainTimeoutMs } = settings;
  const account = clientName(client);
  // Read before the item: if a login replaces both meanwhile, the token has the old login's key. An
  // unreadable list has no entry.
  const entry = orUndefined(() => stored()[account]);
  return {
    kind: 'keychain',
    name: `keychain item gwtoken, ${account}`,
    ...(entry && { clientId: entry.clientId }),
    key: { facts: entry ? [JSON.stringify(entry)] : [], secret: '' },
    authUrl: settings.authUrl,
    waitMs: keychainTimeoutMs?.value ?? ANSWER_WITHIN_MS.person,
    async load(world, signal) {
      const item = await readItem(settings, world, signal);
      // A login writes the list of stored clients after the item: if they differ, the item is right.
      const other = urlOfSettings(settings);
      const origin = `${account} was stored for ${item.authUrl ?? 'no auth URL'}`;
      return bind(item, other, origin, otherUrlHints(other, settings));
    },
  };
}

/** Returns the steps for an item with another auth URL. The first one sends the secret nowhere else. */
function otherUrlHints(setting: Setting<string> | undefined, { client, flags }: Settings): Hints {
  const login = loginCommand(client, flags);
  if (!setting) return [`to store one with it, run: ${login}`];
  return [undoStep(setting.source), `or run: ${login} --auth-url ${shellWord(setting.text)}`];
}

/** Returns the client's item. Throws if there is none, if it is invalid, or if the keychain fails. */
async function readItem(
  { client, flags, keychainTimeoutMs }: Settings,
  world: LoadWorld,
  signal: AbortSignal | undefined,
): Promise<ParsedCredentials> {
  const name = clientName(client);
  const isStored = (): boolean => world.clients.read()[name] !== undefined;
  const item = await world.keychain.get(name, keychainTimeoutMs?.value, signal).catch((error: unknown) => {
    // A CI job usually has no keychain, and needs none unless the client was stored there.
    if (!saysNoKeychain(error) || !isCi(world.env) || isStored()) throw error;
    world.trace(error.message);
  });
  if (item === undefined) {
    if (isStored()) throw notReturned(client, [], 'not-returned');
    const message = `no credentials found for ${name}`;
    throw new GwtokenError('no-credentials', message, [], { reason: 'no-credentials' });
  }
  const parsed = parseCredentials(item, client);
  if (typeof parsed !== 'string') return parsed;
  throw new GwtokenError('keychain', `the keychain item gwtoken, ${name} ${parsed}`, [
    `to replace it, run: ${loginCommand(client, flags)}`,
  ]);
}

/**
 * Longest item in bytes: the limit of the Windows Credential Manager. It holds on every platform, so that
 * items can be copied.
 */
export const ITEM_LIMIT = 2560;

export function formatItem({ clientId, clientSecret, authUrl }: ParsedCredentials): string {
  const text = JSON.stringify({ client_id: clientId, client_secret: clientSecret, auth_url: authUrl });
  const bytes = Buffer.byteLength(text);
  if (bytes <= ITEM_LIMIT) return text;
  throw usage(`the credentials are too long for the keychain (${bytes} bytes, limit ${ITEM_LIMIT})`, [
    'use environment variables or a secret file: gwtoken help settings',
  ]);
}

/** Returns the error for a stored item that the keychain does not return, for an unknown reason. */
export function notReturned(client: Client, hints: Hints, reason?: Reason): GwtokenError {
  const causes = 'denied, in a locked keyring, or removed outside gwtoken';
  const message = `the keychain did not return the item of ${clientName(client)}: ${causes}`;
  return new GwtokenError('keychain', message, hints, { reason });
}

/** Returns whether the error says that there is no keychain here, and so no item. */
export function saysNoKeychain(error: unknown): error is GwtokenError {
  return error instanceof GwtokenError && error.reason === 'no-keychain';
}
