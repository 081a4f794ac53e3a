import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '../../../src/client';
import { entryPath } from '../../../src/system/files/token-cache';
import { type CacheEntry, formatEntry } from '../../../src/token/cache-entry';
import {
  freshHome,
  type Home,
  type ProgramOptions,
  type ProgramResult,
  runProgram,
} from '../programs/program';

export const EU: Client = { profile: 'default', environment: 'production', region: 'eu' };

export interface ClientHome {
  readonly home: Home;
  /** A client in variables. */
  readonly env: Record<string, string>;
  /** The folder of the token cache, and the file of the client `default:production:eu` in it. */
  readonly cache: string;
  readonly entry: string;
  gwtoken(args: readonly string[], more?: Partial<ProgramOptions>): Promise<ProgramResult>;
}

/** A home with nothing in it, and a client in variables. */
export function clientHome(authUrl: string, secret = 'secret+/=&'): ClientHome {
  const home = freshHome();
  const env = {
    ...home.env,
    GWTOKEN_REGION: 'eu',
    GWTOKEN_AUTH_URL: authUrl,
    GWTOKEN_CLIENT_ID: 'client',
    GWTOKEN_CLIENT_SECRET: secret,
  };
  const cache = join(home.env.XDG_CACHE_HOME, 'gwtoken');
  return {
    home,
    env,
    cache,
    entry: entryPath(cache, EU, { platform: process.platform, uid: undefined }),
    gwtoken: (args, more = {}) => runProgram(args, { ...more, env: { ...env, ...more.env } }),
  };
}

/** An entry as gwtoken writes it for a client in the keychain, whose token lives an hour from now. */
export function keychainEntry(authUrl: string, more: Partial<CacheEntry['token']> = {}): string {
  const requestedAtMs = Date.now();
  return formatEntry({
    token: {
      accessToken: 'cached-token',
      tokenType: 'Bearer',
      scope: '',
      requestedAtMs,
      lifetimeS: 3600,
      ...more,
    },
    clientId: 'client',
    authUrl,
    source: { kind: 'keychain' },
    ageing: false,
  });
}

/** Puts a text where the entry belongs. */
export function putEntry({ cache, entry }: ClientHome, text: string): void {
  if (!existsSync(cache)) mkdirSync(cache, { recursive: true, mode: 0o700 });
  writeFileSync(entry, text, { mode: 0o600 });
}

/** What a client in the keychain has in the environment. */
export function withoutVariables({ env }: ClientHome): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('GWTOKEN_CLIENT_')));
}
