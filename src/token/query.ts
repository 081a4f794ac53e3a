/** A token request before it is made, and its answer. */

import type { Client } from '../client';
import type { CredentialQuery } from '../credentials/plan';
import { failure, type GwtokenError } from '../errors';
import type { AuthUrl, FetchSettings, Setting } from '../settings/table';
import { duration } from '../text';
import type { QuickWorld } from '../world';
import { isDemand, isFresh, type Token } from './token';

export interface TokenAnswer {
  readonly token: Token;
  readonly client: Client;
  readonly authUrl: string;
  readonly clientId: string;
  readonly minTtl: Setting<number> | undefined;
  readonly from: 'cache' | 'network';
}

/** Client whose token is requested, the auth URL, and the limits. */
export interface EndpointQuery {
  readonly client: Client;
  readonly authUrl: Pick<AuthUrl, 'value' | 'template'>;
  readonly settings: FetchSettings;
  readonly attempts: number;
  /** Receives the number of each attempt after the first. */
  readonly onRetry?: (attempt: number) => void;
  /** Time when the run began, in ms since the epoch: `--fresh` takes no token that was requested before. */
  readonly startedAtMs: number;
  /** Time that all attempts and waits may take together, in ms: three times the timeout. */
  readonly limitMs: number;
  /** Signal that cancels the request, and any wait before it. */
  readonly signal?: AbortSignal | undefined;
}

/** A query with the source of the credentials; at a login they come from the person instead. */
export interface TokenQuery extends EndpointQuery, CredentialQuery {
  readonly authUrl: AuthUrl;
  readonly settings: FetchSettings;
  readonly signal?: AbortSignal | undefined;
  /** True if only a token requested after this run began will do. */
  readonly fresh: boolean;
}

/** Returns a query for a run that begins now, with the attempts and the limit that the settings allow. */
export function endpointQuery(
  query: Pick<EndpointQuery, 'client' | 'authUrl' | 'settings'>,
  { now }: Pick<QuickWorld, 'now'>,
): EndpointQuery {
  const { timeoutMs, retries } = query.settings;
  return { ...query, attempts: 1 + retries.value, startedAtMs: now(), limitMs: 3 * timeoutMs.value };
}

/** Returns the error of a demanded min-ttl that even a new token cannot meet; undefined if it is met. */
export function minTtlProblem(
  token: Token,
  { minTtlMs }: Pick<FetchSettings, 'minTtlMs'>,
  nowMs: number,
): GwtokenError | undefined {
  if (!isDemand(minTtlMs) || isFresh(token, nowMs, minTtlMs)) return undefined;
  const { name } = minTtlMs.source;
  return failure(
    'bad-reply',
    token.lifetimeS === undefined
      ? `this endpoint does not say how long its tokens last; ${name} requires it`
      : `tokens from this endpoint last ${duration(token.lifetimeS * 1000)}; ${name} must be less`,
    `lower ${name}`,
  );
}
