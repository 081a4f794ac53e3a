import type { CredentialSource } from '../credentials/source';
import { sourceOf } from '../credentials/sources';
import type { Setting, Settings } from '../settings/table';
import type { QuickWorld, TokenKey } from '../world';
import { keyOf } from './key';
import type { Token } from './token';

/** A request for a valid token of one client: its settings, each resolved, and limits. */
export interface Query extends RequestSettings {
  readonly key: TokenKey;
  readonly source: CredentialSource;
  readonly minTtl: Setting<number> | undefined;
  readonly useCache: boolean;
  /** True if only a token that was requested after this run began is accepted. */
  readonly freshOnly: boolean;
  /** Time when the run began, in ms since the epoch. */
  readonly startedAtMs: number;
}

/** The part of a query that a request without a cache needs. */
export interface RequestSettings {
  readonly attempts: number;
  /** Limit of one attempt, in ms. */
  readonly timeoutMs: number;
  /** Time that all attempts and waits may take together, in ms. */
  readonly limitMs: number;
  readonly caFile: Setting<string> | undefined;
  /** Signal that cancels the request, and any wait before it. */
  readonly signal?: AbortSignal | undefined;
}

/** A token, and the parts of its query that outputs show. */
export interface TokenAnswer {
  readonly token: Token;
  readonly clientId: string;
  readonly authUrl: string;
  readonly query: Pick<Query, 'key' | 'minTtl'>;
  readonly from: 'cache' | 'network';
}

/** Returns the selected client's query for a run that begins now. Throws the first error of its settings. */
export function queryOf(settings: Settings, world: Pick<QuickWorld, 'env' | 'readFile' | 'now'>): Query {
  const source = sourceOf(settings, world);
  return {
    ...requestSettings(settings),
    key: keyOf(settings, source),
    source,
    minTtl: settings.minTtlMs,
    useCache: settings.cache.value,
    freshOnly: settings.flags.fresh ?? false,
    startedAtMs: world.now(),
  };
}

/** All attempts and pauses together take at most this many times the timeout of one attempt. */
export const OVERALL_TIMEOUTS = 3;

export function requestSettings(settings: Settings): RequestSettings {
  const { timeoutMs, retries, caFile } = settings;
  return {
    attempts: 1 + retries.value,
    timeoutMs: timeoutMs.value,
    limitMs: OVERALL_TIMEOUTS * timeoutMs.value,
    caFile,
  };
}
