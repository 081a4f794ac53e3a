/** A session bus that may be another user's: its address outlives it, and others can bind its name. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { checkBusTrust } from '../../../src/system/keychain/bus-trust';
import { onCleanup } from '../../harness/clean-up';
import { openFolder } from '../../harness/homes/folder';
import { asFunction, keychainWith } from './keytar-in-place';

const STRANGER = 64_002;
/** A user with an account, without which dbus-daemon does not start. */
const NOBODY = 65_534;
const uid = process.geteuid?.() ?? 0;
const check = (DBUS_SESSION_BUS_ADDRESS: string, as = uid) =>
  checkBusTrust({ DBUS_SESSION_BUS_ADDRESS }, { platform: 'linux', uid: as });
const problem = (address: string) => {
  try {
    check(address);
    return 'none';
  } catch (error) {
    return (error as Error).message;
  }
};

beforeEach(({ needs }) => needs('linux'));

async function socketIn(folder: string): Promise<string> {
  const path = join(folder, 'bus 1');
  const server = createServer().listen(path);
  await once(server, 'listening');
  onCleanup(() => server.close());
  return path;
}
const addressOf = (path: string) => `unix:path=${path.replaceAll(' ', '%20')},guid=1`;

test('a bus of the user’s own is spoken to, and one that is not given by a path or a name', async () => {
  const path = await socketIn(openFolder());
  for (const address of [
    addressOf(path),
    `unix:guid=1,path=${path}`,
    'tcp:host=localhost',
    'autolaunch:',
    '',
  ])
    expect(check(address)).toBeUndefined();
});

test('a socket of another user’s starts no keychain child', async ({ needs }) => {
  needs('root');
  const path = await socketIn(openFolder());
  expect(check(addressOf(path), STRANGER)).toBeUndefined();
  chownSync(path, STRANGER, STRANGER);
  const stranger = `belongs to another user (uid ${STRANGER})`;
  expect(problem(addressOf(path))).toBe(`no keychain here: the session bus at ${path} ${stranger}`);
  expect(problem(`tcp:host=localhost;${addressOf(path)}`)).toContain(stranger);

  const keytar = `require('node:fs').writeFileSync(__dirname + '/loaded', '');${asFunction('async () => null')}`;
  const env = { DBUS_SESSION_BUS_ADDRESS: addressOf(path) };
  const { keychain, module } = keychainWith(keytar, { platform: 'linux', env });
  await expect(keychain.set('a', 'secret')).rejects.toMatchObject({ kind: 'keychain', reason: 'no-session' });
  await expect(keychain.get('a')).rejects.toMatchObject({ reason: 'no-session' });
  expect(existsSync(join(module, 'loaded'))).toBe(false);
});

test('a socket that is gone may be bound by anybody a moment later', () => {
  const path = join(openFolder(), 'bus');
  expect(problem(addressOf(path))).toBe(`no keychain here: the session bus at ${path} has ended`);
  writeFileSync(path, '');
  expect(check(addressOf(path))).toBeUndefined();
});

test('an abstract bus is spoken to if a process of the user’s listens there', async ({ needs }) => {
  needs('keyring');
  const name = `/gwtoken-test-${process.pid}`;
  const listen = async (options: { uid?: number }) => {
    const args = ['--session', '--nofork', '--print-address', `--address=unix:abstract=${name}`];
    const bus = spawn('dbus-daemon', args, { stdio: ['ignore', 'pipe', 'ignore'], ...options });
    onCleanup(() => bus.kill());
    await once(bus.stdout, 'data');
    return async () => {
      bus.kill();
      await once(bus, 'exit');
    };
  };
  expect(problem(`unix:abstract=${name}`)).toContain('belongs to no program of yours');
  const stop = await listen({});
  expect(check(`unix:abstract=${name}`)).toBeUndefined();
  if (uid !== 0) return;
  await stop();
  await listen({ uid: NOBODY });
  expect(problem(`unix:abstract=${name}`)).toContain('belongs to no program of yours');
});
