import type { CredentialSource } from '../credentials/source';
import { sourceOf } from '../credentials/sources';
import { GwtokenError, usage } from '../errors';
import type { Setting, Settings } from '../settings/table';
import { duration } from '../text';
import type { QuickWorld, TokenKey } from '../world';
import { keyOf, type RequestForm, requestForm } from './key';
import { expiresAtMs, isDemand, lastsMinTtl, type Token } from './token';

/** A request for a valid token of one client: its settings, each resolved, and limits. */
export interface Query extends RequestSettings {
  readonly key: TokenKey;
  readonly source: CredentialSource;
  /** The auth URL that the settings give; undefined if the credentials come with theirs. */
  readonly authUrl: Setting<string> | undefined;
  readonly minTtl: Setting<number> | undefined;
  readonly useCache: boolean;
  /** True if only a token that was requested after this run began is accepted. */
  readonly freshOnly: boolean;
  /** Time when the run began, in ms since the epoch. */
  readonly startedAtMs: number;
  /** Receives the number of each attempt after the first. */
  readonly onRetry?: (attempt: number) => void;
  /** Signal that cancels the request, and any wait before it. */
  readonly signal?: AbortSignal | undefined;
}

/** A query whose auth URL is not parsed yet: the cache needs no more, and parsing costs time. */
export type CacheQuery = Omit<Query, 'authUrl'>;

export interface RequestSettings {
  readonly form: RequestForm;
  readonly attempts: number;
  /** Limit of one attempt, in ms. */
  readonly timeoutMs: number;
  /** Time that all attempts and waits may take together, in ms. */
  readonly limitMs: number;
  readonly caFile: Setting<string> | undefined;
}

/** A token, and the parts of its query that outputs show. */
export interface TokenAnswer {
  readonly token: Token;
  readonly clientId: string;
  readonly authUrl: string;
  readonly query: Pick<Query, 'key' | 'minTtl'>;
  readonly from: 'cache' | 'network';
}

type QueryWorld = Pick<QuickWorld, 'env' | 'readFile' | 'now'>;

/** Returns the selected client's query for a run that begins now. Throws the first error of its settings. */
export function queryOf(settings: Settings, world: QueryWorld): Query {
  const query = cacheQueryOf(settings, world);
  return { ...query, authUrl: query.source.authUrl && settings.authUrl };
}

/** Returns {@link queryOf} without the auth URL, and without an error if that is invalid. */
export function cacheQueryOf(settings: Settings, world: QueryWorld): CacheQuery {
  const { client } = settings;
  const source = sourceOf(settings, world);
  if (!source.authUrl && !source.mayNameAuthUrl)
    throw usage(`no auth URL set for region ${client.region}`, [], 'no-auth-url');
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
    form: requestForm(settings),
    attempts: 1 + retries.value,
    timeoutMs: timeoutMs.value,
    limitMs: OVERALL_TIMEOUTS * timeoutMs.value,
    caFile,
  };
}

/** Returns the error if the token cannot meet a demanded min-ttl; undefined if it does. */
export function minTtlProblem(
  token: Token,
  { minTtl }: Pick<Query, 'minTtl'>,
  nowMs: number,
): GwtokenError | undefined {
  if (!isDemand(minTtl) || lastsMinTtl(token, nowMs, minTtl)) return undefined;
  const { text, source } = minTtl;
  if (token.lifetimeS === undefined) {
    const message = `this endpoint does not say how long its tokens last; ${source.name} requires it`;
    return new GwtokenError('bad-reply', message, [`omit ${source.name}`]);
  }
  const left = duration(Math.max(0, (expiresAtMs(token) ?? 0) - nowMs));
  const message = `${source.name} ${text} is too long: the token from the endpoint has ${left} left`;
  return new GwtokenError('bad-reply', message, [`lower ${source.name}`]);
}
