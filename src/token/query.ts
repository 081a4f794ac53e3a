/** Everything that is resolved before the cache is looked at. */

import type { Client } from '../client';
import { type CredentialPlan, planCredentials } from '../credentials/plan';
import { failure, type GwtokenError } from '../errors';
import {
  type ClientSettings,
  type FetchSettings,
  requireAuthUrl,
  resolveFetchSettings,
} from '../settings/resolve';
import type { AuthUrl, SettingSources } from '../settings/table';
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
  readonly sources: SettingSources;
  readonly client: Client;
  readonly authUrl: Pick<AuthUrl, 'value' | 'template'>;
  readonly settings: FetchSettings;
  /** Where the credentials come from; at a login they come from the person. */
  readonly plan?: CredentialPlan;
  readonly attempts: number;
  /** Called with the number of each attempt after the first. */
  readonly onRetry?: (attempt: number) => void;
  /** When the run began, in milliseconds since the epoch: `--fresh` takes no token that was requested before. */
  readonly startedAtMs: number;
  /** When it has to have ended: all attempts and waiting together take at most three times the timeout. */
  readonly deadlineMs: number;
  /** Gives the request up, and whatever is waited for before it. */
  readonly signal?: AbortSignal | undefined;
}

export interface TokenQuery extends EndpointQuery {
  readonly authUrl: AuthUrl;
  readonly plan: CredentialPlan;
  /** Whether only a token requested after this run began will do. */
  readonly fresh: boolean;
}

export function endpointQuery(
  query: Pick<EndpointQuery, 'sources' | 'client' | 'authUrl' | 'settings'>,
  { now }: Pick<WarmWorld, 'now'>,
): EndpointQuery {
  const { timeoutMs, retries } = query.settings;
  const startedAtMs = now();
  const deadlineMs = startedAtMs + 3 * timeoutMs.value;
  return { ...query, attempts: 1 + retries.value, startedAtMs, deadlineMs };
}

/** @param verifiedUrl an auth URL that was checked before: that of a cached token */
export function resolveQuery(
  sources: SettingSources,
  { client, skipVariables }: Pick<ClientSettings, 'client' | 'skipVariables'>,
  world: Pick<WarmWorld, 'env' | 'readFile' | 'now'>,
  verifiedUrl?: string,
): TokenQuery {
  const settings = resolveFetchSettings(sources, client.profile);
  const authUrl = requireAuthUrl(sources, client, verifiedUrl);
  const plan = planCredentials(sources, { client, skipVariables }, world);
  return { ...endpointQuery({ sources, client, authUrl, settings }, world), authUrl, plan, fresh: false };
}

/** Whether min-ttl is from a flag or variable: then it is a demand, while the config file's is a wish. */
export function demandsMinTtl({ minTtlMs }: FetchSettings): boolean {
  return minTtlMs?.source.kind === 'flag' || minTtlMs?.source.kind === 'variable';
}

/** A `--min-ttl` that even a new token cannot meet is an error, not a shorter token. */
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
