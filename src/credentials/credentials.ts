/** A client's ID and secret, and the characters that are allowed in them. */
import { usage } from '../errors';
import type { Setting } from '../settings/table';
import { VSCHAR } from '../text';
import type { World } from '../world';

export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Credentials, and the only auth URL that they may be sent to. */
export interface Loaded extends Credentials {
  readonly authUrl: string;
}

/** What a source may need to load credentials. */
export interface LoadOptions {
  /** The auth URL that the settings give for these credentials. */
  readonly authUrl: Setting<string> | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type LoadWorld = Pick<
  World,
  'stderr' | 'env' | 'runCredentialCommand' | 'keychain' | 'clients' | 'trace'
>;

/** Hints after an invalid client ID or secret. */
export const ONLY_CLIENT_ID = 'provide only the client ID, on one line';
export const ONLY_SECRET = 'provide only the secret, on one line of UTF-8';

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

/**
 * Returns the fault of a client ID as the end of a sentence; undefined if valid. @see RFC 6749 appendix A.1
 */
export function clientIdProblem(clientId: string): string | undefined {
  if (clientId === '') return 'is empty';
  return VSCHAR.test(clientId) ? undefined : 'contains a character that is not allowed in a client ID';
}
