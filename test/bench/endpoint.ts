import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

export interface Endpoint {
  readonly authUrl: string;
  /** How many POSTs have come so far. */
  posts(): Promise<number>;
  close(): Promise<void>;
}

/**
 * A token endpoint over TLS in a process of its own, since the one that measures stands still while a command runs.
 * It answers as fast as a server can: what is timed is gwtoken, not an OAuth server.
 */
export async function startEndpoint(tls: { readonly key: string; readonly cert: string }): Promise<Endpoint> {
  const child: ChildProcess = fork(fileURLToPath(import.meta.url), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  child.send(tls);
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return {
    authUrl: `https://127.0.0.1:${port}`,
    async posts() {
      child.send('posts');
      const [{ posts }] = (await once(child, 'message')) as [{ posts: number }];
      return posts;
    },
    async close() {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

function serve(tls: { readonly key: string; readonly cert: string }): void {
  let posts = 0;
  const server = createServer({ key: tls.key, cert: tls.cert }, (request, response) => {
    request.resume().once('end', () => {
      posts++;
      const body = {
        access_token: `token-${posts}`.padEnd(1200, '.'),
        token_type: 'Bearer',
        expires_in: 3600,
        scope: '',
      };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
  process.on('message', () => process.send?.({ posts }));
  process.once('disconnect', () => process.exit(0));
}

if (process.send !== undefined && process.argv[1] === fileURLToPath(import.meta.url)) {
  process.once('message', (tls) => serve(tls as { key: string; cert: string }));
}
