/** A token request before it is made, and its answer. */

import type { Client } from '../client';
import type { CredentialQuery } from '../credentials/plan';
import { failure, type GwtokenError } from '../errors';
import type { AuthUrl, FetchSettings } from '../settings/table';
import { duration } from '../text';
import type { WarmWorld } from '../world';
import { isFresh, type Token } from './token';

export interface TokenAnswer {
  readonly token: Token;
  readonly client: Client;
  readonly authUrl: string;
  readonly clientId: string;
  /** The setting, in milliseconds; see {@link freshUntilMs}. */
  readonly minTtlMs: number | undefined;
  readonly from: 'cache' | 'network';
}

/** Whose token is requested, where, and until when. */
export interface EndpointQuery {
  readonly client: Client;
  readonly authUrl: Pick<AuthUrl, 'value' | 'template'>;
  readonly settings: FetchSettings;
  readonly attempts: number;
  /** Called with the number of each attempt after the first. */
  readonly onRetry?: (attempt: number) => void;
  /** When the run began, in milliseconds since the epoch: `--fresh` takes no token that was requested before. */
  readonly startedAtMs: number;
  /** How long all attempts and waiting for others may take together: three times the timeout. */
  readonly limitMs: number;
  /** Gives the request up, and whatever is waited for before it. */
  readonly signal?: AbortSignal | undefined;
}

/** The same, with the source of the credentials; at a login they come from the person. */
export interface TokenQuery extends EndpointQuery, CredentialQuery {
  readonly authUrl: AuthUrl;
  readonly settings: FetchSettings;
  readonly signal?: AbortSignal | undefined;
  /** Whether only a token requested after this run began will do. */
  readonly fresh: boolean;
}

/** Returns a query with the attempts and the limit that the settings mean for a run that begins now. */
export function endpointQuery(
  query: Pick<EndpointQuery, 'client' | 'authUrl' | 'settings'>,
  { now }: Pick<WarmWorld, 'now'>,
): EndpointQuery {
  const { timeoutMs, retries } = query.settings;
  return { ...query, attempts: 1 + retries.value, startedAtMs: now(), limitMs: 3 * timeoutMs.value };
}

/** Returns whether min-ttl is from a flag or variable: then it is a demand, while the config file's is a wish. */
export function demandsMinTtl({ minTtlMs }: FetchSettings): boolean {
  return minTtlMs?.source.kind === 'flag' || minTtlMs?.source.kind === 'variable';
}

/** Returns the error of a `--min-ttl` that even a new token cannot meet: a shorter token would be no answer. */
export function minTtlProblem(
  token: Token,
  settings: FetchSettings,
  nowMs: number,
): GwtokenError | undefined {
  const { minTtlMs } = settings;
  if (minTtlMs === undefined || !demandsMinTtl(settings) || isFresh(token, nowMs, minTtlMs.value))
    return undefined;
  const { name } = minTtlMs.source;
  return failure(
    'bad-reply',
    token.lifetimeS === undefined
      ? `this endpoint does not say how long its tokens last; ${name} requires it`
      : `tokens from this endpoint last ${duration(token.lifetimeS * 1000)}; ${name} must be less`,
    `lower ${name}`,
  );
}
