/** The cached token. It is used only for its own key, and an unreadable entry is a miss, never an error. */
import { VSCHAR } from '../credentials/credentials';
import type { QuickWorld, TokenKey } from '../world';
import { keyMatches, parseLike, STORED_KEY } from './key';
import type { Query, TokenAnswer } from './query';
import { ageMs, LIFETIME_LIMIT_S, lastsMinTtl, type Token } from './token';

const TOKEN_SHAPE = { accessToken: '', tokenType: '', scope: '', requestedAtMs: 0, lifetimeS: 0 };
const ENTRY_SHAPE = { key: STORED_KEY, clientId: '', authUrl: '', token: TOKEN_SHAPE satisfies Token };
export type CacheEntry = Readonly<typeof ENTRY_SHAPE>;

export type CacheWorld = Pick<QuickWorld, 'tokens' | 'hmac' | 'now' | 'trace'>;

/** Returns the cached token if it belongs to the query and may be used; otherwise undefined. */
export function lookInCache(query: Query, world: CacheWorld): TokenAnswer | undefined {
  const entry = cachedEntry(query.key, world);
  if (!entry) {
    world.trace('cache: no token');
    return undefined;
  }
  const leftS = Math.floor(lifeLeftMs(entry, world.now()) / 1000);
  const mayUse = mayAnswer(entry, query, world.now());
  world.trace(`cache: ${mayUse ? 'using' : 'not using'} a token with ${leftS} s left`);
  return mayUse ? { ...entry, query, from: 'cache' } : undefined;
}

/** Returns the entry of the key. Its file may contain one of another secret. */
export function cachedEntry(
  key: TokenKey,
  world: Pick<CacheWorld, 'tokens' | 'hmac'>,
): CacheEntry | undefined {
  const entry = parseEntry(world.tokens.read(key).text ?? '');
  return entry && keyMatches(entry.key, key, world) ? entry : undefined;
}

/** Returns whether a cached token lasts long enough, or was requested after this run began. */
export function mayAnswer(
  entry: CacheEntry,
  { minTtl, freshOnly, startedAtMs }: Pick<Query, 'minTtl' | 'freshOnly' | 'startedAtMs'>,
  nowMs: number,
): boolean {
  const { token } = entry;
  if (lifeLeftMs(entry, nowMs) <= 0) return false;
  return token.requestedAtMs > startedAtMs || (!freshOnly && lastsMinTtl(token, nowMs, minTtl));
}

/** Returns how long a token is still valid, in ms; 0 if the clock was set back since its request. */
export function lifeLeftMs({ token }: CacheEntry, nowMs: number): number {
  const age = ageMs(token.requestedAtMs, nowMs);
  return age === undefined ? 0 : Math.max(0, token.lifetimeS * 1000 - age);
}

/** Returns whether the cached token has expired, or the text is not a cached token. */
export function isExpired(text: string, nowMs: number): boolean {
  const entry = parseEntry(text);
  return entry === undefined || lifeLeftMs(entry, nowMs) === 0;
}

export function formatEntry(entry: CacheEntry): string {
  return `${JSON.stringify(entry)}\n`;
}

/** Reads an entry; returns undefined for any text that {@link formatEntry} did not write. */
export function parseEntry(text: string): CacheEntry | undefined {
  const entry = parseLike(text, ENTRY_SHAPE);
  if (entry === undefined) return undefined;
  const { accessToken, tokenType, scope, lifetimeS } = entry.token;
  // A shell evaluates these texts, so an edited file must not add statements.
  const isToken = accessToken !== '' && [accessToken, tokenType, scope].every((each) => VSCHAR.test(each));
  return isToken && lifetimeS <= LIFETIME_LIMIT_S ? entry : undefined;
}
