/** The sources of a client's credentials, in the order of their precedence. */

import { clientName } from '../client';
import { orUndefined } from '../errors';
import type { Setting, Settings } from '../settings/table';
import { ANSWER_WITHIN_MS } from '../surroundings';
import type { World } from '../world';
import type { Credentials, Loaded, LoadWorld, Wanted } from './credentials';
import { type ValueNames, variableCredentials } from './variables';

export interface CredentialSource {
  readonly kind: 'variables' | 'command' | 'keychain';
  /** Name in messages. */
  readonly name: string;
  /** End of a sentence about its ID and secret: ` stored for default:production:eu`. */
  readonly origin: string;
  /** Sentence about a source that takes precedence over stored credentials; undefined for the keychain. */
  readonly override?: string;
  /** Names of the ID and the secret in messages; absent if they have no names. */
  readonly valueNames?: ValueNames;
  /** Client ID, if it is known before the credentials are loaded. */
  readonly clientId?: string;
  /** Text on which the cache files' names depend: the client ID or the command; empty for the keychain. */
  readonly variant: string;
  /** Returns a text that changes with the credentials and is no secret: an HMAC, or the ID of the login. */
  fingerprint(hmac: (text: string) => string): string;
  /** Longest time to load the credentials, in ms. */
  readonly waitMs: number;
  /** True if the credentials come with their auth URL. Otherwise a setting has to give it. */
  readonly mayNameAuthUrl: boolean;
  /**
   * Loads the credentials, and the only auth URL that they may be sent to.
   *
   * @throws GwtokenError `no-credentials` if there are none; `keychain` if the keychain or the command fails;
   *   `usage` if they are for another auth URL, or if none is known
   */
  load(wanted: Wanted, world: LoadWorld): Promise<Loaded>;
}

/**
 * Returns the source that takes precedence, without running the command or opening the keychain.
 *
 * @throws GwtokenError `usage` for half a pair of variables, or a secret's file that cannot be read
 */
export function sourceOf(settings: Settings, world: Pick<World, 'env' | 'readFile'>): CredentialSource {
  const { client, credentialCommand, flags, keychainTimeoutMs } = settings;
  // A profile named by a flag has its own credentials, as in `aws`.
  const found = flags.profile === undefined ? variableCredentials(client, world) : undefined;
  if (found) return variablesSource(found.names, found.credentials);
  return credentialCommand
    ? commandSource(credentialCommand, keychainTimeoutMs?.value)
    : keychainSource(settings, keychainTimeoutMs?.value);
}

/** Returns the auth URL that counts for a source. That of a stored client is only for its own credentials. */
export function authUrlFor(
  { kind }: CredentialSource,
  authUrl: Setting<string> | undefined,
): Setting<string> | undefined {
  return kind !== 'keychain' && authUrl?.source.kind === 'stored' ? undefined : authUrl;
}

export function variablesSource(valueNames: ValueNames, credentials: Credentials): CredentialSource {
  const name = `${valueNames.id} and ${valueNames.secret}`;
  return {
    kind: 'variables',
    name,
    origin: ` (from ${name})`,
    override: `${name} override the stored credentials`,
    valueNames,
    clientId: credentials.clientId,
    variant: credentials.clientId,
    fingerprint: (hmac) => hmac(JSON.stringify(credentials)),
    waitMs: 0,
    mayNameAuthUrl: false,
    load: async ({ authUrl }) => ({ ...credentials, authUrl: authUrl!.value }),
  };
}

export function commandSource(command: Setting<string>, timeoutMs?: number): CredentialSource {
  const { name } = command.source;
  return {
    kind: 'command',
    name,
    origin: ` (from ${name})`,
    override: `${name} overrides the stored credentials`,
    variant: command.value,
    fingerprint: (hmac) => hmac(command.value),
    waitMs: timeoutMs ?? ANSWER_WITHIN_MS.person,
    mayNameAuthUrl: true,
    load: async (...args) => (await import('./load')).fromCommand(command, timeoutMs, ...args),
  };
}

export function keychainSource(
  { client, stored }: Pick<Settings, 'client' | 'stored'>,
  timeoutMs?: number,
): CredentialSource {
  const account = clientName(client);
  // Read before the item: if a login replaces both meanwhile, the token has the old login's ID. An unreadable
  // list has no entry.
  const entry = orUndefined(() => stored()[account]);
  return {
    kind: 'keychain',
    name: `keychain item gwtoken, ${account}`,
    origin: ` stored for ${account}`,
    ...(entry && { clientId: entry.clientId }),
    variant: '',
    fingerprint: () => entry?.loginId ?? '',
    waitMs: timeoutMs ?? ANSWER_WITHIN_MS.person,
    mayNameAuthUrl: true,
    load: async (...args) => (await import('./load')).fromKeychain(timeoutMs, ...args),
  };
}
