/**
 * What broke a connection is told of, as with a TLS alert that comes once the handshake has ended for us, and not what
 * follows from it. And what undici makes of interim replies.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import connectTunnel from 'undici/lib/api/api-connect.js';
import request from 'undici/lib/api/api-request.js';
import { expect, test } from 'vitest';
import { over } from '../../../src/system/wire/one-socket';
import { onCleanup } from '../../harness/clean-up';
import { startFaultServer } from '../../harness/endpoints/fault-server';

const ORIGIN = 'http://a.test';
const ASKED = { path: '/', method: 'POST', headers: {}, body: 'a=b' } as const;
const ask = (socket: Socket) => over(socket, ORIGIN, (client) => request.call(client, ASKED));

/** Connected to a server that begins its reply when it is asked. */
async function connected(
  answer: (other: Socket) => void = (other) =>
    void other.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'),
): Promise<Socket> {
  const { port } = await startFaultServer({ answer });
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  onCleanup(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

test('over rejects with what broke the connection before the request', async () => {
  const socket = await connected();
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.destroy(new Error('the alert'));
  await closed;
  await expect(ask(socket)).rejects.toThrow(/^the alert$/);
  const ended = await connected();
  ended.destroy();
  await expect(ask(ended)).rejects.toThrow(/^closed$/);
});

test('over rejects with what broke the connection in the reply', async () => {
  const socket = await connected();
  const { body } = await ask(socket);
  socket.destroy(new Error('the alert'));
  await expect(once(body.resume(), 'end')).rejects.toThrow(/^the alert$/);
});

test('over skips interim replies that come before the reply to a CONNECT', async () => {
  const socket = await connected(async (other) => {
    for (const line of ['100 Continue', '103 Early Hints', '200 Connection established']) {
      other.write(`HTTP/1.1 ${line}\r\n\r\n`);
      await sleep(50);
    }
  });
  const { statusCode, socket: tunnel } = await over(socket, ORIGIN, (client) =>
    connectTunnel.call(client, { origin: ORIGIN, path: 'b.test:443', headers: {} }),
  );
  expect([statusCode, tunnel === socket]).toEqual([200, true]);
});
