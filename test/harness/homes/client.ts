import { mkdirSync, writeFileSync } from 'node:fs';
import type { Client } from '../../../src/client';
import type { Host } from '../../../src/system/files/paths';
import { entryPath } from '../../../src/system/files/token-cache';
import { type CacheEntry, formatEntry } from '../../../src/token/cache';
import { CLIENT, type IdentityClient } from '../endpoints/identity-server';

export const MACHINE: Host = { platform: process.platform, uid: process.geteuid?.() };
export const EU: Client = { profile: 'default', environment: 'production', region: 'eu' };

/** Returns the file of the client `default:production:eu` in a directory of the token cache. */
export const entryIn = (cache: string): string => entryPath(cache, EU);

/** Returns a cache entry of a client in the keychain, whose token expires in an hour. */
export function keychainEntry(
  authUrl: string,
  { clientId = 'client', ...token }: Partial<CacheEntry['token']> & { clientId?: string } = {},
): string {
  return formatEntry({
    token: {
      accessToken: 'cached-token',
      tokenType: 'Bearer',
      scope: '',
      requestedAtMs: Date.now(),
      lifetimeS: 3600,
      ...token,
    },
    clientId,
    owner: { authUrl, salt: '', fingerprint: '' },
  });
}

/** Writes a text to the place of the cache entry. */
export function putEntry(cache: string, text: string): void {
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  writeFileSync(entryIn(cache), text, { mode: 0o600 });
}

/** Returns the variables of a client, which are enough to get a token. */
export function inVariables(authUrl: string, { clientId, clientSecret } = CLIENT): Record<string, string> {
  return {
    GWTOKEN_REGION: 'eu',
    GWTOKEN_AUTH_URL: authUrl,
    GWTOKEN_CLIENT_ID: clientId,
    GWTOKEN_CLIENT_SECRET: clientSecret,
  };
}

/** Returns the variables without credentials, for a client in the keychain. */
export function withoutVariables(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('GWTOKEN_CLIENT_')));
}

/** The client to store; by default {@link CLIENT} in the region `eu`. */
export interface Login extends Partial<IdentityClient> {
  readonly region?: 'eu' | 'us';
  /** By default the auth URL of the settings. */
  readonly authUrl?: string;
  /** Further flags, such as `--sandbox`. */
  readonly flags?: readonly string[];
}

/** Returns the command line of a login that reads the secret from stdin. */
export function loginArgs({
  region = 'eu',
  authUrl,
  clientId = CLIENT.clientId,
  flags = [],
}: Login): string[] {
  const address = authUrl === undefined ? [] : ['--auth-url', authUrl];
  return ['login', '--region', region, ...address, '--client-id', clientId, '--secret-stdin', ...flags];
}
