/**
 * The wire to the token endpoint: one request a connection, no redirect, certificates always verified. Everything
 * that only some calls need is in a file of its own: undici, proxies, CAs, error messages.
 */
import type { Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { systemCode } from '../../errors';
import type { ConnectionOptions, Fetch, World } from '../../world';
import { type Connection, openConnection, type Surroundings } from './connection';

export interface Wire extends Pick<World, 'fetch' | 'warmUp'> {
  /** Closes a connection that was opened ahead and never used, so that it does not keep the program alive. */
  close(): void;
}

/** Servers hang up on connections that stay silent, some after five seconds: an older one is not worth the risk. */
const WARM_MS = 2000;

interface Warm extends Connection {
  readonly key: string;
  readyAtMs: number | undefined;
}

export function openWire(surroundings: Surroundings): Wire {
  // V8 of Node 20 optimises undici's parser (llhttp in wasm) for longer than it runs: half of a cold start. Later
  // versions do not, and print a warning or know the flag no more.
  if (surroundings.nodeVersion.startsWith('20.')) setFlagsFromString('--liftoff-only');
  const told = new Set<string>();
  const within: Surroundings = {
    ...surroundings,
    warn(line) {
      if (!told.has(line)) surroundings.warn(line);
      told.add(line);
    },
  };
  let warm: Warm | undefined;

  const claim = (url: URL, options: ConnectionOptions): Connection | undefined => {
    const found = warm;
    if (found === undefined) return undefined;
    warm = undefined;
    const isOld = found.readyAtMs !== undefined && performance.now() - found.readyAtMs > WARM_MS;
    if (found.key === keyOf(url, options) && !found.isClosed() && !isOld) return found;
    found.close();
    return undefined;
  };

  const fetch: Fetch = async (address, init) => {
    const url = new URL(address);
    const connection = claim(url, init) ?? openConnection(url, init, within);
    const { progress } = connection;
    const { signal, timeoutMs } = init;
    let isCut = false;
    const cut = () => {
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
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cut);
      connection.close();
    };
    const problem = async (error: unknown) =>
      (await import('./problems')).wireProblem(error, url, progress, lateAfterMs);
    try {
      const loading = import('./exchange');
      // It may fail while the connection is still waited for, and is told of below.
      loading.catch(() => {});
      const socket: Socket = await connection.ready;
      const { exchange } = await loading;
      connection.tell({ waitingFor: 'reply' });
      const reply = await exchange(socket, url, init);
      connection.tell({ waitingFor: 'body' });
      const cutBy = (): Error | undefined => {
        if (isCut) return new Error('closed');
        const fault = reply.isFramed ? null : socket.errored;
        // undici ends a connection that is done with by an error of its own.
        return fault && !systemCode(fault)?.startsWith('UND_') ? fault : undefined;
      };
      return { ...reply, address: progress.peer, body: guarded(reply.body, cutBy, problem, done) };
    } catch (error) {
      done();
      throw await problem(error);
    }
  };

  return {
    fetch,
    warmUp(address, options) {
      import('./exchange').catch(() => {});
      if (address === undefined) return;
      const url = new URL(address);
      warm?.close();
      const opened: Warm = Object.assign(openConnection(url, options, within), {
        key: keyOf(url, options),
        readyAtMs: undefined,
      });
      opened.ready.then(
        () => {
          opened.readyAtMs = performance.now();
        },
        () => {},
      );
      warm = opened;
    },
    close: () => warm?.close(),
  };
}

/** The proxy follows from the URL and the environment, which does not change. */
function keyOf(url: URL, { caFile = '' }: ConnectionOptions): string {
  return `${url.origin} ${caFile}`;
}

/**
 * The body, with its errors turned into ours; the connection is closed at its end, and when the reader stops early.
 *
 * @param cutBy what ended the connection, if it did not end properly: a reply without a length ends with its connection
 *   (RFC 9112 section 6.3), so undici takes a cut for the end of the body
 */
async function* guarded(
  body: AsyncIterable<Uint8Array>,
  cutBy: () => Error | undefined,
  problem: (error: unknown) => Promise<unknown>,
  done: () => void,
): AsyncIterable<Uint8Array> {
  try {
    yield* body;
    const fault = cutBy();
    if (fault) throw fault;
  } catch (error) {
    throw await problem(error);
  } finally {
    done();
  }
}
