import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { onCleanup } from '../clean-up';

export interface Listening {
  readonly port: number;
  /** `http://127.0.0.1:PORT`; `https:` for a server that speaks TLS. */
  readonly url: string;
  /** Closes the server and its connections. The end of the test does this too. */
  close(): Promise<void>;
}

/** Makes a server listen on the loopback. */
export async function listen(server: Server, host = '127.0.0.1', port = 0): Promise<Listening> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  onCleanup(close);
  await once(server.listen(port, host), 'listening');
  const boundPort = (server.address() as AddressInfo).port;
  const name = host.includes(':') ? `[${host}]` : host;
  const scheme = server instanceof TlsServer ? 'https' : 'http';
  return { port: boundPort, url: `${scheme}://${name}:${boundPort}`, close };
}
