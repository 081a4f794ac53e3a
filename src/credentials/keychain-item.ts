/** The value of a keychain item: `{"client_id":"…","client_secret":"…","auth_url":"…"}` (contract section 3). */

import { clientFlags, parseClientName } from '../client';
import { GwtokenError } from '../errors';
import { parseCredentials } from './json';

export interface StoredCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
  /** The address that login verified the credentials against; undefined in an item made by hand. */
  readonly authUrl: string | undefined;
}

/** The Windows Credential Manager takes no more; the same everywhere, so that an item can move. */
const LIMIT_BYTES = 2560;

export function formatItem(stored: StoredCredentials): string {
  const text = JSON.stringify({
    client_id: stored.clientId,
    client_secret: stored.clientSecret,
    auth_url: stored.authUrl,
  });
  const bytes = Buffer.byteLength(text);
  if (bytes > LIMIT_BYTES) {
    throw new GwtokenError(
      'usage',
      `the credentials take ${bytes} bytes, and a keychain item holds at most ${LIMIT_BYTES}`,
      {
        reason: 'too-large',
        hints: ['give them in variables or from a file: gwtoken help environment'],
      },
    );
  }
  return text;
}

/**
 * Reads an item, also one made by hand: with a BOM or blanks around it, or as UTF-16 by `cmdkey`. What is not one is a
 * `keychain` error of the reason `malformed`, which never shows the value.
 */
export function parseItem(text: string, account: string): StoredCredentials {
  const bad = (problem: string, ...hints: string[]): GwtokenError =>
    new GwtokenError('keychain', `the keychain item gwtoken, ${account} ${problem}`, {
      reason: 'malformed',
      hints: [...hints, ...mend(account)],
    });
  const clean = withoutUtf16Padding(text).replace(/^\uFEFF/, '');
  // What keytar makes of bytes that are not UTF-8.
  if (clean.includes('\uFFFD')) throw bad('is not UTF-8 text');
  const { clientId, clientSecret, more } = parseCredentials(clean, bad);
  const { auth_url: authUrl } = more;
  if (authUrl !== undefined && typeof authUrl !== 'string') throw bad('has an auth_url that is not a text');
  return { clientId, clientSecret, authUrl };
}

/** `cmdkey` and the Credential Manager's window store UTF-16, which keytar reads as a NUL after each ASCII letter. */
function withoutUtf16Padding(text: string): string {
  return /^(?:[^\0]\0)+$/.test(text) ? text.replaceAll('\0', '') : text;
}

function mend(account: string): string[] {
  const client = parseClientName(account);
  const flags = client ? ` ${clientFlags(client)}` : '';
  return [`store it anew: gwtoken login${flags}`, `or remove it: gwtoken logout${flags}`];
}
