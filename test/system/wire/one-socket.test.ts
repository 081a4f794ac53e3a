/** The cause of a broken connection is told, and not its consequence; and interim replies are skipped. */
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import connectTunnel from 'undici/lib/api/api-connect.js';
import request from 'undici/lib/api/api-request.js';
import { expect, test } from 'vitest';
import { interimFilter } from '../../../src/system/wire/interim';
import { withClient } from '../../../src/system/wire/one-socket';
import { onCleanup } from '../../harness/clean-up';
import { startFaultServer } from '../../harness/endpoints/fault-server';
import { until } from '../../harness/programs/processes';

const ORIGIN = 'http://a.test';
const ASKED = { path: '/', method: 'POST', headers: {}, body: 'a=b' } as const;
const ask = (socket: Socket) => withClient(socket, ORIGIN, (client) => request.call(client, ASKED));

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

test('withClient rejects with what broke the connection before the request', async () => {
  const socket = await connected();
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.destroy(new Error('the alert'));
  await closed;
  await expect(ask(socket)).rejects.toThrow(/^the alert$/);
  const ended = await connected();
  ended.destroy();
  await expect(ask(ended)).rejects.toThrow(/^closed$/);
});

test('withClient rejects with what broke the connection in the reply', async () => {
  const socket = await connected();
  const { body } = await ask(socket);
  socket.destroy(new Error('the alert'));
  await expect(once(body.resume(), 'end')).rejects.toThrow(/^the alert$/);
});

test('withClient skips interim replies that come before the reply to a CONNECT', async () => {
  const socket = await connected(async (other) => {
    for (const line of ['100 Continue', '103 Early Hints', '200 Connection established']) {
      other.write(`HTTP/1.1 ${line}\r\n\r\n`);
      await sleep(50);
    }
  });
  const { statusCode, socket: tunnel } = await withClient(socket, ORIGIN, (client) =>
    connectTunnel.call(client, { origin: ORIGIN, path: 'b.test:443', headers: {} }),
  );
  expect([statusCode, tunnel === socket]).toEqual([200, true]);
});

test('withClient has no limit of undici’s: an hour without a reply, or within one, is the caller’s matter', async () => {
  // undici's own clock; its timers count from the first tick that they see.
  const clock: { tick(ms: number): void } = createRequire(import.meta.url)('undici/lib/util/timers.js');
  const passAnHour = () => [0, 3_600_000].forEach(clock.tick);
  let other: Socket | undefined;
  const asking = ask(
    await connected((socket) => {
      other = socket;
    }),
  );
  await until('the request has arrived', () => other !== undefined);
  passAnHour();
  other?.write('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\na');
  const { body } = await asking;
  passAnHour();
  other?.write('bc');
  expect(await body.text()).toBe('abc');
});

const INTERIM = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n';
const FINAL = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';

/** What is left of these chunks; those behind the first that is let through are not looked at. */
function leftOf(chunks: readonly string[]): string | undefined {
  const skipped = interimFilter();
  for (const [index, chunk] of chunks.entries()) {
    const rest = skipped(Buffer.from(chunk));
    if (rest !== undefined) return [rest, ...chunks.slice(index + 1)].join('');
  }
  return undefined;
}

test('interimFilter skips replies wherever they are cut, and keeps the final one', () => {
  const text = INTERIM + FINAL;
  for (let at = 0; at <= text.length; at++)
    expect([at, leftOf([text.slice(0, at), text.slice(at)])]).toEqual([at, FINAL]);
  expect(leftOf([...text])).toBe(FINAL);
  expect(leftOf([...INTERIM])).toBeUndefined();
});

test.each(['HTTP/1.1 101 Switching Protocols', 'HTTP/1.1 200 OK', 'HTTP/1.0 100 Continue', 'SSH-2.0'])(
  'interimFilter passes %s on at once',
  (text) => {
    expect(leftOf([text])).toBe(text);
    expect(leftOf([INTERIM, text])).toBe(text);
  },
);

test('interimFilter holds back 64 KiB at most', () => {
  const endless = `HTTP/1.1 103 Early Hints\r\nLink: ${'x'.repeat(64 * 1024)}`.slice(0, 64 * 1024);
  expect(leftOf([endless.slice(0, -1)])).toBeUndefined();
  expect(leftOf([endless])).toBe(endless);
});
