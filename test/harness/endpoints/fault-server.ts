import { randomInt } from 'node:crypto';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions, type Server as TlsServer } from 'node:tls';
import { Worker } from 'node:worker_threads';
import { onCleanup } from '../clean-up';
import { type Listening, listen } from './listen';

/** The behaviour of a server, byte by byte. The server itself only finds the end of a request. */
export interface Script {
  /** Called at each connection before anything is read, with TLS after the handshake. */
  connected?(socket: Socket, connection: number): void;
  /** Called at each complete request, with its number from 1. */
  answer?(socket: Socket, request: number, text: string): void;
}

export interface FaultServer extends Listening {
  connections: number;
  /** The unparsed text of each complete request. */
  readonly requests: string[];
  /** Returns all received text, including incomplete requests. */
  received(): string;
}

/** Starts a server on the loopback that follows the script and ignores all errors of its clients. */
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

/** Makes the server's TLS sockets resettable. Node itself can only reset TCP sockets. */
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

/** Returns a closed port of the loopback. It is below 32768, so no system gives it to another program. */
export async function closedPort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_768);
    const server = await startFaultServer({}, { port }).catch(() => undefined);
    if (server === undefined) continue;
    await server.close();
    return port;
  }
}

/** Opens a port whose queue is full and whose thread sleeps, so that Linux drops all further SYN packets. */
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
  const boundPort = await new Promise<number>((resolve, reject) => {
    worker.once('message', resolve).once('error', reject);
  });
  const fill = Array.from({ length: 6 }, () => connect({ host, port: boundPort }).on('error', () => {}));
  onCleanup(async () => {
    for (const socket of fill) socket.destroy();
    await worker.terminate();
  });
  await new Promise((resolve) => setTimeout(resolve, 100));
  return boundPort;
}

/**
 * Starts a CONNECT proxy, which answers with the status `opened`. `refuse` returns the whole reply for a rejected
 * target, otherwise undefined.
 */
export async function startConnectProxy(
  refuse: (request: string) => string | undefined = () => undefined,
  tls?: TlsOptions,
  opened = '200 Connection established',
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
          socket.write(`HTTP/1.1 ${opened}\r\n\r\n`);
          socket.pipe(target).pipe(socket);
        });
        socket.on('close', () => target.destroy());
      },
    },
    tls ? { tls } : {},
  );
}
