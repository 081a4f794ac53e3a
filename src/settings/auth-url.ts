/** The auth URL: the regional identity address that a secret is sent to (contract section 2). */

import type { Region } from '../client';
import { GwtokenError } from '../errors';
import { quoted } from '../text';

/**
 * An auth URL with `{region}` replaced, without a trailing slash: `https:`, or `http:` for a loopback address only;
 * no user info, query or fragment (contract section 2). Stricter than `URL`, which drops newlines, takes a backslash
 * for a slash and escapes what it does not like: a secret is sent there, so nothing is guessed.
 */
export function parseAuthUrl(text: string, where: string, region: Region): string {
  const filled = text.replaceAll('{region}', region);
  const fail = (problem: string, hint: string): GwtokenError =>
    new GwtokenError('usage', `auth URL ${quoted(withoutSecrets(text))} (from ${where}) ${problem}`, {
      hints: [hint],
    });

  if (/[\s\p{Cc}\\]/u.test(filled)) {
    throw fail('contains a space, backslash or control character', `example: ${EXAMPLE}`);
  }
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(filled)?.[1]?.toLowerCase();
  if (scheme !== undefined && scheme !== 'https' && scheme !== 'http') {
    throw fail('must begin with https://', `example: ${EXAMPLE}`);
  }
  const url = scheme !== undefined && URL.canParse(filled) ? new URL(filled) : undefined;
  // `URL` decodes %7B in a host name, and what it makes of it would be refused when it is read again.
  if (/[{}]/.test(filled + url?.host)) throw fail('contains { or }', 'the only placeholder is {region}');
  if (!url) {
    const bare = /^[\w.-]+\.[a-z]{2,}(:\d+)?(\/[\w./-]*)?$/i.test(filled);
    throw fail('is not a URL', bare ? `did you mean https://${text}?` : `example: ${EXAMPLE}`);
  }
  // Anywhere: of a password that begins with a slash, `URL` makes the path of a host that is the user name.
  if (filled.includes('@')) {
    throw fail(
      'contains a user name or password',
      'remove it; gwtoken login stores credentials in the keychain',
    );
  }
  if (/[?#]/.test(filled))
    throw fail('contains a query or fragment', `use only the base URL, for example ${EXAMPLE}`);
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw fail(
      'would send the client secret unencrypted',
      `use https://${url.host}${url.pathname}`.replace(/\/$/, ''),
    );
  }
  const address = url.href.replace(/\/+$/, '');
  if (address.endsWith('/oauth2/token')) {
    throw fail(
      'already ends with /oauth2/token',
      `gwtoken adds that path; use ${address.slice(0, -'/oauth2/token'.length)}`,
    );
  }
  return address;
}

const EXAMPLE = 'https://identity.example.com';

/** 127.0.0.0/8, `::1` and `localhost`, in the form that `URL` gives them. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** What a person may have put into an address by mistake is not repeated: user info, a query, a fragment. */
function withoutSecrets(text: string): string {
  return text
    .replace(/^([a-z][a-z0-9+.-]*:)?.*@/is, (_, scheme = '') => `${scheme}//***@`)
    .replace(/([?#]).*$/s, '$1***');
}
