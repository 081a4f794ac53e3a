/** What a token depends on. A token or failure of another basis is never used. */
import { type Client, clientName } from '../client';
import type { CredentialSource } from '../credentials/sources';
import { orUndefined } from '../errors';
import type { Setting } from '../settings/table';
import type { CachePlace, QuickWorld } from '../world';

export interface Basis {
  readonly client: Client;
  /** Undefined if no setting gives one: then the credentials come with theirs. */
  readonly authUrl: Setting<string> | undefined;
  readonly source: CredentialSource;
}

/**
 * Returns the place of the cache files. Without the keychain it also depends on the client ID or the command,
 * and on the auth URL, so that two jobs of one user neither wait for each other nor evict each other's token.
 */
export function placeOf({ client, source, authUrl }: Basis): CachePlace {
  const identity = source.clientId ?? source.identity;
  return identity === '' ? client : { ...client, variant: shortHash(`${identity} ${authUrl?.text ?? ''}`) };
}

/**
 * Returns a hash of eight hexadecimal digits (FNV-1a). Each entry names its owner, so a collision is a miss.
 */
function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}

/** Template of the stored form of a basis: parseLike() accepts JSON with these fields and types. */
export const OWNER_SHAPE = {
  authUrl: '',
  kind: '',
  /** Salt of the HMAC. */
  salt: '',
  /** HMAC of the source's identity; empty for the keychain. */
  hmac: '',
  /** For the keychain, the login that stored the credentials. */
  loginId: '',
};
export type Owner = Readonly<typeof OWNER_SHAPE>;

type OwnerWorld = Pick<QuickWorld, 'hmac' | 'clients'>;

/** Returns the owner of the basis' token or failure. It contains no secret. */
export function ownerOf({ client, authUrl, source }: Basis, salt: string, world: OwnerWorld): Owner {
  const { kind, identity } = source;
  return {
    authUrl: authUrl?.value ?? '',
    kind,
    salt,
    hmac: identity === '' ? '' : world.hmac(identity, Buffer.from(salt)),
    loginId: kind === 'keychain' ? loginOf(client, world) : '',
  };
}

/** Returns the ID of the login that stored a client; empty if the client is not in the list. */
function loginOf(client: Client, { clients }: OwnerWorld): string {
  // An unreadable list has no entry.
  return orUndefined(() => clients.read()[clientName(client)]?.loginId) ?? '';
}

export function ownerMatches(owner: Owner, basis: Basis, world: OwnerWorld): boolean {
  const own = ownerOf(basis, owner.salt, world);
  if (basis.authUrl && owner.authUrl !== own.authUrl) return false;
  return (['kind', 'hmac', 'loginId'] as const).every((part) => owner[part] === own[part]);
}
