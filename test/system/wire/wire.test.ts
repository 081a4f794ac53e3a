/** One request: its trace, abort, timeout, body limit and broken connections. */
import { X509Certificate } from 'node:crypto';
import { getEventListeners } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { FormReply, PostOptions } from '../../../src/post-form';
import { makeAuthority } from '../../harness/endpoints/authority';
import {
  closedPort,
  type FaultServer,
  type Script,
  startBlackHole,
  startFaultServer,
} from '../../harness/endpoints/fault-server';
import { openDirectory } from '../../harness/homes/directory';
import { until } from '../../harness/programs/processes';
import { POST, wireIn } from './open-wire';

const authority = makeAuthority();
const { caFile } = authority;

const OK: Script = {
  answer: (socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'),
};
const serve = (script: Script = OK): Promise<FaultServer> =>
  startFaultServer(script, { tls: authority.issue() });
const ask = (url: string, options: Partial<PostOptions> = {}): Promise<FormReply> =>
  wireIn()(`${url}/oauth2/token`, { ...POST, caFile, ...options });
const textOf = ({ body }: FormReply): string => Buffer.from(body as Uint8Array).toString();
/** Starts a server like {@link serve}. `closed` waits until gwtoken has closed its connections. */
async function serveUntilClosed(script: Script) {
  let open = 0;
  const connected = (socket: Socket) => {
    open++;
    socket.on('close', () => open--);
  };
  const server = await serve({ ...script, connected });
  return { server, closed: () => until('the connection is closed', () => open === 0) };
}

test('postForm() does not connect after an abort', async () => {
  const server = await serve();
  const reason = new Error('nobody waits any more');
  await expect(ask(server.url, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  expect(server.connections).toBe(0);
});

test('postForm() closes the connection on an abort while it waits for the reply', async () => {
  const { server, closed } = await serveUntilClosed({});
  const controller = new AbortController();
  const waiting = ask(server.url, { signal: controller.signal });
  await until('the request has arrived', () => server.requests.length === 1);
  const reason = new Error('nobody waits any more');
  controller.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  await closed();
});

test('postForm() leaves no listener on the signal', async () => {
  const { url } = await serve();
  const { signal } = new AbortController();
  expect(textOf(await ask(url, { signal }))).toBe('ok');
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('postForm() ends at its timeout and closes the connection', async () => {
  const { server, closed } = await serveUntilClosed({
    answer: (socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'),
  });
  const late = { reason: 'timed-out', retry: {} };
  await expect(ask(server.url, { timeoutMs: 1500 })).rejects.toMatchObject(late);
  await closed();
});

test('postForm() closes the connection after the body', async () => {
  const { server, closed } = await serveUntilClosed(OK);
  expect(textOf(await ask(server.url))).toBe('ok');
  await closed();
});

test('postForm() joins repeated headers', async () => {
  const repeated = 'HTTP/1.1 200 OK\r\nX-Twice: a\r\nX-Twice: b\r\nContent-Length: 0\r\n\r\n';
  const { url } = await serve({ answer: (socket) => void socket.write(repeated) });
  const { headers } = await ask(url);
  expect(['x-twice', 'x-none'].map((name) => headers.get(name))).toEqual(['a, b', null]);
});

test.each([
  ['a length', 'Content-Length: 2\r\n\r\nok'],
  ['chunks', 'Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n'],
])('postForm() accepts a complete reply (%s) before a broken connection', async (_, rest) => {
  const server = await serve({
    answer: (socket) => socket.write(`HTTP/1.1 200 OK\r\n${rest}`, () => socket.resetAndDestroy()),
  });
  expect(textOf(await ask(server.url))).toBe('ok');
});

test('postForm() stops reading a body beyond its limit', async () => {
  const answer = (socket: Socket) => void socket.write('HTTP/1.1 200 OK\r\n\r\n123456789');
  const { url } = await serve({ answer });
  expect((await ask(url, { maxBytes: 8 })).body).toBe('too-long');
  const whole = await serve({ answer: (socket) => void socket.end('HTTP/1.1 200 OK\r\n\r\n123456789') });
  expect(textOf(await ask(whole.url, { maxBytes: 9 }))).toBe('123456789');
});

test('postForm() trusts a CA file with an intermediate CA, without its root', async () => {
  const { url } = await startFaultServer(OK, { tls: authority.issue({ intermediate: 'left out' }) });
  expect(textOf(await ask(url, { caFile: authority.file('middle.pem') }))).toBe('ok');
});

/** Moves undici's own clock. A timer of undici starts at the first tick after it is set. */
function passAnHour(): void {
  const clock: { tick(ms: number): void } = createRequire(import.meta.url)('undici/lib/util/timers.js');
  [0, 3_600_000].forEach(clock.tick);
}

test('postForm() connects without a time limit until an abort', async ({ needs }) => {
  needs('linux');
  const port = await startBlackHole();
  const sockets = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
  const before = sockets();
  const controller = new AbortController();
  let isEnded = false;
  const asking = ask(`http://127.0.0.1:${port}`, { timeoutMs: 7_200_000, signal: controller.signal });
  const ended = asking.catch(() => {
    isEnded = true;
  });
  await until('the socket connects', () => sockets() > before);
  passAnHour();
  await sleep(50);
  expect(isEnded).toBe(false);
  controller.abort();
  await ended;
  await until('the socket is closed', () => sockets() === before);
});

test('postForm() waits for a reply and its body without a time limit', async () => {
  let endpoint: Socket | undefined;
  const { url } = await serve({ answer: (socket) => (endpoint = socket) });
  const asking = ask(url, { timeoutMs: 7_200_000 });
  await until('the request has arrived', () => endpoint !== undefined);
  passAnHour();
  endpoint?.write('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\na');
  await sleep(50);
  passAnHour();
  endpoint?.write('bc');
  expect(textOf(await asking)).toBe('abc');
});

test('openWire() prints each warning once', async () => {
  const { url } = await serve();
  const warned: string[] = [];
  const env = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
  const postForm = wireIn(env, (text) => void warned.push(text));
  for (const _ of [1, 2]) expect(textOf(await postForm(url, { ...POST, caFile }))).toBe('ok');
  expect(warned).toEqual([
    'gwtoken: warning: NODE_TLS_REJECT_UNAUTHORIZED=0 is ignored: certificates are always verified\n',
  ]);
});

test.for([
  ['127.0.0.1', '127.0.0.1', false],
  ['127.0.0.1', 'localhost', true],
  ['::1', '[::1]', false],
] as const)('postForm() traces the address %s of %s: %s', async (row, { needs }) => {
  const [address, name, isTraced] = row;
  needs(address === '::1' ? 'ipv6' : undefined);
  const server = await startFaultServer(OK, { host: address });
  const traced: string[] = [];
  await ask(`http://${name}:${server.port}`, { trace: (line) => traced.push(line) });
  expect(traced).toEqual(
    isTraced
      ? ['looking up localhost', expect.stringMatching(/^the addresses of localhost: .*127\.0\.0\.1/)]
      : [],
  );
});

test('postForm() traces at most 200 characters of addresses', async ({ needs }) => {
  needs('linux');
  const directory = openDirectory();
  const addresses = Array.from({ length: 20 }, (_, index) => `127.0.0.${index + 1}`);
  writeFileSync(join(directory, 'getent'), `#!/bin/sh\nprintf '%s\\n' ${addresses.join(' ')}`, {
    mode: 0o755,
  });
  const traced: string[] = [];
  const options = { ...POST, trace: (line: string) => traced.push(line) };
  const PATH = `${directory}${delimiter}${process.env['PATH']}`;
  const url = `https://id.test:${await closedPort()}`;
  await expect(wireIn({ PATH })(url, options)).rejects.toThrow('could not reach');
  expect(traced).toEqual([
    'looking up id.test',
    `the addresses of id.test: ${addresses.join(', ').slice(0, 200)}…`,
  ]);
});

test.each([
  ['/O=A Company/CN=id.test', 'id.test'],
  ['/CN=id.test/CN=another.test', 'id.test, another.test'],
  ['/O=A Company', 'A Company'],
  ['/OU=A Department', 'no name'],
  ['/CN=##vso[task.complete]', '# #vso[task.complete]'],
])('postForm() traces the subject %s of a certificate as %s', async (subject, name) => {
  const identity = authority.issue({ subject });
  const server = await startFaultServer(OK, { tls: identity });
  const traced: string[] = [];
  await ask(server.url, { trace: (line) => traced.push(line) });
  const { validTo } = new X509Certificate(identity.cert);
  expect(traced).toEqual([
    `certificate of ${name} by gwtoken test CA, valid until ${validTo}, trusted by ${caFile}`,
  ]);
});
