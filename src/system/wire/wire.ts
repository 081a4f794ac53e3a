/** The wire to the token endpoint: one request for each connection, no redirect. Rare parts load late. */
import type { Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { systemCode } from '../../system-errors';
import type { FormReply, PostForm, PostOptions } from '../../world';
import { Connection, type WireOptions } from './connection';
import type { WireReply } from './exchange';

/** Returns the function that posts, each time over a connection of its own. */
export function openWire(wireOptions: WireOptions): PostForm {
  // V8 of Node 20 optimises undici's parser (llhttp in wasm) for longer than it runs: half of a cold start.
  // Later versions do not, and print a warning or know the flag no more.
  if (wireOptions.nodeVersion.startsWith('20.')) setFlagsFromString('--liftoff-only');
  const warned = new Set<string>();
  const options: WireOptions = {
    ...wireOptions,
    warn(line) {
      if (!warned.has(line)) wireOptions.warn(line);
      warned.add(line);
    },
  };
  return async (address, init) => {
    const url = new URL(address);
    return await send(new Connection(url, init, options), url, init);
  };
}

/** Sends the request over the connection, and closes it in the end or when the time is up. */
async function send(connection: Connection, url: URL, init: PostOptions): Promise<FormReply> {
  const { progress } = connection;
  const { signal, timeoutMs } = init;
  let isCut = false;
  const cut = (): void => {
    isCut = true;
    connection.close();
  };
  let lateAfterMs: number | undefined;
  const timer = setTimeout(() => {
    lateAfterMs = timeoutMs;
    cut();
  }, timeoutMs);
  signal?.addEventListener('abort', cut, { once: true });
  if (signal?.aborted) cut();
  const done = (): void => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cut);
    connection.close();
  };
  const problem = async (error: unknown): Promise<Error> =>
    (await import('./problems')).wireProblem(error, url, progress, lateAfterMs);

  /** Reads the body. Without a length a cut looks like its end to undici (RFC 9112 section 6.3). */
  async function* readBody(reply: WireReply, socket: Socket): AsyncIterable<Uint8Array> {
    try {
      yield* reply.body;
      if (isCut) throw new Error('closed');
      const fault = reply.isFramed ? null : socket.errored;
      // undici ends a connection with an error of its own once the reply is complete.
      if (fault && !systemCode(fault)?.startsWith('UND_')) throw fault;
    } catch (error) {
      throw await problem(error);
    } finally {
      // Also when the reader stops early.
      done();
    }
  }

  try {
    const loading = import('./exchange');
    // It may fail while the connection is still waited for; the await below reports it.
    loading.catch(() => {});
    const socket = await connection.ready;
    const { exchange } = await loading;
    connection.report({ waitingFor: 'reply' });
    const reply = await exchange(socket, url, init);
    connection.report({ waitingFor: 'body' });
    return { ...reply, address: progress.peer, body: readBody(reply, socket) };
  } catch (error) {
    done();
    throw await problem(error);
  }
}
