import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A reply to a token request: status and body, or undefined to hang up. */
export type Answer = (form: URLSearchParams, count: number) => { status?: number; body: object } | undefined;

export interface TokenEndpoint {
  readonly authUrl: string;
  /** How many requests came in. */
  requests: number;
  /** Changes what requests from now on get. */
  answer: Answer;
  /** Milliseconds that replies are held back. */
  delayMs: number;
  close(): Promise<void>;
}

/**
 * An endpoint whose replies the test writes itself, for tokens, lifetimes and outages that no well-behaved server
 * gives; everything else is tested on the real one in identity-server.ts.
 */
export async function startTokenEndpoint(answer: Answer): Promise<TokenEndpoint> {
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    endpoint.requests++;
    if (endpoint.delayMs > 0) await sleep(endpoint.delayMs, undefined, { ref: false });
    const reply = endpoint.answer(new URLSearchParams(text), endpoint.requests);
    if (reply === undefined) return request.socket.destroy();
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(reply.body));
    return undefined;
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const endpoint: TokenEndpoint = {
    authUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: 0,
    answer,
    delayMs: 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return endpoint;
}

/** A success reply by RFC 6749 section 5.1. */
export function tokenReply(accessToken: string, more: object = {}): { body: object } {
  return { body: { access_token: accessToken, token_type: 'bearer', expires_in: 3600, scope: '', ...more } };
}
