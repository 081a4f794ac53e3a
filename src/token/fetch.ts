import { type Client, clientFlags, otherRegion } from '../client';
import type { Credentials } from '../credentials/credentials';
import { GwtokenError } from '../errors';
import { resolveAuthUrl } from '../settings/resolve';
import type { World } from '../world/world';
import { requestTokenWithRetries } from './attempts';
import type { EndpointQuery } from './query';
import type { Token } from './token';

/**
 * Fetches a token with these credentials; a refusal gets the hints that fit this client. Login verifies with it too.
 *
 * @throws GwtokenError `refused`, `unreached` or `bad-reply`
 */
export async function fetchToken(
  query: EndpointQuery,
  credentials: Credentials,
  world: Pick<World, 'fetch' | 'now' | 'sleep' | 'random' | 'version' | 'trace'>,
): Promise<Token> {
  const { authUrl, settings, deadlineMs } = query;
  try {
    return await requestTokenWithRetries(
      {
        authUrl: authUrl.value,
        credentials,
        timeoutMs: settings.timeoutMs.value,
        retries: settings.retries.value,
        deadlineMs,
        caFile: settings.caFile?.value,
      },
      world,
    );
  } catch (error) {
    if (!(error instanceof GwtokenError) || error.kind !== 'refused') throw error;
    throw withRefusalHints(error, query);
  }
}

/** `invalid_client` is what an endpoint answers to another region's client, or to another environment's. */
function withRefusalHints(
  error: GwtokenError,
  { plan, given, client, authUrl }: EndpointQuery,
): GwtokenError {
  const hints = plan === undefined ? [] : [`the credentials are from ${plan.name}`];
  if (error.reason === 'invalid_client') {
    const elsewhere: Client = { ...client, region: otherRegion(client.region) };
    hints.push(`a client belongs to one region: try ${clientFlags(elsewhere)}`);
    const swapped: Client = {
      ...client,
      environment: client.environment === 'sandbox' ? 'production' : 'sandbox',
    };
    const other = resolveAuthUrl({ ...given, flags: {} }, swapped);
    if (other !== undefined && other.value !== authUrl.value) {
      hints.push(
        `it may be a client of the ${swapped.environment}: try --${swapped.environment === 'sandbox' ? '' : 'no-'}sandbox`,
      );
    }
  }
  return error.withHints(hints);
}
