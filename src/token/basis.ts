/** The basis of a token: all that it depends on. A token or failure of another basis is never used. */
import type { Client } from '../client';
import type { CredentialSource } from '../credentials/sources';
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
  const { variant } = source;
  return variant === '' ? client : { ...client, variant: shortHash(`${variant} ${authUrl?.text ?? ''}`) };
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
  /** Salt of the fingerprint. */
  salt: '',
  fingerprint: '',
};
export type Owner = Readonly<typeof OWNER_SHAPE>;

type OwnerWorld = Pick<QuickWorld, 'hmac'>;

/** Returns the owner of the basis' token or failure. It contains no secret. */
export function ownerOf({ authUrl, source }: Basis, salt: string, world: OwnerWorld): Owner {
  return { authUrl: authUrl?.value ?? '', salt, fingerprint: fingerprintOf(source, salt, world) };
}

export function ownerMatches(owner: Owner, { authUrl, source }: Basis, world: OwnerWorld): boolean {
  // Compares the text first, because parsing a URL takes longer than reading the cache.
  const isSameUrl = !authUrl || authUrl.text === owner.authUrl || authUrl.value === owner.authUrl;
  return isSameUrl && owner.fingerprint === fingerprintOf(source, owner.salt, world);
}

function fingerprintOf(source: CredentialSource, salt: string, { hmac }: OwnerWorld): string {
  return source.fingerprint((text) => hmac(text, Buffer.from(salt)));
}
