import { mkdirSync, writeFileSync } from 'node:fs';
import type { Client } from '../../../src/client';
import { sourceOf } from '../../../src/credentials/sources';
import { hmac } from '../../../src/system/distribution';
import type { Host } from '../../../src/system/files/paths';
import { entryPath } from '../../../src/system/files/token-cache';
import { type CacheEntry, formatEntry } from '../../../src/token/cache';
import { keyOf, storedKey } from '../../../src/token/key';
import type { TokenKey } from '../../../src/world';
import { settingsWith, type Values } from '../../settings/places';
import { CLIENT, type IdentityClient } from '../endpoints/identity-server';

export const MACHINE: Host = { platform: process.platform, uid: process.geteuid?.() };
export const EU: Client = { profile: 'default', environment: 'production', region: 'eu' };

/** A key of that client, for tests that only need files. */
export const EU_KEY: TokenKey = { client: EU, facts: [], secret: '' };

/** Returns the key of the settings' selected client. */
export function keyWith(values: Values): TokenKey {
  const settings = settingsWith(values);
  return keyOf(settings, sourceOf(settings, { env: settings.env, readFile: () => Buffer.from('') }));
}

/** A token that expires in an hour, and its client's ID. */
type CachedToken = Partial<CacheEntry['token']> & { readonly clientId?: string };

/** Caches a token of `default:production:eu` in the keychain, by default of a client that is in no list. */
export function putToken(
  cache: string,
  authUrl: string,
  { clientId = 'client', ...token }: CachedToken = {},
  stored: Values['stored'] = {},
): void {
  const key = keyWith({ env: { GWTOKEN_REGION: 'eu', GWTOKEN_AUTH_URL: authUrl }, stored });
  const text = formatEntry({
    token: {
      accessToken: 'cached-token',
      tokenType: 'Bearer',
      scope: '',
      requestedAtMs: Date.now(),
      lifetimeS: 3600,
      ...token,
    },
    clientId,
    authUrl,
    key: storedKey(key, '', { hmac }),
  });
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  writeFileSync(entryPath(cache, key), text, { mode: 0o600 });
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
