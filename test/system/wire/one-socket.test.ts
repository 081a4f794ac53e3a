/**
 * What broke a connection is told of, as with a TLS alert that comes once the handshake has ended for us, and not what
 * follows from it: by undici, and by Node's own client in the action.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import request from 'undici/lib/api/api-request.js';
import { expect, test } from 'vitest';
import { over as overUndici } from '../../../src/system/wire/one-socket';
import { over as overNode } from '../../../src/system/wire/one-socket.action';
import { onCleanup } from '../../harness/clean-up';
import { startFaultServer } from '../../harness/endpoints/fault-server';

const ORIGIN = 'http://a.test';
const ASKED = { path: '/', method: 'POST', headers: {}, body: 'a=b' } as const;
const CLIENTS = [
  ['undici', (socket: Socket) => overUndici(socket, ORIGIN, (client) => request.call(client, ASKED))],
  ["Node's own", (socket: Socket) => overNode(socket, ORIGIN, (client) => client.request(ASKED))],
] as const;

/** Connected to a server that begins its reply when it is asked. */
async function connected(): Promise<Socket> {
  const answer = (other: Socket) => void other.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf');
  const { port } = await startFaultServer({ answer });
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  onCleanup(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

test.each(CLIENTS)('before the request: %s', async (_, ask) => {
  const socket = await connected();
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.destroy(new Error('the alert'));
  await closed;
  await expect(ask(socket)).rejects.toThrow(/^the alert$/);
  const ended = await connected();
  ended.destroy();
  await expect(ask(ended)).rejects.toThrow(/^closed$/);
});

test.each(CLIENTS)('in the reply: %s', async (_, ask) => {
  const socket = await connected();
  const { body } = await ask(socket);
  socket.destroy(new Error('the alert'));
  await expect(once(body.resume(), 'end')).rejects.toThrow(/^the alert$/);
});
