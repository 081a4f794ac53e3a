/** `{"client_id":"…","client_secret":"…"}`: what a keychain item holds and a credential command prints. */
import type { GwtokenError } from '../errors';
import { clientIdProblem, secretProblem } from './secret-text';

export interface ParsedCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Every other member, unchecked. */
  readonly more: Readonly<Record<string, unknown>>;
}

/**
 * Reads the JSON and checks both members.
 *
 * @param bad makes the error from the end of a sentence, `does not hold JSON`; nothing of the text is in it
 */
export function parseCredentials(text: string, bad: (problem: string) => GwtokenError): ParsedCredentials {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw bad('does not hold JSON');
  }
  const { client_id, client_secret, ...more } = (parsed ?? {}) as Record<string, unknown>;
  if (typeof client_id !== 'string' || typeof client_secret !== 'string')
    throw bad('lacks client_id or client_secret');
  const problem = clientIdProblem(client_id) ?? secretProblem(client_secret);
  if (problem) throw bad(`has a client_id or client_secret that ${problem}`);
  return { clientId: client_id, clientSecret: client_secret, more };
}
