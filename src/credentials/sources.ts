/** The sources of a client's credentials, in the order of their precedence. */

import { type Client, clientName } from '../client';
import { resolve } from '../settings/resolve';
import { SETTINGS, type SettingSources } from '../settings/table';
import { ANSWER_WITHIN_MS } from '../waiting';
import type { World } from '../world';
import type { ValueNames } from './copy-mistakes';
import type { Credentials, LoadWorld, Wanted } from './credentials';
import { variableCredentials } from './variables';

export interface CredentialSource {
  readonly kind: 'variables' | 'command' | 'keychain';
  /** Name in messages. */
  readonly name: string;
  /** Names of the ID and the secret in messages; absent if they have no names. */
  readonly valueNames?: ValueNames;
  /** Client ID, if it is known before the credentials are loaded. */
  readonly clientId?: string;
  /** Text that changes with the credentials: the credentials or the command. Empty for the keychain. */
  readonly identity: string;
  /** Longest time to load the credentials, in ms. */
  readonly waitMs: number;
  /**
   * Loads the credentials.
   *
   * @throws GwtokenError `no-credentials` if there are none; `keychain` if the keychain or the command fails;
   *   `usage` if they are for another auth URL
   */
  load(wanted: Wanted, world: LoadWorld): Promise<Credentials>;
}

interface SourceOptions {
  readonly skipsVariables: boolean;
}

/**
 * Returns the source that takes precedence, without running the command or opening the keychain.
 *
 * @throws GwtokenError `usage` for half a pair of variables, or a secret's file that cannot be read
 */
export function sourceOf(
  sources: SettingSources,
  client: Client,
  world: Pick<World, 'env' | 'readFile'>,
  // A profile named by a flag has its own credentials, as in `aws`.
  { skipsVariables }: SourceOptions = { skipsVariables: sources.flags.profile !== undefined },
): CredentialSource {
  const timeoutMs = resolve(SETTINGS.keychainTimeoutMs, sources)?.value;
  const command = resolve(SETTINGS.credentialCommand, sources, client);
  const found = skipsVariables ? undefined : variableCredentials(client, world);
  if (found) return { ...givenSource(found.names.join(' and '), found.credentials), valueNames: found.names };
  return {
    kind: command ? 'command' : 'keychain',
    name: command?.source.name ?? `keychain item gwtoken, ${clientName(client)}`,
    identity: command?.value ?? '',
    waitMs: timeoutMs ?? ANSWER_WITHIN_MS.person,
    async load(wanted, loadWorld) {
      const { fromCommand, fromKeychain } = await import('./load');
      return command
        ? fromCommand(command, wanted, timeoutMs, loadWorld)
        : fromKeychain(wanted, timeoutMs, loadWorld);
    },
  };
}

/** Returns the source of credentials that are known already. */
export function givenSource(name: string, credentials: Credentials): CredentialSource {
  const { clientId } = credentials;
  const identity = JSON.stringify(credentials);
  return { kind: 'variables', name, clientId, identity, waitMs: 0, load: async () => credentials };
}

/** Returns a sentence on a source that overrides stored credentials; undefined for the keychain. */
export function overrideText({ kind, name }: Pick<CredentialSource, 'kind' | 'name'>): string | undefined {
  if (kind === 'keychain') return undefined;
  return `${name} ${kind === 'variables' ? 'override' : 'overrides'} the stored credentials`;
}
