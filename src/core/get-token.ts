/** From settings to a valid token: the sentence that the whole program exists for. */
import { GwtokenError } from '../errors';
import type { World } from '../world';
import { type Client, clientFlags, otherRegion } from './clients';
import { type Credentials, findCredentials } from './credentials';
import {
  type AuthUrl,
  type ClientSettings,
  type FetchSettings,
  type Given,
  requireAuthUrl,
  resolveAuthUrl,
  resolveFetchSettings,
} from './settings';
import { isFresh, type Token } from './token';
import { requestToken } from './token-request';

/** A token with what it belongs to and where it came from. */
export interface Obtained {
  readonly token: Token;
  readonly client: Client;
  readonly authUrl: string;
  readonly from: 'cache' | 'network';
}

type Outside = Pick<
  World,
  | 'env'
  | 'stderr'
  | 'terminal'
  | 'readFile'
  | 'runCredentialCommand'
  | 'keychain'
  | 'fetch'
  | 'now'
  | 'version'
  | 'trace'
>;

/**
 * Gives a valid token for the client that the settings name.
 *
 * @throws GwtokenError of any kind but `local`
 */
export async function getToken(
  given: Given,
  { client, profile }: ClientSettings,
  world: Outside,
): Promise<Obtained> {
  const authUrl = requireAuthUrl(given, client);
  const settings = resolveFetchSettings(given, client.profile);
  const credentials = await findCredentials(given, client, profile.source, authUrl, settings, world);
  // No spinner before this: a credential command may be asking the person something on the same terminal.
  const token = await world.terminal.spin('asking for a token', () =>
    fetchToken(given, client, authUrl, credentials, settings, world),
  );
  checkMinTtl(token, settings, world.now());
  return { token, client, authUrl: authUrl.value, from: 'network' };
}

/** Fetches a token with these credentials; a refusal gets the hints that fit this client. Login verifies with it. */
export async function fetchToken(
  given: Given,
  client: Client,
  authUrl: AuthUrl,
  credentials: Credentials,
  settings: FetchSettings,
  world: Outside,
): Promise<Token> {
  try {
    return await requestToken(
      {
        authUrl: authUrl.value,
        credentials,
        timeoutMs: settings.timeoutMs.value,
        caFile: settings.caFile?.value,
      },
      world,
    );
  } catch (error) {
    if (error instanceof GwtokenError && error.kind === 'refused')
      throw withRefusalHints(error, given, client, authUrl, credentials);
    throw error;
  }
}

/** `invalid_client` is what an endpoint answers to another region's client, or to another environment's. */
function withRefusalHints(
  error: GwtokenError,
  given: Given,
  client: Client,
  authUrl: AuthUrl,
  { source }: Credentials,
): GwtokenError {
  const hints = source.kind === 'login' ? [] : [`the credentials are from ${source.name}`];
  if (error.reason === 'invalid_client') {
    const elsewhere: Client = { ...client, region: otherRegion(client.region) };
    hints.push(`a client belongs to one region: try ${clientFlags(elsewhere)}`);
    const swapped: Client = {
      ...client,
      environment: client.environment === 'sandbox' ? 'production' : 'sandbox',
    };
    if (resolveAuthUrl({ ...given, flags: {} }, swapped)?.value !== authUrl.value) {
      hints.push(
        `it may be a client of the ${swapped.environment}: try --${swapped.environment === 'sandbox' ? '' : 'no-'}sandbox`,
      );
    }
  }
  return error.withHints(hints);
}

/** A `--min-ttl` that even a new token cannot meet is an error, not a shorter token. */
function checkMinTtl(token: Token, { minTtlMs }: FetchSettings, nowMs: number): void {
  if (minTtlMs === undefined || minTtlMs.source.kind === 'config' || isFresh(token, nowMs, minTtlMs.value))
    return;
  const has =
    token.lifetimeS === undefined ? 'gives no expires_in' : `gives tokens that live ${token.lifetimeS} s`;
  throw new GwtokenError(
    'bad-reply',
    `the endpoint ${has}, and ${minTtlMs.source.name} asks for more than ${minTtlMs.value / 1000} s`,
    {
      hints: [`lower ${minTtlMs.source.name}`],
    },
  );
}
