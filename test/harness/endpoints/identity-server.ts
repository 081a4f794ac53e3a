import { randomBytes } from 'node:crypto';
import { startTokenEndpoint, type TokenEndpoint } from './token-endpoint';

export interface IdentityClient {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The client of a test that names no other. */
export const CLIENT: IdentityClient = { clientId: 'client', clientSecret: 'secret+/=&' };

export interface IdentityServer extends TokenEndpoint {
  /** The issued access tokens, oldest first. */
  readonly issued: string[];
}

/**
 * Starts the identity endpoint of one region. It replies in the same way as the certified server in
 * test/token/independent-server.both.system.test.ts.
 *
 * @param clients the known clients, including those of the sandbox
 */
export async function startIdentityServer({
  clients = [CLIENT],
  scope = '',
}: {
  readonly clients?: readonly IdentityClient[];
  readonly scope?: string;
} = {}): Promise<IdentityServer> {
  const issued: string[] = [];
  const endpoint = await startTokenEndpoint((_, form) => {
    const isKnown = clients.some(
      ({ clientId, clientSecret }) =>
        form.get('client_id') === clientId && form.get('client_secret') === clientSecret,
    );
    if (!isKnown)
      return {
        status: 401,
        body: { error: 'invalid_client', error_description: 'client authentication failed' },
      };
    const token = randomBytes(32).toString('base64url');
    issued.push(token);
    return { body: { access_token: token, token_type: 'Bearer', expires_in: 3600, scope } };
  });
  return Object.assign(endpoint, { issued });
}
