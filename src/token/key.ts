/** The key of a token: all that it depends on. A token or failure of another key is never used. */
import { clientName } from '../client';
import type { CredentialSource } from '../credentials/source';
import type { Settings } from '../settings/table';
import type { QuickWorld, TokenKey } from '../world';

/** The fields of the request's form beside the client's ID and secret. @see RFC 6749 section 4.4.2 */
export const REQUEST_FORM = { grant_type: 'client_credentials' };

/** Returns the key of the tokens that a request with these settings and credentials returns. */
export function keyOf({ client }: Settings, { kind, authUrl, key: own }: CredentialSource): TokenKey {
  const form = Object.entries(REQUEST_FORM).flat();
  return {
    client,
    facts: [clientName(client), authUrl?.text ?? '', ...form, kind, ...own.facts],
    secret: own.secret,
  };
}

/** Template of a key in a file: parseLike() accepts JSON with these fields and types. */
export const STORED_KEY = {
  facts: [''] as readonly string[],
  salt: '',
  /** HMAC of the secret; empty if the key has none. */
  hmac: '',
};
export type StoredKey = Readonly<typeof STORED_KEY>;

type KeyWorld = Pick<QuickWorld, 'hmac'>;

/** Returns the key in the form in which it is stored with a token or failure, without its secret. */
export function storedKey({ facts, secret }: TokenKey, salt: string, { hmac }: KeyWorld): StoredKey {
  return { facts, salt, hmac: secret && hmac(secret, Buffer.from(salt)) };
}

export function keyMatches(stored: StoredKey, key: TokenKey, world: KeyWorld): boolean {
  const { facts, hmac } = storedKey(key, stored.salt, world);
  return JSON.stringify(facts) === JSON.stringify(stored.facts) && hmac === stored.hmac;
}
