/** The owner of the session bus. The address outlives the session, and then another user can listen there. */
import { once } from 'node:events';
import { chownSync, existsSync, lchownSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { type GwtokenError, valueOrError } from '../../../src/errors';
import { withSessionBus } from '../../../src/system/keychain/session-bus';
import { onCleanup } from '../../harness/clean-up';
import { openDirectory } from '../../harness/homes/directory';
import { asFunction, keychainWith } from './keytar-in-place';

const STRANGER = 64_002;
const uid = process.geteuid?.() ?? 0;
const busOf = (env: Record<string, string>, as = uid) =>
  withSessionBus(env, { platform: 'linux', uid: as })['DBUS_SESSION_BUS_ADDRESS'];
/** Returns why an address is rejected; undefined if it is accepted. */
const problem = (DBUS_SESSION_BUS_ADDRESS: string, as = uid) => {
  const bus = valueOrError(() => busOf({ DBUS_SESSION_BUS_ADDRESS }, as));
  if (bus === DBUS_SESSION_BUS_ADDRESS) return undefined;
  expect(bus).toMatchObject({ kind: 'keychain', reason: 'no-keychain' });
  return (bus as GwtokenError).message.replace('no keychain here: the session bus at ', '');
};

beforeEach(({ needs }) => needs('linux'));

async function socketIn(directory: string, name = 'bus 1'): Promise<string> {
  const path = join(directory, name);
  const server = createServer().listen(path);
  await once(server, 'listening');
  onCleanup(() => server.close());
  return path;
}
const addressOf = (path: string) => `unix:path=${path.replaceAll(' ', '%20')},guid=1`;

test('withSessionBus() without an address takes the bus in XDG_RUNTIME_DIR or fails', async () => {
  const XDG_RUNTIME_DIR = openDirectory();
  for (const env of [{}, { XDG_RUNTIME_DIR }, { XDG_RUNTIME_DIR: '', DBUS_SESSION_BUS_ADDRESS: '' }])
    expect(() => busOf(env)).toThrow('no keychain here: there is no desktop session');
  const path = await socketIn(XDG_RUNTIME_DIR, 'bus');
  expect(busOf({ XDG_RUNTIME_DIR, DBUS_SESSION_BUS_ADDRESS: '' })).toBe(`unix:path=${path}`);
});

test('withSessionBus() rejects an address with a part that is not a unix:path socket', async () => {
  const own = addressOf(await socketIn(openDirectory()));
  expect(problem(own)).toBeUndefined();
  expect(problem(`${own};${own}`)).toBeUndefined();
  const others = [
    'tcp:host=localhost',
    'unix:abstract=/tmp/bus',
    'nonce-tcp:host=a',
    'autolaunch:',
    'unixexec:path=/bin/a',
    'unix:',
    '',
  ];
  for (const other of others) expect(problem(`${own};${other}`)).toBe(`${other} is not a unix:path socket`);
});

test('a bus of another user starts no keychain child', async ({ needs }) => {
  needs('root');
  const path = await socketIn(openDirectory());
  expect(problem(addressOf(path), STRANGER)).toBeUndefined();
  chownSync(path, STRANGER, STRANGER);
  expect(problem(addressOf(path))).toBe(`${path} belongs to another user (uid ${STRANGER})`);

  const keytar = `require('node:fs').writeFileSync(__dirname + '/loaded', '');${asFunction('async () => null')}`;
  const env = { DBUS_SESSION_BUS_ADDRESS: addressOf(path) };
  const { keychain, module } = keychainWith(keytar, { platform: 'linux', env });
  await expect(keychain.set('a', 'secret')).rejects.toMatchObject({
    kind: 'keychain',
    reason: 'no-keychain',
  });
  expect(existsSync(join(module, 'loaded'))).toBe(false);
});

test('withSessionBus() rejects a foreign bus in XDG_RUNTIME_DIR', async ({ needs }) => {
  needs('root');
  const XDG_RUNTIME_DIR = openDirectory();
  chownSync(await socketIn(XDG_RUNTIME_DIR, 'bus'), STRANGER, STRANGER);
  const hints = ['XDG_RUNTIME_DIR is not of your session: unset it, or log in again'];
  const message = expect.stringContaining('belongs to another user');
  expect(() => busOf({ XDG_RUNTIME_DIR })).toThrow(expect.objectContaining({ message, hints }));
});

test('withSessionBus() rejects a link to a bus of another user, and a link that he can change at any time', async ({
  needs,
}) => {
  needs('root');
  const directory = openDirectory();
  const link = join(directory, 'link');
  symlinkSync(await socketIn(directory), link);
  expect(problem(addressOf(link))).toBeUndefined();
  for (const chown of [chownSync, lchownSync]) {
    chown(link, STRANGER, STRANGER);
    expect(problem(addressOf(link))).toBe(`${link} belongs to another user (uid ${STRANGER})`);
    chown(link, uid, uid);
  }
});

test('withSessionBus() drops sockets that have ended, and fails if no other is left', async () => {
  const [own, ended] = [addressOf(await socketIn(openDirectory())), addressOf(join(openDirectory(), 'bus'))];
  for (const list of [`${ended};${own}`, `${own};${ended}`])
    expect(busOf({ DBUS_SESSION_BUS_ADDRESS: list })).toBe(own);
  expect(problem(`${ended};${ended}`)).toBe(`${ended};${ended} has ended`);
});
