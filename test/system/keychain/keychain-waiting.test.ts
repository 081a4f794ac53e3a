/** How long a keychain is waited for, and what is said meanwhile: on the test's clock, with its own child. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { openKeychain } from '../../../src/system/keychain/keychain';
import type { Env } from '../../../src/world';
import { onCleanup } from '../../harness/clean-up';
import { openFolder } from '../../harness/homes/folder';
import { until } from '../../harness/programs/processes';

let folder: string;
beforeEach(() => {
  folder = openFolder();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onCleanup(() => void vi.useRealTimers());
});

const there = (name: string) => existsSync(join(folder, name));
/** The timers while a child runs: the limit, and the notice once it has loaded. */
const untilLoaded = () => until('the module is loaded', () => vi.getTimerCount() === 2);

/** On a desktop, unless `world` says otherwise, with a child that is this script. */
function open(script: string, world: Partial<Parameters<typeof openKeychain>[0]> = {}) {
  const childPath = join(folder, 'child.cjs');
  writeFileSync(
    childPath,
    `const { existsSync, writeFileSync } = require('node:fs');
     const note = (name) => writeFileSync(__dirname + '/' + name, '');
     process.on('message', ({ op }) => { ${script} });`,
  );
  const shown: string[] = [];
  const stderr = { isTTY: () => true, write: (text: string) => void shown.push(text) };
  const env = { PATH: '/nonexistent', DISPLAY: ':99' };
  const keychain = openKeychain({
    platform: 'darwin',
    env,
    stderr,
    uid: process.geteuid?.(),
    childPath,
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

test.each([
  ['two seconds', 1500],
  ['its start, if that comes later', 4000],
])('a person is told after %s, and a minute ends it', async (_, startMs) => {
  const { get, shown } = open(
    "const wait = setInterval(() => existsSync(__dirname + '/go') && (clearInterval(wait), process.send('loaded')), 5);",
  );
  const { got, done } = get();
  await vi.advanceTimersByTimeAsync(startMs);
  writeFileSync(join(folder, 'go'), '');
  await untilLoaded();
  expect(shown).toEqual([]);
  const noticeMs = Math.max(2000 - startMs, 0);
  await vi.advanceTimersByTimeAsync(Math.max(noticeMs - 1, 0));
  expect(shown).toHaveLength(noticeMs > 0 ? 0 : 1);
  await vi.advanceTimersByTimeAsync(1);
  expect(shown).toEqual(['\r\x1b[Kgwtoken: waiting for the keychain: is a dialog open? (up to 60 s)\n']);
  await vi.advanceTimersByTimeAsync(59_999 - startMs - Math.max(noticeMs, 1));
  expect(got).toEqual({});
  await vi.advanceTimersByTimeAsync(1);
  await done;
  expect(got.end).toBe('the keychain did not answer within 60 s (was a dialog open?)');
  expect(vi.getTimerCount()).toBe(0);
});

test.each<[string, Env, NodeJS.Platform, boolean]>([
  ['a desktop', { DISPLAY: ':99' }, 'linux', true],
  ['Wayland', { WAYLAND_DISPLAY: 'wayland-0' }, 'linux', true],
  ['macOS', {}, 'darwin', true],
  ['Windows', { CI: 'false' }, 'win32', true],
  ['Linux without a desktop', {}, 'linux', false],
  ['a desktop under CI', { DISPLAY: ':99', CI: 'true' }, 'linux', false],
])(
  'on %s the limit is a minute if a person can see a dialog, else ten seconds',
  async (_, env, platform, seen) => {
    const { get, shown } = open("process.send('loaded');", {
      platform,
      env: { ...env, PATH: '/nonexistent' },
    });
    const { got, done } = get();
    await untilLoaded();
    await vi.advanceTimersByTimeAsync(seen ? 60_000 : 10_000);
    await done;
    const within = seen ? 'within 60 s (was a dialog open?)' : 'within 10 s';
    expect(got.end).toBe(`the keychain did not answer ${within}`);
    expect(shown).toHaveLength(seen ? 1 : 0);
  },
);

test.each<[string, (keychain: ReturnType<typeof openKeychain>) => Promise<unknown>]>([
  ['get', ({ get }) => get('a', 20_000)],
  ['set', ({ set }) => set('a', 'b', 20_000)],
  ['delete', (keychain) => keychain.delete('a', 20_000)],
  ['probe', ({ probe }) => probe(20_000)],
])('%s has the limit that is given', async (_, call) => {
  const { keychain } = open("process.send('loaded');");
  let end: unknown;
  const ended = call(keychain).catch(({ message }: Error) => {
    end = message;
  });
  await untilLoaded();
  await vi.advanceTimersByTimeAsync(19_999);
  expect(end).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  await ended;
  expect(end).toBe('the keychain did not answer within 20 s (was a dialog open?)');
});

test('an answer leaves nothing to be waited for', async () => {
  const { get } = open("process.send('loaded'); process.send({ ok: true, value: 'item' });");
  const { got, done } = get();
  await done;
  expect([got.end, vi.getTimerCount()]).toEqual(['item', 0]);
});

/** A dbus-send that is this script, first in PATH. */
function withBus(script: string) {
  writeFileSync(join(folder, 'dbus-send'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const env = { PATH: `${folder}:${process.env['PATH']}`, DISPLAY: ':99' };
  return open("process.send('loaded');", { platform: 'linux', env });
}
test.runIf(process.platform === 'linux')('a person is told that the keyring is locked', async () => {
  const { get, shown } = withBus(`case "$*" in
     *ReadAlias*) echo 'object path "/org/freedesktop/secrets/collection/login"' ;;
     *) echo 'string "Locked" variant boolean true' ;;
     esac`);
  const { got, done } = get(5000);
  await untilLoaded();
  await vi.advanceTimersByTimeAsync(2000);
  await until('a person is told', () => shown.length > 0);
  expect(shown).toEqual(['\r\x1b[Kgwtoken: the keychain is locked: unlock it in the dialog (up to 5 s)\n']);
  await vi.advanceTimersByTimeAsync(3000);
  await done;
  expect(got.end).toBe('the keychain is still locked after 5 s');
});

test.runIf(process.platform === 'linux')(
  'a person is told as well if the bus is silent for 800 ms',
  async () => {
    const { get, shown } = withBus(`: >'${join(folder, 'asked')}'\nexec sleep 60`);
    const { got, done } = get(20_000);
    await untilLoaded();
    await vi.advanceTimersByTimeAsync(2000);
    await until('the bus is asked', () => there('asked'));
    await vi.advanceTimersByTimeAsync(799);
    expect(shown).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await until('a person is told', () => shown.length > 0);
    expect(shown).toEqual(['\r\x1b[Kgwtoken: waiting for the keychain: is a dialog open? (up to 20 s)\n']);
    await vi.advanceTimersByTimeAsync(17_200);
    await done;
    expect(got.end).toBe('the keychain did not answer within 20 s (was a dialog open?)');
  },
);

test.runIf(process.platform === 'linux')(
  'if nothing can ask the bus, what is stored instead has the limit of the caller',
  async () => {
    const { get } = open(
      "process.send('loaded'); if (op === 'probe') note('probed'); else process.send({ ok: true, value: null });",
      { platform: 'linux' },
    );
    const { got, done } = get(20_000);
    await until('it is tried', () => there('probed'));
    await untilLoaded();
    await vi.advanceTimersByTimeAsync(20_000);
    await done;
    expect(got.end).toBe('the keychain did not answer within 20 s (was a dialog open?)');
  },
);
