/** The sources of a client's credentials, in the order of their precedence. */

import { type Client, clientName } from '../client';
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
  /** Text that changes with the credentials: the credentials or the command. Empty for the keychain. */
  readonly identity: string;
  /** Longest time to load the credentials, in ms. */
  readonly waitMs: number;
  /** Whether the credentials come with their auth URL. Otherwise a setting has to give it. */
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
  const { client, credentialCommand: command, flags } = settings;
  const timeoutMs = settings.keychainTimeoutMs?.value;
  // A profile named by a flag has its own credentials, as in `aws`.
  const found = flags.profile === undefined ? variableCredentials(client, world) : undefined;
  if (found)
    return {
      ...givenSource(`${found.names.id} and ${found.names.secret}`, found.credentials),
      valueNames: found.names,
    };
  const waitMs = timeoutMs ?? ANSWER_WITHIN_MS.person;
  return command ? commandSource(command, waitMs, timeoutMs) : keychainSource(client, waitMs, timeoutMs);
}

function commandSource(command: Setting<string>, waitMs: number, timeoutMs?: number): CredentialSource {
  const { name } = command.source;
  return {
    kind: 'command',
    name,
    origin: ` (from ${name})`,
    override: `${name} overrides the stored credentials`,
    identity: command.value,
    waitMs,
    mayNameAuthUrl: true,
    load: async (...args) => (await import('./load')).fromCommand(command, timeoutMs, ...args),
  };
}

function keychainSource(client: Client, waitMs: number, timeoutMs?: number): CredentialSource {
  return {
    kind: 'keychain',
    name: `keychain item gwtoken, ${clientName(client)}`,
    origin: ` stored for ${clientName(client)}`,
    identity: '',
    waitMs,
    mayNameAuthUrl: true,
    load: async (...args) => (await import('./load')).fromKeychain(timeoutMs, ...args),
  };
}

/** Returns the source of credentials that are known already, such as those of variables. */
export function givenSource(name: string, credentials: Credentials): CredentialSource {
  return {
    kind: 'variables',
    name,
    origin: ` (from ${name})`,
    override: `${name} override the stored credentials`,
    clientId: credentials.clientId,
    identity: JSON.stringify(credentials),
    waitMs: 0,
    mayNameAuthUrl: false,
    load: async ({ authUrl }) => ({ ...credentials, authUrl: authUrl!.value }),
  };
}
