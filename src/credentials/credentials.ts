/** A client's ID and secret, and the characters that are allowed in them. */
import type { Client } from '../client';
import { orUndefined, usage } from '../errors';
import { parseAuthUrl } from '../settings/values';

export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Credentials as an item or a command gives them. */
export interface ParsedCredentials extends Credentials {
  readonly authUrl: string | undefined;
}

/** Credentials, and the only auth URL that they may be sent to. */
export interface BoundCredentials extends Credentials {
  readonly authUrl: string;
  /** Absent if the ID and the secret have no names. */
  readonly names?: ValueNames;
}

/** Names of a client's ID and secret in messages, such as the variables that contain them. */
export interface ValueNames {
  readonly id: string;
  readonly secret: string;
  /** The variable for the path of a file with the secret, if the secret itself is in a variable. */
  readonly secretFile?: string | undefined;
}

export const ONLY_CLIENT_ID = 'provide only the client ID, on one line';
export const ONLY_SECRET = 'provide only the secret, on one line of UTF-8';

/** Characters of client IDs, tokens and scopes (RFC 6749 appendix A): visible ASCII and spaces. */
export const VSCHAR = /^[\x20-\x7e]*$/;

/** Largest input that is read for a secret, in bytes. */
export const SECRET_LIMIT = 64 * 1024;

/**
 * Decodes a secret from stdin or a file. Drops a leading BOM and one trailing line end, which editors and
 * `echo` add. Rejects any other control character. No error contains a part of the secret.
 */
export function secretFromBytes(bytes: Uint8Array, where: string): string {
  return checkSecret(new TextDecoder().decode(bytes).replace(/\r?\n$/, ''), where);
}

export function checkSecret(secret: string, where: string): string {
  const problem = secretProblem(secret);
  if (problem === undefined) return secret;
  throw usage(`the client secret from ${where} ${problem}`, [ONLY_SECRET]);
}

/** Returns the fault of a secret as the end of a sentence; undefined for a valid secret. */
export function secretProblem(secret: string): string | undefined {
  if (secret === '') return 'is empty';
  // Bytes that are not UTF-8 are decoded to this character.
  if (secret.includes('\uFFFD')) return 'is not UTF-8 text';
  // The same characters as /\p{Cc}/u, which takes a tenth of a millisecond to compile.
  return /[^ -~\xa0-\uffff]/.test(secret) ? 'contains a control character (such as a newline)' : undefined;
}

/** Returns the fault of a client ID in the same way. @see RFC 6749 appendix A.1 */
export function clientIdProblem(clientId: string): string | undefined {
  if (clientId === '') return 'is empty';
  return VSCHAR.test(clientId) ? undefined : 'contains a character that is not allowed in a client ID';
}

/**
 * Parses the JSON of an item or a credential command: `{"client_id":"…","client_secret":"…","auth_url":"…"}`.
 * Returns a fault as the end of a sentence.
 */
export function parseCredentials(text: string, { region }: Client): ParsedCredentials | string {
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
