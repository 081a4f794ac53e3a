/** The settings that --verbose shows, and what the errors of a token contain. */
import { expect, test } from 'vitest';
import { readSettings, tokenFor } from '../../src/commands/selected-token';
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

test('readSettings() traces the settings even if one is invalid', () => {
  const lines: string[] = [];
  const world = {
    env: { GWTOKEN_RETRIES: 'many' },
    config: { read: () => ({ path: '', general: {}, profiles: {} }) },
    clients: { read: () => ({}) },
    trace: (line: string) => lines.push(line),
  } as unknown as World;
  readSettings({ region: 'eu' }, world);
  expect(lines).toContain('region: eu (--region)');
  expect(lines).toContainEqual(expect.stringContaining('invalid retries "many"'));
});
