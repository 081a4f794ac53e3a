/** A request from its beginning to its end: aborted, late, answered in part, broken off. */
import { getEventListeners, once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { expect, test } from 'vitest';
import type { WireOptions } from '../../../src/system/wire/connection';
import { openWire } from '../../../src/system/wire/wire';
import type { FormReply, PostForm } from '../../../src/world';
import { onCleanup } from '../../harness/clean-up';
import { makeAuthority } from '../../harness/endpoints/authority';
import { type FaultServer, type Script, startFaultServer } from '../../harness/endpoints/fault-server';
import { until } from '../../harness/programs/processes';
import { surroundings } from './surroundings';

const authority = makeAuthority();

const OK: Script = {
  answer: (socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'),
};
const serve = (script: Script = OK): Promise<FaultServer> =>
  startFaultServer(script, { tls: authority.issue() });
const wire = (own: Partial<WireOptions> = {}): PostForm => openWire(surroundings(own));
const options = { caFile: authority.caFile };
async function ask(postForm: PostForm, url: string): Promise<string> {
  const init = { method: 'POST' as const, headers: {}, body: 'a=b', timeoutMs: 5000 };
  return await textOf(await postForm(`${url}/oauth2/token`, { ...init, ...options }));
}
async function textOf({ body }: FormReply): Promise<string> {
  let text = '';
  for await (const chunk of body ?? []) text += Buffer.from(chunk).toString();
  return text;
}
/** Waits until the server has seen all that was sent to it before. */
async function seen(server: FaultServer): Promise<void> {
  const { connections } = server;
  const socket = connect(server.port, '127.0.0.1');
  onCleanup(() => socket.destroy());
  await once(socket, 'connect');
  const tls = connectTls({ socket, ca: authority.ca });
  await until('the last connection has arrived', () => server.connections > connections);
  tls.destroy();
}

test('postForm() sends nothing once it is aborted, and hangs up', async () => {
  const server = await serve();
  const init = { method: 'POST' as const, headers: {}, body: '', timeoutMs: 5000, ...options };
  const asked = wire()(`${server.url}/oauth2/token`, { ...init, signal: AbortSignal.abort() });
  await expect(asked).rejects.toMatchObject({ kind: 'unreached' });
  expect(server.requests).toEqual([]);

  let hungUp = false;
  const silent = await serve({ connected: (socket) => void socket.on('close', () => (hungUp = true)) });
  const cutter = new AbortController();
  const waiting = wire()(`${silent.url}/oauth2/token`, { ...init, signal: cutter.signal });
  await until('it is asked', () => silent.requests.length === 1);
  cutter.abort();
  expect(await waiting.catch(({ reason }) => reason)).not.toBe('time-limit');
  await until('it is closed', () => hungUp);

  const { signal } = new AbortController();
  expect(await textOf(await wire()(`${server.url}/oauth2/token`, { ...init, signal }))).toBe('ok');
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('postForm() ends when its time is up, whatever the endpoint does', async () => {
  const { url } = await serve({});
  const startedAtMs = performance.now();
  const init = { method: 'POST' as const, headers: {}, body: '', timeoutMs: 500, ...options };
  await expect(wire()(url, init)).rejects.toMatchObject({ reason: 'time-limit' });
  expect(performance.now() - startedAtMs).toBeLessThan(5000);
});

test('postForm() joins a header that comes twice, and hangs up when the body has been read', async () => {
  let hungUp = false;
  const server = await serve({
    connected: (socket) => void socket.on('close', () => (hungUp = true)),
    answer: (socket) =>
      void socket.write('HTTP/1.1 200 OK\r\nX-Twice: a\r\nX-Twice: b\r\nContent-Length: 2\r\n\r\nok'),
  });
  const init = { method: 'POST' as const, headers: {}, body: 'a=b', timeoutMs: 5000, ...options };
  const reply = await wire()(`${server.url}/oauth2/token`, init);
  expect(['x-twice', 'x-none'].map((name) => reply.headers.get(name))).toEqual(['a, b', null]);
  expect(await textOf(reply)).toBe('ok');
  await until('it is closed', () => hungUp);
});

test.each([
  ['a length', 'Content-Length: 2\r\n\r\nok'],
  ['chunks', 'Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n'],
])('postForm() keeps a whole reply, by %s, if the connection breaks after it', async (_, rest) => {
  let reset = () => {};
  const server = await serve({
    answer(socket) {
      socket.write(`HTTP/1.1 200 OK\r\n${rest}`);
      reset = () => socket.resetAndDestroy();
    },
  });
  const init = { method: 'POST' as const, headers: {}, body: '', timeoutMs: 5000, ...options };
  const reply = await wire()(`${server.url}/oauth2/token`, init);
  reset();
  await seen(server);
  expect(await textOf(reply)).toBe('ok');
});

test('openWire gives each warning once', async () => {
  const server = await serve();
  const warned: string[] = [];
  const env = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
  const postForm = wire({ env, warn: (line) => void warned.push(line) });
  expect([await ask(postForm, server.url), await ask(postForm, server.url)]).toEqual(['ok', 'ok']);
  expect(server.connections).toBe(2);
  expect(warned).toEqual(['NODE_TLS_REJECT_UNAUTHORIZED=0 is ignored: certificates are always verified']);
  // What exec starts has it as it was.
  expect(env).toEqual({ NODE_TLS_REJECT_UNAUTHORIZED: '0' });
});
