import { randomInt } from 'node:crypto';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions, type Server as TlsServer } from 'node:tls';
import { Worker } from 'node:worker_threads';
import { onCleanup } from '../clean-up';
import { type Listening, listen } from './listen';

/** What a server does, byte by byte: nothing of HTTP is done for it. */
export interface Script {
  /** At each connection, before anything was read (with TLS: after the handshake). */
  connected?(socket: Socket, connection: number): void;
  /** At each complete request, with its number from 1. */
  answer?(socket: Socket, request: number, text: string): void;
}

export interface FaultServer extends Listening {
  connections: number;
  /** Every complete request, as it came. */
  readonly requests: string[];
  /** All that ever arrived, complete or not. */
  received(): string;
}

/** A server on the loopback that follows the script, and never crashes over what its client does. */
export async function startFaultServer(
  script: Script,
  { tls, host = '127.0.0.1', port = 0 }: { tls?: TlsOptions; host?: string; port?: number } = {},
): Promise<FaultServer> {
  let received = '';
  const serve = (socket: Socket): void => {
    fault.connections++;
    socket.on('error', () => {});
    let text = '';
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1');
      text += bytes.toString('latin1');
      const [, length = '0'] = /\r\ncontent-length: (\d+)/i.exec(text) ?? [];
      const head = text.indexOf('\r\n\r\n');
      if (head < 0 || text.length < head + 4 + Number(length)) return;
      fault.requests.push(text);
      script.answer?.(socket, fault.requests.length, text);
      text = '';
    });
    script.connected?.(socket, fault.connections);
  };
  const server: Server = tls
    ? resetting(createTlsServer(tls, serve)).on('tlsClientError', () => {})
    : createServer(serve);
  server.on('error', () => {});
  const fault: FaultServer = {
    ...(await listen(server, host, port)),
    connections: 0,
    requests: [],
    received: () => received,
  };
  return fault;
}

/** The server, whose TLS sockets can be reset too: Node resets only what is TCP itself. */
function resetting(server: TlsServer): TlsServer {
  const below = new Map<number | undefined, Socket>();
  return server
    .on('connection', (socket: Socket) => below.set(socket.remotePort, socket))
    .prependListener('secureConnection', (socket) => {
      const { remotePort } = socket;
      socket.resetAndDestroy = () => {
        below.get(remotePort)?.resetAndDestroy();
        return socket;
      };
    });
}

/** A closed port of the loopback. Systems give one below 32768 only if asked for that very one. */
export async function closedPort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_768);
    const server = await startFaultServer({}, { port }).catch(() => undefined);
    if (server === undefined) continue;
    await server.close();
    return port;
  }
}

/** Opens a port that answers no SYN: its queue is full, and its thread sleeps. Linux drops the rest. */
export async function startBlackHole(host = '127.0.0.1', port = 0): Promise<number> {
  const worker = new Worker(
    `const { parentPort } = require('node:worker_threads');
     const server = require('node:net').createServer();
     server.listen({ host: ${JSON.stringify(host)}, port: ${port}, backlog: 1 }, () => {
       parentPort.postMessage(server.address().port);
       Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
     });`,
    { eval: true },
  );
  const own = await new Promise<number>((resolve, reject) => {
    worker.once('message', resolve).once('error', reject);
  });
  const fill = Array.from({ length: 6 }, () => connect({ host, port: own }).on('error', () => {}));
  onCleanup(async () => {
    for (const socket of fill) socket.destroy();
    await worker.terminate();
  });
  await new Promise((resolve) => setTimeout(resolve, 100));
  return own;
}

/** Starts a proxy that knows CONNECT; `refuse` gives the whole answer for a target that it refuses. */
export async function startConnectProxy(
  refuse: (request: string) => string | undefined = () => undefined,
  tls?: TlsOptions,
): Promise<FaultServer> {
  return await startFaultServer(
    {
      answer(socket, _, request) {
        socket.removeAllListeners('data');
        const refusal = refuse(request);
        if (refusal !== undefined) {
          socket.end(refusal);
          return;
        }
        const [, host = '', port = ''] = /^CONNECT ([^\s]+):(\d+) /.exec(request) ?? [];
        const target = connect({ host: host.replace(/^\[|\]$/g, ''), port: Number(port) });
        target.on('error', () => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
        target.once('connect', () => {
          socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
          socket.pipe(target).pipe(socket);
        });
        socket.on('close', () => target.destroy());
      },
    },
    tls ? { tls } : {},
  );
}
