/** Parsers of the settings' values. Each throws a `usage` error that names the value and its source. */
import { isProfile, isRegion, REGIONS, type Region } from '../client';
import { type GwtokenError, usage } from '../errors';
import { listOf, quoted } from '../text';

const UNIT_MS = { '': 1000, s: 1000, m: 60_000, h: 3_600_000 } as const;

/** Name of a value's source; undefined for an argument, which the user has just typed. */
export type Where = string | undefined;

function from(where: Where): string {
  return where === undefined ? '' : ` (from ${where})`;
}

function badValue(what: string, text: string, where: Where, allowed: string): GwtokenError {
  return usage(`invalid ${what} ${quoted(text)}${from(where)}`, [`use ${allowed}`]);
}

export function parseRegion(text: string, where: Where): Region {
  const lower = text.toLowerCase();
  if (isRegion(lower)) return lower;
  throw badValue('region', text, where, listOf(REGIONS));
}

/** Parses a switch. @param what the setting's name in the error */
export function parseSwitch(text: string, where: Where, what: string, on = '1', off = '0'): boolean {
  if (text === on || text === 'true') return true;
  if (text === off || text === 'false') return false;
  throw badValue(what, text, where, `${on}, true, ${off} or false`);
}

/** Parses `90`, `90s`, `5m` or `1h`; returns milliseconds. */
export function parseDurationMs(text: string, where: Where): number {
  const match = /^(\d{1,9})([smh]?)$/.exec(text);
  if (!match) throw badValue('duration', text, where, '90, 90s, 5m or 1h');
  return Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS];
}

/** Parses a timeout of 1 s to 1 h; returns milliseconds. */
export function parseTimeoutMs(text: string, where: Where): number {
  const ms = parseDurationMs(text, where);
  if (ms === 0 || ms > UNIT_MS.h) throw badValue('timeout', text, where, '1s to 1h');
  return ms;
}

export const MOST_RETRIES = 10;

export function parseRetries(text: string, where: Where): number {
  if (/^\d{1,2}$/.test(text) && Number(text) <= MOST_RETRIES) return Number(text);
  throw badValue('retries', text, where, `0 to ${MOST_RETRIES}`);
}

export function parseProfile(text: string, where: Where): string {
  if (isProfile(text)) return text;
  const allowed = '1 to 64 of a-z, 0-9, ".", "_" and "-", starting with a letter or digit';
  throw badValue('profile name', text, where, allowed);
}

export function parseText(text: string, where: Where, what: string): string {
  if (text !== '' && !text.includes('\0')) return text;
  throw badValue(what, text, where, 'a non-empty value');
}

/** Parses an auth URL. Removes a trailing `/oauth2/token`, because people copy the token endpoint's URL. */
export function parseAuthUrl(text: string, where: Where, region: Region = REGIONS[0]): string {
  const { origin, pathname } = parseBaseUrl(text, where, region, 'auth URL', 'https://identity.example.com');
  return origin + pathname.replace(/(?:\/+oauth2\/token)*\/*$/, '');
}

/** Parses an API URL, the gateway's address with its path. */
export function parseApiUrl(text: string, where: Where, region: Region = REGIONS[0]): string {
  const { origin, pathname } = parseBaseUrl(text, where, region, 'API URL', 'https://gateway.example.com');
  return origin + pathname.replace(/\/*$/, '');
}

/**
 * Parses a base URL after replacing `{region}`. It is stricter than `URL`, which drops newlines, reads a
 * backslash as a slash, and escapes invalid characters.
 */
function parseBaseUrl(text: string, where: Where, region: Region, name: string, example: string): URL {
  const filled = text.replaceAll('{region}', region);
  // The text before an @ may contain a password, and the query an API key: such a URL is not shown.
  const shown = /[@?#]/.test(text) ? name : `${name} ${quoted(text)}`;
  const fail = (problem: string, hint: string): GwtokenError =>
    usage(`${shown}${from(where)} ${problem}`, [hint]);

  // The same characters as /[\s\p{Cc}\\]/u, which takes longer to compile: the quick path parses URLs too.
  if (/[\s\\]|[^ -~\xa0-\uffff]/.test(filled))
    throw fail('contains a space, backslash or control character', `example: ${example}`);
  const url = /^https?:\/\//i.test(filled) && URL.canParse(filled) ? new URL(filled) : undefined;
  // `URL` decodes %7B in a host name, and gwtoken would reject the result at the next read.
  if (/[{}]/.test(filled + (url?.host ?? '')))
    throw fail('contains { or }', 'the only placeholder is {region}');
  if (!url) throw fail('is not a valid https:// URL', `example: ${example}`);
  // Searches the whole text, because `URL` takes the user name for the host if the password starts with `/`.
  if (filled.includes('@'))
    throw fail(
      'contains a user name or password',
      'remove it; gwtoken login stores credentials in the keychain',
    );
  if (/[?#]/.test(filled))
    throw fail('contains a query or fragment', `use only the base URL, for example ${example}`);
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    const secure = `https://${url.host}${url.pathname}`.replace(/\/$/, '');
    throw fail('is not encrypted', `use ${secure}`);
  }
  return url;
}

/** Returns whether the host is this machine, to which unencrypted http is allowed. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
