/** The connection opened while credentials are looked up: used once, by the right request, or not at all. */
import { getEventListeners, once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { openQuickWorld } from '../../../src/system/quick-world';
import type { WireOptions } from '../../../src/system/wire/connection';
import { openWire, type Wire } from '../../../src/system/wire/wire';
import { openWorld } from '../../../src/system/world';
import type { FormReply } from '../../../src/world';
import { onCleanup } from '../../harness/clean-up';
import { makeAuthority } from '../../harness/endpoints/authority';
import { type FaultServer, type Script, startFaultServer } from '../../harness/endpoints/fault-server';
import { openFolder } from '../../harness/homes/folder';
import { bundle } from '../../harness/programs/bundle';
import { until } from '../../harness/programs/processes';
import { runCommand } from '../../harness/programs/program';
import { ROOT } from '../../harness/root';
import { surroundings } from './surroundings';

const authority = makeAuthority();

const OK: Script = {
  answer: (socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'),
};
const serve = (script: Script = OK): Promise<FaultServer> =>
  startFaultServer(script, { tls: authority.issue() });
function wire(own: Partial<WireOptions> = {}): Wire {
  const opened = openWire(surroundings(own));
  onCleanup(() => opened.close());
  return opened;
}
const options = { caFile: authority.caFile };
async function ask(
  { postForm }: Pick<Wire, 'postForm'>,
  url: string,
  more: { caFile?: string } = options,
): Promise<string> {
  const init = { method: 'POST' as const, headers: {}, body: 'a=b', timeoutMs: 5000 };
  return await textOf(await postForm(`${url}/oauth2/token`, { ...init, ...more }));
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

describe('the connection opened ahead', () => {
  test('sends nothing, and the request that follows uses it', async () => {
    const server = await serve();
    const world = wire();
    const told: string[] = [];
    world.openAhead(server.url, { ...options, trace: (line) => told.push(line) });
    await until('it is open', () => server.connections === 1);
    await seen(server);
    expect(server.received()).toBe('');
    server.connections--;
    expect(await ask(world, server.url)).toBe('ok');
    expect(told).toEqual([
      'no proxy: HTTPS_PROXY is not set',
      `connected to ${new URL(server.url).host}`,
      'verified the certificate of 127.0.0.1 (TLSv1.3)',
    ]);
    expect(await ask(world, server.url)).toBe('ok');
    expect([server.connections, server.requests.length]).toEqual([2, 2]);
    for (const request of server.requests) expect(request).toMatch(/^accept-encoding: identity\r$/m);
  });

  test('may still be on its way when the request comes', async () => {
    const server = await serve();
    const world = wire();
    world.openAhead(server.url, options);
    // It is for one of them.
    expect(await Promise.all([ask(world, server.url), ask(world, server.url)])).toEqual(['ok', 'ok']);
    expect(server.connections).toBe(2);
  });

  test('is for its own origin and its own authorities', async () => {
    let hungUp = false;
    const other = await serve();
    const server = await serve({ connected: (socket) => void socket.on('close', () => (hungUp = true)) });
    const world = wire();
    world.openAhead(server.url, options);
    await until('it is open', () => server.connections === 1);
    expect(await ask(world, other.url)).toBe('ok');
    expect([server.requests.length, other.connections]).toEqual([0, 1]);
    // Nobody else would ask for it any more.
    await until('it is closed', () => hungUp);

    world.openAhead(server.url, options);
    await until('it is open', () => server.connections === 2);
    await expect(ask(world, server.url, {})).rejects.toMatchObject({ reason: 'certificate' });
  });

  test('that the server has hung up is not used', async () => {
    let hungUp = false;
    const server = await serve({
      // The other side hangs up too when it has heard of it.
      connected: (socket, n) => void (n === 1 && socket.on('close', () => (hungUp = true)).end()),
      answer: OK.answer!,
    });
    const world = wire();
    world.openAhead(server.url, options);
    await until('it is closed', () => hungUp);
    expect(await ask(world, server.url)).toBe('ok');
    expect([server.connections, server.requests.length]).toEqual([2, 1]);
  });

  test('that is older than two seconds is not used: some servers hang up on silence', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onCleanup(() => void vi.useRealTimers());
    const server = await serve();
    const world = wire();
    const connectionsAfter = async (ageMs: number) => {
      const told: string[] = [];
      world.openAhead(server.url, { ...options, trace: (line) => told.push(line) });
      await until('it is open', () => told.at(-1)?.startsWith('verified the certificate') === true);
      await setImmediate();
      vi.advanceTimersByTime(ageMs);
      expect(await ask(world, server.url)).toBe('ok');
      return server.connections;
    };
    expect(await connectionsAfter(2000)).toBe(1);
    expect(await connectionsAfter(2001)).toBe(3);
  });

  test('fails in silence, and the request meets the failure itself', async () => {
    const server = await serve();
    await server.close();
    const world = wire();
    world.openAhead(server.url, options);
    world.openAhead('https://127.0.0.1:1', { caFile: '/nowhere.pem' });
    await expect(ask(world, server.url)).rejects.toMatchObject({ kind: 'unreached', reason: 'ECONNREFUSED' });
    await expect(ask(world, server.url, { caFile: '/nowhere.pem' })).rejects.toMatchObject({ kind: 'usage' });
  });
});

test('postForm() sends nothing once it is aborted, and hangs up', async () => {
  const server = await serve();
  const init = { method: 'POST' as const, headers: {}, body: '', timeoutMs: 5000, ...options };
  const asked = wire().postForm(`${server.url}/oauth2/token`, { ...init, signal: AbortSignal.abort() });
  await expect(asked).rejects.toMatchObject({ kind: 'unreached' });
  expect(server.requests).toEqual([]);

  let hungUp = false;
  const silent = await serve({ connected: (socket) => void socket.on('close', () => (hungUp = true)) });
  const cutter = new AbortController();
  const waiting = wire().postForm(`${silent.url}/oauth2/token`, { ...init, signal: cutter.signal });
  await until('it is asked', () => silent.requests.length === 1);
  cutter.abort();
  expect(await waiting.catch(({ reason }) => reason)).not.toBe('time-limit');
  await until('it is closed', () => hungUp);

  const { signal } = new AbortController();
  expect(await textOf(await wire().postForm(`${server.url}/oauth2/token`, { ...init, signal }))).toBe('ok');
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('postForm() ends when its time is up, whatever the endpoint does', async () => {
  const { url } = await serve({});
  const startedAtMs = performance.now();
  const init = { method: 'POST' as const, headers: {}, body: '', timeoutMs: 500, ...options };
  await expect(wire().postForm(url, init)).rejects.toMatchObject({ reason: 'time-limit' });
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
  const reply = await wire().postForm(`${server.url}/oauth2/token`, init);
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
  const reply = await wire().postForm(`${server.url}/oauth2/token`, init);
  reset();
  await seen(server);
  expect(await textOf(reply)).toBe('ok');
});

test('openWire gives each warning once', async () => {
  const server = await serve();
  const warned: string[] = [];
  const env = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
  const world = wire({ env, warn: (line) => void warned.push(line) });
  expect([await ask(world, server.url), await ask(world, server.url)]).toEqual(['ok', 'ok']);
  expect(server.connections).toBe(2);
  expect(warned).toEqual(['NODE_TLS_REJECT_UNAUTHORIZED=0 is ignored: certificates are always verified']);
  // What exec starts has it as it was.
  expect(env).toEqual({ NODE_TLS_REJECT_UNAUTHORIZED: '0' });
});

test('openAhead of the program opens a connection that fetch uses', async () => {
  const server = await serve();
  const { world, close } = openWorld(process, '0.0.0', openQuickWorld(process));
  onCleanup(close);
  world.openAhead(server.url, options);
  await until('it is open', () => server.connections === 1);
  expect(await ask(world, server.url)).toBe('ok');
  expect(server.connections).toBe(1);
});

describe('a program that opens one', () => {
  let program: string;
  beforeAll(async () => {
    const source = join(openFolder(), 'entry.ts');
    writeFileSync(
      source,
      `import { openWire } from ${JSON.stringify(join(ROOT, 'src', 'system', 'wire', 'wire.ts'))};
       const { env, platform, versions } = process;
       const wire = openWire({ env, platform, nodeVersion: versions.node, lookupChild: [], warn() {} });
       wire.openAhead(process.argv[2], { caFile: process.argv[3] });
       setTimeout(() => wire.close(), 300);`,
    );
    program = await bundle(source);
  });

  test.each([
    ['an endpoint that answers', async () => (await serve()).url],
    [
      'one that is silent in the handshake',
      async () => (await startFaultServer({})).url.replace('http:', 'https:'),
    ],
  ])('ends when nothing follows: %s', async (_, address) => {
    const words = [process.execPath, program, await address(), authority.caFile];
    expect(await runCommand(words, { env: {} })).toMatchObject({ code: 0, stderr: '' });
  });
});
