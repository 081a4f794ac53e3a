/** The value of a keychain item: `{"client_id":"…","client_secret":"…","auth_url":"…"}` (contract section 3). */
import { GwtokenError } from '../errors';
import { parseCredentials } from './credentials-json';

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
        hints: ['give them in variables or from a file: gwtoken help environment'],
      },
    );
  }
  return text;
}

/** Reads an item; what is not one is a `keychain` error that never shows the value. */
export function parseItem(text: string, account: string): StoredCredentials {
  const bad = (problem: string): GwtokenError =>
    new GwtokenError('keychain', `the keychain item gwtoken, ${account} ${problem}`, {
      hints: [`store it anew: gwtoken login, or remove it: gwtoken logout`],
    });
  const { clientId, clientSecret, more } = parseCredentials(text, bad);
  const { auth_url: authUrl } = more;
  if (authUrl !== undefined && typeof authUrl !== 'string') throw bad('has an auth_url that is not a text');
  return { clientId, clientSecret, authUrl };
}
