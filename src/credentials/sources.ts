/** The sources of a client's credentials, in the order of their precedence. */

import { clientName } from '../client';
import { orUndefined } from '../errors';
import { type Found, findSetting } from '../settings/resolve';
import { SETTINGS, type Setting, type Settings } from '../settings/table';
import { ANSWER_WITHIN_MS } from '../surroundings';
import { shortHash } from '../text';
import type { World } from '../world';
import type { Credentials, Loaded, LoadOptions, LoadWorld } from './credentials';
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
  /** The auth URL that the settings give for these credentials, not parsed yet. */
  readonly authUrl: Found | undefined;
  /** The source's part of the key of its tokens; see {@link TokenKey}. */
  readonly facts: readonly string[];
  readonly secret: string;
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
  load(options: LoadOptions, world: LoadWorld): Promise<Loaded>;
}

/**
 * Returns the source that takes precedence, without running the command or opening the keychain.
 *
 * @throws GwtokenError `usage` for half a pair of variables, or a secret's file that cannot be read
 */
export function sourceOf(settings: Settings, world: Pick<World, 'env' | 'readFile'>): CredentialSource {
  const { client, credentialCommand, flags } = settings;
  // A profile named by a flag has its own credentials, as in `aws`.
  const found = flags.profile === undefined ? variableCredentials(client, world) : undefined;
  if (found) return variablesSource(found.names, found.credentials, settings);
  return credentialCommand ? commandSource(credentialCommand, settings) : keychainSource(settings);
}

function variablesSource(
  valueNames: ValueNames,
  credentials: Credentials,
  settings: Settings,
): CredentialSource {
  const name = `${valueNames.id} and ${valueNames.secret}`;
  return {
    kind: 'variables',
    name,
    origin: ` (from ${name})`,
    override: `${name} override the stored credentials`,
    valueNames,
    clientId: credentials.clientId,
    facts: [credentials.clientId],
    secret: credentials.clientSecret,
    authUrl: urlOfSettings(settings),
    waitMs: 0,
    mayNameAuthUrl: false,
    load: async ({ authUrl }) => ({ ...credentials, authUrl: authUrl!.value }),
  };
}

function commandSource(command: Setting<string>, settings: Settings): CredentialSource {
  const { name } = command.source;
  const timeoutMs = settings.keychainTimeoutMs?.value;
  return {
    kind: 'command',
    name,
    origin: ` (from ${name})`,
    override: `${name} overrides the stored credentials`,
    // The command may contain a password.
    facts: [shortHash(command.value)],
    secret: command.value,
    authUrl: urlOfSettings(settings),
    waitMs: timeoutMs ?? ANSWER_WITHIN_MS.person,
    mayNameAuthUrl: true,
    load: async (...args) =>
      (await import('./load')).fromCommand(command, settings.client, timeoutMs, ...args),
  };
}

function keychainSource(settings: Settings): CredentialSource {
  const { client, stored, keychainTimeoutMs } = settings;
  const timeoutMs = keychainTimeoutMs?.value;
  const account = clientName(client);
  // Read before the item: if a login replaces both meanwhile, the token has the old login's key. An unreadable
  // list has no entry.
  const entry = orUndefined(() => stored()[account]);
  return {
    kind: 'keychain',
    name: `keychain item gwtoken, ${account}`,
    origin: ` stored for ${account}`,
    ...(entry && { clientId: entry.clientId }),
    facts: entry ? [JSON.stringify(entry)] : [],
    secret: '',
    authUrl: findSetting(SETTINGS.authUrl, settings),
    waitMs: timeoutMs ?? ANSWER_WITHIN_MS.person,
    mayNameAuthUrl: true,
    load: async (...args) => (await import('./load')).fromKeychain(client, timeoutMs, ...args),
  };
}

/** Returns the auth URL that the settings give. That of a stored client is only for its own credentials. */
function urlOfSettings(settings: Settings): Found | undefined {
  const found = findSetting(SETTINGS.authUrl, settings);
  return found?.source.kind === 'stored' ? undefined : found;
}
