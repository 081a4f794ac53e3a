/** The interface of a source of credentials, and the check of the auth URL that they may be sent to. */
import { type Hints, type SourceKind, usage } from '../errors';
import type { Setting, Settings } from '../settings/table';
import type { TokenKey, World } from '../world';
import type { BoundCredentials, ParsedCredentials } from './credentials';

export type FindWorld = Pick<World, 'env' | 'readFile'>;

/** The source of one client's credentials, which it has not loaded yet. */
export interface CredentialSource {
  /** Name in `status`. */
  readonly kind: SourceKind;
  readonly name: string;
  /** Client ID, if it is known before the credentials are loaded. */
  readonly clientId?: string;
  /** Its part of the key of a token: all in which the credentials may differ. */
  readonly key: Pick<TokenKey, 'facts' | 'secret'>;
  /** The auth URL that the settings give for these credentials. */
  readonly authUrl: Setting<string> | undefined;
  /** Longest time to load the credentials, in ms. */
  readonly waitMs: number;
  /**
   * Loads the credentials, and the only auth URL that they may be sent to. Throws `no-credentials` if there
   * are none, `keychain` if the keychain or the command fails, and `usage` if they are for another auth
   * URL, or if none is known.
   */
  load(world: LoadWorld, signal?: AbortSignal): Promise<BoundCredentials>;
}

/** The World of {@link CredentialSource.load}. Its `env` has no variable of any source. */
export type LoadWorld = Pick<
  World,
  'stderr' | 'env' | 'runCredentialCommand' | 'keychain' | 'clients' | 'trace'
>;

/** Returns the auth URL that the settings give. That of a stored client is only for its own credentials. */
export function urlOfSettings({ authUrl }: Settings): Setting<string> | undefined {
  return authUrl?.source.kind === 'stored' ? undefined : authUrl;
}

/** Returns credentials with an auth URL. Throws `usage` if they have none, or if the setting is another. */
export function bind(
  { authUrl, ...credentials }: ParsedCredentials,
  setting: Setting<string> | undefined,
  origin: string,
  hints: Hints,
): BoundCredentials {
  const other = setting?.value === authUrl ? undefined : setting;
  if (authUrl !== undefined && !other) return { ...credentials, authUrl };
  const but = other ? `, but ${other.source.name} says ${other.value}` : '';
  throw usage(`${origin}${but}; nothing was sent`, hints);
}
