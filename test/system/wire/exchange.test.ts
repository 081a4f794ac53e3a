/** What is made of a reply before its body is read; the wire's cases meet the rest. */
import { getEventListeners } from 'node:events';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { over } from '../../../src/system/wire/one-socket';
import { openWire } from '../../../src/system/wire/wire';
import { startFaultServer } from '../../harness/endpoints/fault-server';
import { surroundings } from './surroundings';

/** Asks a server that answers like this and then waits; and waits until it is hung up on. */
async function ask(method: 'POST' | 'HEAD', head: string) {
  let hungUp: (() => void) | undefined;
  const closed = new Promise<void>((resolve) => {
    hungUp = resolve;
  });
  const { url } = await startFaultServer({
    connected: (socket) => void socket.on('close', () => hungUp?.()),
    answer(socket) {
      const body = method === 'HEAD' ? '' : 'ok';
      socket.write(`HTTP/1.1 ${head}\r\nContent-Length: 2\r\n\r\n${body}`);
    },
  });
  const { signal } = new AbortController();
  const init = { method, headers: {}, timeoutMs: 600_000, signal };
  const reply = openWire(surroundings()).fetch(`${url}/oauth2/token`, init);
  return { reply, url, closed, listeners: () => getEventListeners(signal, 'abort') };
}

test('a HEAD is over with its headers, whatever encoding the body would have', async () => {
  const { reply, closed, listeners } = await ask('HEAD', '200 OK\r\nX-Twice: a\r\nX-Twice: b');
  const { status, headers, body } = await reply;
  expect([status, body]).toEqual([200, null]);
  expect(['x-twice', 'x-none'].map((name) => headers.get(name))).toEqual(['a, b', null]);
  await closed;
  expect(listeners()).toEqual([]);
});

test('undici has no time limit of its own, below that of the caller', async () => {
  const limits = await over(new Socket(), 'http://a.test', async (client) =>
    Object.getOwnPropertySymbols(client)
      .filter(({ description = '' }) => /^(headers|body) timeout$/.test(description))
      .map((symbol) => Reflect.get(client, symbol)),
  );
  expect(limits).toEqual([0, 0]);
});
