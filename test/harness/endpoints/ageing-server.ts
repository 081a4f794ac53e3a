import { startTokenEndpoint, type TokenEndpoint, tokenReply } from './token-endpoint';

export interface AgeingServer extends TokenEndpoint {
  /** The token that the server returns at present. */
  readonly current: { readonly token: string; readonly untilMs: number };
}

/**
 * Starts an endpoint that returns one token until it expires, as Doorkeeper's `reuse_access_token` does: each
 * reply has the whole seconds left, which are 0 in the last one, and the first request after it a new token.
 */
export async function startAgeingServer(lifetimeMs: number): Promise<AgeingServer> {
  let current = { token: '', untilMs: 0 };
  const endpoint = await startTokenEndpoint((post) => {
    const nowMs = Date.now();
    if (nowMs >= current.untilMs) current = { token: `token-${post}`, untilMs: nowMs + lifetimeMs };
    return tokenReply(current.token, { expires_in: Math.floor((current.untilMs - nowMs) / 1000) });
  });
  return Object.defineProperty(endpoint, 'current', { get: () => current }) as AgeingServer;
}
