import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onCleanup } from '../../harness/clean-up';
import { startTokenEndpoint, tokenReply } from '../../harness/endpoints/token-endpoint';

type Pem = { readonly key: string; readonly cert: string };

export interface Endpoint {
  readonly authUrl: string;
  /** How many POSTs have come so far. */
  posts(): Promise<number>;
}

/**
 * A token endpoint over TLS in a process of its own, since the one that measures stands still while a command runs.
 * It answers as fast as a server can: what is timed is gwtoken, not an OAuth server.
 */
export async function startEndpoint(tls: Pem): Promise<Endpoint> {
  const child: ChildProcess = fork(fileURLToPath(import.meta.url), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  child.send(tls);
  onCleanup(async () => {
    const ended = once(child, 'exit');
    child.disconnect();
    await ended;
  });
  const [{ authUrl }] = (await once(child, 'message')) as [{ authUrl: string }];
  return {
    authUrl,
    async posts() {
      child.send('posts');
      const [{ posts }] = (await once(child, 'message')) as [{ posts: number }];
      return posts;
    },
  };
}

async function serve(tls: Pem): Promise<void> {
  const reply = (post: number) => tokenReply(`token-${post}`.padEnd(1200, '.'));
  const { authUrl, posts } = await startTokenEndpoint(reply, tls);
  process.send?.({ authUrl });
  process.on('message', () => process.send?.({ posts: posts.length }));
  process.once('disconnect', () => process.exit(0));
}

if (process.send !== undefined && process.argv[1] === fileURLToPath(import.meta.url)) {
  process.once('message', (tls) => void serve(tls as Pem));
}
