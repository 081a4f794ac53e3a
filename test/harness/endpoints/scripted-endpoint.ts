import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Answer {
  readonly status?: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ScriptedEndpoint {
  readonly authUrl: string;
  /** The form of each POST, in the order of their arrival. */
  readonly posts: URLSearchParams[];
  /** Resolves when so many POSTs have arrived. */
  arrived(count: number): Promise<void>;
  close(): Promise<void>;
}

/** A reply with a token that nobody got before. */
export function tokenReply(number: number, more: Record<string, unknown> = {}): Answer {
  return { body: { access_token: `token-${number}`, token_type: 'Bearer', expires_in: 3600, ...more } };
}

/**
 * A token endpoint for what a right-minded OAuth server does not do: tokens without a lifetime, or a reply that waits
 * until the test is ready. `answer` gets the number of the POST, from 1.
 */
export async function startScriptedEndpoint(
  answer: (number: number) => Answer | Promise<Answer>,
): Promise<ScriptedEndpoint> {
  const posts: URLSearchParams[] = [];
  const waiting = new Set<() => void>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      return;
    }
    posts.push(new URLSearchParams(Buffer.concat(chunks).toString()));
    for (const look of [...waiting]) look();
    const { status = 200, body } = await answer(posts.length);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    authUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    posts,
    arrived: (count) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (posts.length < count) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
