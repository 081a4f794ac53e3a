/** A connection that fails, and one that is closed before it is made. */
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { openConnection } from '../../../src/system/wire/connection';
import type { ConnectionOptions } from '../../../src/world';
import { onCleanup } from '../../harness/clean-up';
import { makeAuthority } from '../../harness/endpoints/authority';
import { closedPort, startFaultServer } from '../../harness/endpoints/fault-server';
import { until } from '../../harness/programs/processes';

function open(url: string, options: ConnectionOptions = {}) {
  const { platform, versions } = process;
  const own = { env: {}, platform, nodeVersion: versions.node, lookupChild: [], warn: () => {} };
  const connection = openConnection(new URL(url), options, own);
  onCleanup(() => connection.close());
  return connection;
}

test('one that failed is closed: a request opens its own', async () => {
  const connection = open(`http://127.0.0.1:${await closedPort()}`);
  expect(connection.isClosed()).toBe(false);
  await expect(connection.ready).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  expect(connection.isClosed()).toBe(true);
});

test('one that is closed while its CA file is read is never made', async () => {
  const server = await startFaultServer({});
  const connection = open(server.url.replace('http:', 'https:'), { caFile: makeAuthority().caFile });
  connection.close();
  expect(connection.isClosed()).toBe(true);
  await expect(connection.ready).rejects.toThrow('closed');
  // One that was made would have arrived before this one.
  const next = connect(server.port, '127.0.0.1');
  onCleanup(() => next.destroy());
  next.write('HEAD / HTTP/1.1\r\n\r\n');
  await until('the next has arrived', () => server.requests.length === 1);
  expect(server.connections).toBe(1);
});

test('how long it took is counted from when its address was known', async () => {
  const server = await startFaultServer({});
  const startedAtMs = performance.now();
  const times: (number | undefined)[] = [];
  await open(server.url, { met: ({ connectMs }) => void times.push(connectMs) }).ready;
  const tookMs = Math.ceil(performance.now() - startedAtMs);
  const [connectMs = Number.NaN, ...others] = times.filter((ms) => ms !== undefined);
  expect(others).toEqual([]);
  expect(connectMs).toBeLessThanOrEqual(tookMs);
  expect(connectMs).toBeGreaterThanOrEqual(0);
});
