import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../programs/processes';
import { listen } from './listen';

export interface Answer {
  readonly status?: number;
  readonly body: object;
}

/** Returns the answer to POST number 1, 2, …; undefined cuts the connection. */
type AnswerPost = (post: number, form: URLSearchParams) => Answer | undefined | Promise<Answer | undefined>;

export interface TokenEndpoint {
  readonly authUrl: string;
  /** The form of each POST, in the order of their arrival. */
  readonly posts: URLSearchParams[];
  /** The same requests with method, URL, headers and unparsed body. */
  readonly requests: (Pick<IncomingMessage, 'method' | 'url' | 'headers'> & { readonly body: string })[];
  /** Answers the next requests. */
  answer: AnswerPost;
  /** Delay of the replies to the next requests, in milliseconds. */
  delayMs: number;
  /** Holds back the replies to the next requests. Returns the function that releases them. */
  hold(): () => void;
  /** Resolves when this number of POSTs has arrived. */
  arrived(count: number): Promise<void>;
}

/** Returns a successful reply. A number stands for the token `token-NUMBER`. @see RFC 6749 section 5.1 */
export function tokenReply(token: string | number, more: object = {}): Answer {
  const accessToken = typeof token === 'number' ? `token-${token}` : token;
  return { body: { access_token: accessToken, token_type: 'bearer', expires_in: 3600, scope: '', ...more } };
}

/** Starts an endpoint with the test's replies. identity-server.ts has one that knows clients. */
export async function startTokenEndpoint(
  answer: AnswerPost = (post) => tokenReply(post),
  tls?: { readonly key: string; readonly cert: string },
): Promise<TokenEndpoint> {
  let held: Promise<void> | undefined;
  const server = (tls ? createTlsServer({ key: tls.key, cert: tls.cert }) : createServer()).on(
    'request',
    async (request, response) => {
      let text = '';
      try {
        for await (const chunk of request) text += chunk;
      } catch {
        return;
      }
      const { method, url, headers } = request;
      endpoint.requests.push({ method, url, headers, body: text });
      const form = new URLSearchParams(text);
      const post = endpoint.posts.push(form);
      await held;
      if (endpoint.delayMs > 0) await sleep(endpoint.delayMs, undefined, { ref: false });
      const reply = await endpoint.answer(post, form);
      if (reply === undefined) request.socket.destroy();
      else
        response
          .writeHead(reply.status ?? 200, { 'content-type': 'application/json' })
          .end(JSON.stringify(reply.body));
    },
  );
  const { url } = await listen(server);
  const endpoint: TokenEndpoint = {
    authUrl: url,
    posts: [],
    requests: [],
    answer,
    delayMs: 0,
    hold() {
      let release = (): void => {};
      held = new Promise((resolve) => {
        release = resolve;
      });
      return () => {
        held = undefined;
        release();
      };
    },
    arrived: (count) => until(`POST ${count} arrives`, () => endpoint.posts.length >= count),
  };
  return endpoint;
}
