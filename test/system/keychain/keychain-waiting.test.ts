/** Time limits and notices while gwtoken waits for the keychain, with a fake clock and a fake child. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { openKeychain } from '../../../src/system/keychain/keychain';
import type { Env } from '../../../src/world';
import { onCleanup } from '../../harness/clean-up';
import { openDirectory } from '../../harness/homes/directory';
import { isRunning, until } from '../../harness/programs/processes';

let directory: string;
beforeEach(() => {
  directory = openDirectory();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onCleanup(() => void vi.useRealTimers());
});

/** Waits until both timers are set: the limit's and the notice's. */
const untilAsked = () => until('the child is asked', () => vi.getTimerCount() === 2);

/** Opens a keychain whose child runs this script; the world is a macOS desktop unless `world` changes it. */
function open(script = '', world: Partial<Parameters<typeof openKeychain>[0]> = {}) {
  const childPath = join(directory, 'child.cjs');
  writeFileSync(childPath, `process.on('message', () => { ${script} });`);
  const shown: string[] = [];
  const stderr = { isTTY: () => true, write: (text: string) => void shown.push(text) };
  const env = { PATH: '/nonexistent', DISPLAY: ':99' };
  const keychain = openKeychain({
    platform: 'darwin',
    env,
    stderr,
    uid: process.geteuid?.(),
    childPath,
    whileReading: () => {},
    ...world,
  });
  const get = (limitMs?: number, signal?: AbortSignal) => {
    const got: { end?: unknown } = {};
    const done = keychain.get('a', limitMs, signal).then(
      (value) => {
        got.end = value;
      },
      ({ message }: Error) => {
        got.end = message;
      },
    );
    return { got, done };
  };
  return { get, shown, keychain };
}

test('get() shows a notice after 2 s, and gives up after 60 s if a person can answer', async () => {
  const { get, shown } = open();
  const { got, done } = get();
  await untilAsked();
  await vi.advanceTimersByTimeAsync(1999);
  expect(shown).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(shown).toEqual(['gwtoken: waiting for the keychain: answer its dialog (up to 60 s)\n']);
  await vi.advanceTimersByTimeAsync(57_999);
  expect(got).toEqual({});
  await vi.advanceTimersByTimeAsync(1);
  await done;
  expect(got.end).toBe('the keychain did not answer within 60 s');
  expect(vi.getTimerCount()).toBe(0);
});

test('get() shows no notice once the keychain has answered', async () => {
  const { get, shown } = open("process.send({ found: true, value: 'item' });");
  const { got, done } = get();
  await done;
  expect(got.end).toBe('item');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(shown).toEqual([]);
});

test.each<[place: string, env: Env, platform: NodeJS.Platform, canSee: boolean]>([
  ['a desktop', { DISPLAY: ':99' }, 'linux', true],
  ['Wayland', { WAYLAND_DISPLAY: 'wayland-0' }, 'linux', true],
  ['macOS', {}, 'darwin', true],
  ['Windows', { CI: 'false' }, 'win32', true],
  ['Linux without a desktop', {}, 'linux', false],
  ['a desktop under CI', { DISPLAY: ':99', CI: 'true' }, 'linux', false],
])(
  'on %s, the default limit is 60 s if a person can see a dialog, else 10 s',
  async (_, env, platform, canSee) => {
    const bus = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${directory}`, PATH: '/nonexistent' };
    const { get, shown } = open('', { platform, env: { ...env, ...bus } });
    const { got, done } = get();
    await untilAsked();
    await vi.advanceTimersByTimeAsync(canSee ? 60_000 : 10_000);
    await done;
    expect(got.end).toBe(`the keychain did not answer within ${canSee ? 60 : 10} s`);
    expect(shown).toHaveLength(canSee ? 1 : 0);
  },
);

test.each<[string, (keychain: ReturnType<typeof openKeychain>) => Promise<unknown>]>([
  ['get', ({ get }) => get('a', 20_000)],
  ['set', ({ set }) => set('a', 'b', 20_000)],
  ['delete', (keychain) => keychain.delete('a', 20_000)],
  ['probe', ({ probe }) => probe(20_000)],
  ['accounts', ({ accounts }) => accounts(20_000)],
])('%s() gives up at the limit that its caller passes', async (_, call) => {
  const { keychain } = open();
  let end: unknown;
  const ended = call(keychain).catch(({ message }: Error) => {
    end = message;
  });
  await untilAsked();
  await vi.advanceTimersByTimeAsync(19_999);
  expect(end).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  await ended;
  expect(end).toBe('the keychain did not answer within 20 s');
});

test('one limit covers the child and a bus that does not answer', async ({ needs }) => {
  needs('linux');
  const asked = join(directory, 'asked');
  writeFileSync(join(directory, 'dbus-send'), `#!/bin/sh\n: >'${asked}'\nexec sleep 60\n`, { mode: 0o755 });
  const PATH = `${directory}:${process.env['PATH']}`;
  const env = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${directory}`, PATH };
  const { get } = open('process.send({ found: false });', { platform: 'linux', env });
  const { got } = get(4000);
  await until('the bus is asked', () => existsSync(asked));
  await vi.advanceTimersByTimeAsync(4000);
  await until('the limit ends it', () => got.end !== undefined);
  expect(got.end).toBe('the keychain did not answer within 4 s');
});

test('the limit also ends the question to the bus that goes with the notice', async ({ needs }) => {
  needs('linux');
  const pid = join(directory, 'pid');
  const script = `#!/bin/sh\necho $$ >'${pid}.new'\nmv '${pid}.new' '${pid}'\nexec sleep 60\n`;
  writeFileSync(join(directory, 'dbus-send'), script, { mode: 0o755 });
  const PATH = `${directory}:${process.env['PATH']}`;
  const env = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${directory}`, PATH };
  const { done } = open('', { platform: 'linux', env }).get(5000);
  await untilAsked();
  await vi.advanceTimersByTimeAsync(2000);
  await until('the bus is asked', () => existsSync(pid));
  await vi.advanceTimersByTimeAsync(3000);
  await done;
  await until('dbus-send has ended', () => !isRunning(Number(readFileSync(pid, 'utf8'))));
});
