/** The settings that --verbose shows, and what the errors of a token contain. */
import { expect, test } from 'vitest';
import { tokenFor } from '../../src/commands/selected-token';
import { GwtokenError } from '../../src/errors';
import { gather } from '../../src/settings/resolve';
import { queryOf } from '../../src/token/query';
import type { World } from '../../src/world';
import { inside } from '../harness/homes/in-process';

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
  expect(error).toMatchObject({ message: 'no network', source: { kind: 'variables' } });
  expect(JSON.stringify(error)).not.toContain('top-secret');
});

test('--verbose shows the settings even if one is invalid', async () => {
  const gw = inside();
  gw.env['GWTOKEN_RETRIES'] = 'many';
  const { stderr } = await gw.cli(['get', '--verbose']);
  expect(stderr).toContain('gwtoken: region: eu (GWTOKEN_REGION)\n');
  expect(stderr).toContain('gwtoken: retries: invalid retries "many"');
});
