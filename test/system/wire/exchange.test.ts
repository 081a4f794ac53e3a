/** One request and its reply; the wire's cases meet the rest. */
import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { openWire } from '../../../src/system/wire/wire';
import { startFaultServer } from '../../harness/endpoints/fault-server';
import { surroundings } from './surroundings';

test('fetch joins a header that comes twice, and hangs up when the body has been read', async () => {
  let hungUp: (() => void) | undefined;
  const closed = new Promise<void>((resolve) => {
    hungUp = resolve;
  });
  const { url, requests } = await startFaultServer({
    connected: (socket) => void socket.on('close', () => hungUp?.()),
    answer: (socket) =>
      void socket.write('HTTP/1.1 200 OK\r\nX-Twice: a\r\nX-Twice: b\r\nContent-Length: 2\r\n\r\nok'),
  });
  const { signal } = new AbortController();
  const init = { method: 'POST', headers: {}, body: 'a=b', timeoutMs: 600_000, signal } as const;
  const { status, headers, body } = await openWire(surroundings()).fetch(`${url}/oauth2/token`, init);
  let text = '';
  for await (const chunk of body) text += Buffer.from(chunk);
  expect([status, text]).toEqual([200, 'ok']);
  expect(['x-twice', 'x-none'].map((name) => headers.get(name))).toEqual(['a, b', null]);
  await closed;
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  expect(requests[0]).toMatch(/^POST \/oauth2\/token HTTP\/1\.1\r\n[\s\S]*^accept-encoding: identity\r$/m);
});

test('fetch ends when its time is up, whatever the endpoint does', async () => {
  const { url } = await startFaultServer({});
  const startedAtMs = performance.now();
  const silent = openWire(surroundings()).fetch(url, {
    method: 'POST',
    headers: {},
    body: '',
    timeoutMs: 500,
  });
  await expect(silent).rejects.toMatchObject({ reason: 'time-limit' });
  expect(performance.now() - startedAtMs).toBeLessThan(5000);
});
