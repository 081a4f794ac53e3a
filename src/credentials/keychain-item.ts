/**
 * Items in the keychain, and the JSON in them and in the output of credential commands:
 * `{"client_id":"…","client_secret":"…","auth_url":"…"}`.
 */

import type { Cause, Reason } from '../causes';
import { type Client, clientName } from '../client';
import { GwtokenError, orUndefined, usage } from '../errors';
import { parseAuthUrl } from '../settings/values';
import { type Credentials, clientIdProblem, secretProblem } from './credentials';

export interface BoundCredentials extends Credentials {
  /** Auth URL of the credentials; undefined if the item or the command does not name one. */
  readonly authUrl: string | undefined;
}

/**
 * Longest item in bytes: the limit of the Windows Credential Manager. It holds on every platform, so that
 * items can be copied.
 */
export const ITEM_LIMIT = 2560;

export function formatItem({ clientId, clientSecret, authUrl }: BoundCredentials): string {
  const text = JSON.stringify({ client_id: clientId, client_secret: clientSecret, auth_url: authUrl });
  const bytes = Buffer.byteLength(text);
  if (bytes <= ITEM_LIMIT) return text;
  throw usage(`the credentials are too long for the keychain (${bytes} bytes, limit ${ITEM_LIMIT})`, [
    'use environment variables or a secret file: gwtoken help settings',
  ]);
}

/** Reads an item. Throws a `keychain` error that does not show the value. */
export function parseItem(text: string, client: Client): BoundCredentials {
  const parsed = parseCredentials(text, client);
  if (typeof parsed !== 'string') return parsed;
  throw new GwtokenError('keychain', `the keychain item gwtoken, ${clientName(client)} ${parsed}`, {
    reason: 'bad-item',
    client,
  });
}

/** Returns the error for a stored item that the keychain does not return, for an unknown reason. */
export function notReturned(client: Client, cause: Cause = { reason: 'not-returned' }): GwtokenError {
  const causes = 'denied, in a locked keyring, or removed outside gwtoken';
  const message = `the keychain did not return the item of ${clientName(client)}: ${causes}`;
  return new GwtokenError('keychain', message, cause);
}

/** Reasons why a keychain cannot be used at all. */
const NO_KEYCHAIN: readonly (Reason | undefined)[] = [
  'module-missing',
  'library-missing',
  'not-loadable',
  'no-session',
  'no-provider',
];

/** Returns whether the error says that there is no keychain here, and so no item. */
export function saysNoKeychain(error: unknown): error is GwtokenError {
  return error instanceof GwtokenError && NO_KEYCHAIN.includes(error.reason);
}

/** Parses the JSON of an item or a credential command. Returns a fault as the end of a sentence. */
export function parseCredentials(text: string, { region }: Client): BoundCredentials | string {
  const parsed: unknown = orUndefined(() => JSON.parse(text));
  if (parsed === undefined) return 'is not JSON';
  const { client_id, client_secret, auth_url } = (parsed ?? {}) as Record<string, unknown>;
  if (client_id === undefined || client_secret === undefined) return 'has no client_id or client_secret';
  if (typeof client_id !== 'string' || typeof client_secret !== 'string')
    return 'has a client_id or client_secret that is not a JSON string';
  const problem = clientIdProblem(client_id) ?? secretProblem(client_secret);
  if (problem) return `has a client_id or client_secret that ${problem}`;
  const credentials = { clientId: client_id, clientSecret: client_secret };
  if (auth_url === undefined) return { ...credentials, authUrl: undefined };
  const authUrl = orUndefined(() => parseAuthUrl(String(auth_url), undefined, region));
  return authUrl === undefined ? 'has an invalid auth_url' : { ...credentials, authUrl };
}
