/** The selected client's query, and what its errors contain. */
import { expect, test } from 'vitest';
import { selectedQuery, tokenFor } from '../../src/commands/selected-token';
import { GwtokenError } from '../../src/errors';
import { gather } from '../../src/settings/resolve';
import { queryOf } from '../../src/token/query';
import type { World } from '../../src/world';

test('an error has no secret in any field, and names the source', async () => {
  const env = {
    GWTOKEN_CLIENT_ID: 'client-1',
    GWTOKEN_CLIENT_SECRET: 'top-secret',
    GWTOKEN_AUTH_URL: 'https://a.example.com',
  };
  const world = {
    env,
    config: { read: () => ({ path: '', general: {}, profiles: {} }) },
    clients: { read: () => ({}) },
    now: () => 0,
    monotonicMs: () => 0,
    trace() {},
    terminal: { spin: (_: string, work: () => Promise<unknown>) => work() },
    postForm: async () => {
      throw new GwtokenError('unreached', 'no network');
    },
  } as unknown as World;
  const query = queryOf(gather({ region: 'eu', cache: false }, world), world);
  const error = await tokenFor(query, world).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ message: 'no network', subject: { source: { kind: 'variables' } } });
  expect(JSON.stringify(error)).not.toContain('top-secret');
});

test('selectedQuery() traces the settings even if it fails', () => {
  const lines: string[] = [];
  const world = {
    env: { GWTOKEN_RETRIES: 'many' },
    config: { read: () => ({ path: '', general: {}, profiles: {} }) },
    clients: { read: () => ({}) },
    trace: (line: string) => lines.push(line),
  } as unknown as World;
  expect(() => selectedQuery(gather({ region: 'eu' }, world), world)).toThrow('invalid retries "many"');
  expect(lines).toContain('region: eu (--region)');
});
