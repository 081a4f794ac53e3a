/**
 * The key of a token: all that it depends on. A token or failure of another key is never used. Their files,
 * which contain the key, are parsed by templates.
 */
import { clientName } from '../client';
import type { CredentialSource } from '../credentials/source';
import { orUndefined } from '../errors';
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

/** Parses JSON that has the fields and types of the example; returns undefined for any other text. */
export function parseLike<T>(text: string, example: T): T | undefined {
  const value: unknown = orUndefined(() => JSON.parse(text));
  return isLike(value, example) ? value : undefined;
}

function isLike<T>(value: unknown, example: T): value is T {
  if (typeof value !== typeof example || value === null) return false;
  if (typeof example !== 'object') return true;
  if (Array.isArray(example)) return Array.isArray(value) && value.every((each) => isLike(each, example[0]));
  return Object.entries(example as object).every(([name, each]) =>
    isLike((value as Record<string, unknown>)[name], each),
  );
}
