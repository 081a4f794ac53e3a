/** The connection: what it is made with, and what is told of it. */
import { X509Certificate } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import net, { connect } from 'node:net';
import { expect, test, vi } from 'vitest';
import { Connection } from '../../../src/system/wire/connection';
import { openWire } from '../../../src/system/wire/wire';
import type { ConnectionOptions } from '../../../src/world';
import { onCleanup } from '../../harness/clean-up';
import { makeAuthority } from '../../harness/endpoints/authority';
import { startFaultServer } from '../../harness/endpoints/fault-server';
import { until } from '../../harness/programs/processes';
import { surroundings } from './surroundings';

function open(url: string, options: ConnectionOptions = {}, env: Record<string, string> = {}) {
  const connection = new Connection(new URL(url), options, surroundings({ env }));
  onCleanup(() => connection.close());
  return connection;
}

test('a connection closed while its CA file is read is never made', async () => {
  const server = await startFaultServer({});
  const connection = open(server.url.replace('http:', 'https:'), { caFile: makeAuthority().caFile });
  connection.close();
  await expect(connection.ready).rejects.toThrow('closed');
  // One that was made would have arrived before this one.
  const next = connect(server.port, '127.0.0.1');
  onCleanup(() => next.destroy());
  next.write('HEAD / HTTP/1.1\r\n\r\n');
  await until('the next has arrived', () => server.requests.length === 1);
  expect(server.connections).toBe(1);
});

test('the next address of a name is tried after 500 ms', async () => {
  const connects = vi.spyOn(net, 'connect');
  syncBuiltinESMExports();
  onCleanup(() => {
    connects.mockRestore();
    syncBuiltinESMExports();
  });
  const server = await startFaultServer({});
  await open(server.url).ready;
  expect(connects).toHaveBeenCalledExactlyOnceWith({
    host: '127.0.0.1',
    port: server.port,
    noDelay: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 500,
    lookup: expect.any(Function),
  });
});

test.each([
  ['127.0.0.1', 'localhost', '127.0.0.1'],
  ['::1', '[::1]', '[::1]'],
])('the address that answers is told, whatever its name: %s, for %s', async (host, name, shown) => {
  const answer = (socket: net.Socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
  const server = await startFaultServer({ answer }, { host });
  const told: string[] = [];
  const { address } = await openWire(surroundings())(`http://${name}:${server.port}/`, {
    ...{ method: 'POST', body: '', headers: {}, timeoutMs: 5000 },
    trace: (line) => told.push(line),
  });
  expect(address).toBe(`${shown}:${server.port}`);
  expect(told.at(-1)).toBe(`connected to ${shown}:${server.port}`);
});

test('an https: URL without a port has port 443', async () => {
  const proxy = await startFaultServer({ answer: (socket) => void socket.end('HTTP/1.1 503 No\r\n\r\n') });
  for (const url of ['https://id.test', 'https://[::1]'])
    await expect(open(url, {}, { HTTPS_PROXY: proxy.url }).ready).rejects.toThrow();
  expect(proxy.requests).toEqual([
    expect.stringMatching(/^CONNECT id\.test:443 HTTP\/1\.1\r\n/),
    expect.stringMatching(/^CONNECT \[::1\]:443 HTTP\/1\.1\r\n/),
  ]);
});

test.each([
  ['/O=A Company/CN=id.test', 'id.test'],
  ['/CN=id.test/CN=another.test', 'id.test, another.test'],
  ['/O=A Company', 'A Company'],
  ['/OU=A Department', 'no name'],
  ['/CN=##vso[task.complete]', '# #vso[task.complete]'],
])('the certificate of %s is told as that of %s', async (subject, name) => {
  const authority = makeAuthority();
  const identity = authority.issue({ subject });
  const server = await startFaultServer({}, { tls: identity });
  const { caFile } = authority;
  const told: unknown[] = [];
  await open(server.url, { caFile, onProgress: ({ tls }) => void (tls && told.push(tls)) }).ready;
  const validToMs = Date.parse(new X509Certificate(identity.cert).validTo);
  const issuer = 'gwtoken test CA';
  expect(told).toEqual([{ protocol: 'TLSv1.3', subject: name, issuer, validToMs, trustedBy: caFile }]);
});
