/** The keychain as a source of credentials, and the items in it. */
import { type Client, clientName, loginCommand } from '../client';
import { GwtokenError, type Hints, orUndefined, usage } from '../errors';
import { type Setting, type Settings, undoStep } from '../settings/table';
import { ANSWER_WITHIN_MS, isCi } from '../surroundings';
import { shellWord } from '../text';
import { type ParsedCredentials, parseCredentials } from './credentials';
import { bind, type CredentialSource, type LoadWorld, urlOfSettings } from './source';

export function keychainSource(settings: Settings): CredentialSource {
  const { client, stored, keychainTimeoutMs } = settings;
  const timeoutMs = keychainTimeoutMs?.value;
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
    waitMs: timeoutMs ?? ANSWER_WITHIN_MS.person,
    async load(world, signal) {
      const credentials = parseItem(await readItem(client, timeoutMs, world, signal), settings);
      // A login writes the list of stored clients after the item: if they differ, the item is right.
      const other = urlOfSettings(settings);
      const { authUrl: own } = credentials;
      const origin = `${account} was stored for ${own ?? 'no auth URL'}`;
      return bind(credentials, other, origin, otherUrlHints(own, other, settings));
    },
  };
}

/** Returns the steps for an item that was stored for another auth URL. The first sends the secret nowhere else. */
export function otherUrlHints(
  own: string | undefined,
  setting: Setting<string> | undefined,
  { client, flags }: Settings,
): Hints {
  const login = loginCommand(client, flags);
  if (!setting) return [`to store one with it, run: ${login}`];
  const other = `run: ${login} --auth-url ${shellWord(setting.text)}`;
  return own === undefined ? [other] : [undoStep(setting.source), `or ${other}`];
}

/** Returns the client's item. Throws if there is none, or if the keychain fails. */
async function readItem(
  client: Client,
  timeoutMs: number | undefined,
  world: LoadWorld,
  signal: AbortSignal | undefined,
): Promise<string> {
  const name = clientName(client);
  const isStored = (): boolean => world.clients.read()[name] !== undefined;
  const item = await world.keychain.get(name, timeoutMs, signal).catch((error: unknown) => {
    // A CI job usually has no keychain, and needs none unless the client was stored there.
    if (!saysNoKeychain(error) || !isCi(world.env) || isStored()) throw error;
    world.trace(error.message);
  });
  if (item !== undefined) return item;
  if (isStored()) throw notReturned(client);
  throw new GwtokenError('no-credentials', `no credentials found for ${name}`, [], {
    reason: 'no-credentials',
  });
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

/** Reads an item. Throws a `keychain` error that does not show the value. */
function parseItem(text: string, settings: Settings): ParsedCredentials {
  const { client } = settings;
  const parsed = parseCredentials(text, client);
  if (typeof parsed !== 'string') return parsed;
  throw new GwtokenError('keychain', `the keychain item gwtoken, ${clientName(client)} ${parsed}`, [
    `to replace it, run: ${loginCommand(client, settings.flags)}`,
  ]);
}

/** Returns the error for a stored item that the keychain does not return, for an unknown reason. */
export function notReturned(client: Client): GwtokenError {
  const causes = 'denied, in a locked keyring, or removed outside gwtoken';
  const message = `the keychain did not return the item of ${clientName(client)}: ${causes}`;
  return new GwtokenError('keychain', message, [], { reason: 'not-returned' });
}

/** Returns whether the error says that there is no keychain here, and so no item. */
export function saysNoKeychain(error: unknown): error is GwtokenError {
  return error instanceof GwtokenError && error.reason === 'no-keychain';
}
