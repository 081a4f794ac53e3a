/** The bus's word on keyrings and items, and what is made of the module's answer if the two differ. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { GwtokenError } from '../../../src/errors';
import { collectionOnBus, isHidingOnBus, itemOnBus } from '../../../src/system/keychain/bus';
import { openKeychain } from '../../../src/system/keychain/keychain';
import { openFolder } from '../../harness/homes/folder';
import { startKeyring } from '../../harness/keyrings/keyring';
import { attributesOf } from '../../harness/keyrings/secret-service';
import { onPath } from '../../harness/needs';
import { isRunning, until } from '../../harness/programs/processes';

const ITEM = 'object path "/org/freedesktop/secrets/collection/other/1"';
const ITEMS = {
  none: 'array [ ]\narray [ ]',
  unlocked: `array [ ${ITEM} ]\narray [ ]`,
  locked: `array [ ]\narray [ ${ITEM} ]`,
};

test('each program that asks a real bus tells open from locked keyrings, and an item from none', async ({
  needs,
}) => {
  needs('keyring', 'systemd');
  const keyring = await startKeyring({ state: 'unlocked', seed: { there: 'a' } });
  const store = (schema: string, ...attributes: string[]) =>
    execFileSync('secret-tool', ['store', '--label=b', 'xdg:schema', schema, ...attributes], {
      env: { ...keyring.env, PATH: process.env['PATH'] },
      input: 'b',
    });
  // libsecret does not find it for keytar either.
  store('org.example.Another', ...attributesOf('of another schema'));
  // Of the same account, but another program's.
  store('org.freedesktop.Secret.Generic', 'service', 'another', 'account', 'not there');
  const programs = ['dbus-send', 'busctl'];
  const states = () =>
    Promise.all(
      programs.map(async (program) => {
        const folder = openFolder();
        symlinkSync(onPath(program) ?? '', join(folder, program));
        const env = { ...keyring.env, PATH: folder };
        const items = ['there', 'not there', 'of another schema'].map((account) => itemOnBus(account, env));
        return [program, await collectionOnBus(env), ...(await Promise.all(items)), await isHidingOnBus(env)];
      }),
    );
  const each = (...expected: unknown[]) => programs.map((program) => [program, ...expected]);
  expect(await states()).toEqual(each('unlocked', 'present', 'absent', 'absent', false));
  await keyring.lock();
  expect(await states()).toEqual(each('locked', 'locked', 'absent', 'absent', false));
});

test.skipIf(process.platform === 'win32')(
  'a bus that does not answer is unknown after five seconds',
  async () => {
    const folder = openFolder();
    const asking = join(folder, 'pids');
    writeFileSync(asking, '');
    const pids = () => readFileSync(asking, 'utf8').match(/\d+\n/g) ?? [];
    const script = `#!/bin/sh\ntrap '' TERM\necho $$ >>'${asking}'\nexec sleep 60`;
    writeFileSync(join(folder, 'dbus-send'), script, { mode: 0o755 });
    const env = { PATH: `${folder}:${process.env['PATH']}` };
    const startedAt = performance.now();
    const states = Promise.all([collectionOnBus(env), itemOnBus('a', env), isHidingOnBus(env)]);
    expect(await states).toEqual(['unknown', 'unknown', false]);
    expect(performance.now() - startedAt).toBeGreaterThan(4900);
    await until('the programs have ended', () => !pids().some((pid) => isRunning(Number(pid))));
  },
);

describe.skipIf(process.platform !== 'linux')('the module and the bus', () => {
  let folder: string;
  beforeEach(() => {
    folder = openFolder();
  });
  /** How often the module was asked. */
  const asked = () => readFileSync(join(folder, 'asked'), 'utf8').length;
  const keychain = (
    answer: unknown,
    items: string,
    isLocked = false,
    platform: NodeJS.Platform = 'linux',
  ) => {
    const child = join(folder, 'child.cjs');
    writeFileSync(
      child,
      `process.on('message', ({ op }) => {
        require('node:fs').appendFileSync(__dirname + '/asked', op === 'probe' ? '' : 'x');
        process.send('loaded');
        const answer = ${JSON.stringify(answer)};
        process.send(answer?.ok === false ? answer : { ok: true, value: answer });
      });`,
    );
    const script = `#!/bin/sh
      case "$*" in
      *SearchItems*) echo '${items}' ;;
      *ReadAlias*) echo 'object path "/org/freedesktop/secrets/collection/login"' ;;
      *collection/other*GetAll*) echo 'string "Locked" variant boolean ${isLocked}' ;;
      *GetAll*) echo 'string "Locked" variant boolean false' ;;
      esac`;
    writeFileSync(join(folder, 'dbus-send'), script, { mode: 0o755 });
    return openKeychain({
      platform,
      env: { PATH: folder },
      stderr: { isTTY: () => false, write: () => {} },
      uid: process.geteuid?.(),
      childPath: child,
    });
  };
  /** What the bus says of an item, and whether its keyring is locked. */
  const STATES = {
    absent: [ITEMS.none, false],
    present: [ITEMS.unlocked, false],
    guarded: [ITEMS.locked, false],
    locked: [ITEMS.locked, true],
  } as const;
  /** What libsecret answers if the person says no, but also if it has nothing to show. */
  const DENIED = { ok: false, stage: 'call', message: 'denied' };

  const WRONG_KEY = { ...DENIED, message: 'Client public key size is invalid' };
  test.each<
    [op: 'get' | 'set' | 'delete', answer: unknown, item: keyof typeof STATES, end: unknown, times: number]
  >([
    ['delete', true, 'absent', true, 1],
    ['delete', true, 'present', 'denied', 1],
    ['delete', true, 'guarded', 'denied', 1],
    ['delete', true, 'locked', 'locked', 1],
    ['delete', false, 'absent', false, 1],
    ['get', null, 'absent', undefined, 1],
    ['get', null, 'guarded', 'denied', 1],
    ['get', null, 'locked', 'locked', 1],
    // The session may have had the wrong key.
    ['get', null, 'present', 'denied', 2],
    ['get', WRONG_KEY, 'present', 'key-mismatch', 2],
    ['set', 'before', 'present', 'before', 1],
    // A first attempt with a wrong key stored it.
    ['set', 'b', 'present', undefined, 1],
    ['set', DENIED, 'guarded', 'denied', 1],
    // Another login may have stored the old one again.
    ['set', DENIED, 'present', 'denied', 2],
    ['set', WRONG_KEY, 'present', 'key-mismatch', 2],
    ['set', { ...DENIED, message: 'something new' }, 'present', 'failed', 1],
  ])(
    '%s ends, if the module says %j and the bus %s, with %s after %i session(s)',
    async (op, answer, item, end, times) => {
      const [items, isLocked] = STATES[item];
      const opened = keychain(answer, items, isLocked);
      const call = op === 'set' ? opened.set('a', 'b', 20_000) : opened[op]('a', 20_000);
      expect(await call.catch(({ reason }: GwtokenError) => reason)).toBe(end);
      expect(asked()).toBe(times);
    },
  );

  test.each([
    ['there is no keyring', '/', 'no-collection'],
    ['the keyring is locked', '/org/freedesktop/secrets/collection/other', 'locked'],
  ])('no item is looked for on the bus if %s: that may open another dialog', async (_, path, reason) => {
    const script = join(folder, 'dbus-send');
    const searched = join(folder, 'searched');
    const asking = (answer: unknown) => {
      const opened = keychain(answer, ITEMS.none, true);
      const text = readFileSync(script, 'utf8')
        .replace('/org/freedesktop/secrets/collection/login', path)
        .replace('*SearchItems*)', `*SearchItems*) : >'${searched}';`);
      writeFileSync(script, text);
      return opened;
    };
    await expect(asking(null).get('a', 20_000)).rejects.toMatchObject({ reason });
    await expect(asking(false).delete('a', 20_000)).rejects.toMatchObject({ reason });
    await expect(asking(DENIED).set('a', 'b', 20_000)).rejects.toMatchObject({ reason });
    expect(existsSync(searched)).toBe(false);
  });

  test('only Linux asks the bus', async () => {
    expect(await keychain(null, ITEMS.locked, false, 'darwin').get('a')).toBeUndefined();
    expect(await keychain(true, ITEMS.locked, true, 'win32').delete('a')).toBe(true);
    const { set } = keychain(DENIED, ITEMS.unlocked, false, 'darwin');
    await expect(set('a', 'b')).rejects.toMatchObject({ reason: 'denied' });
    expect(asked()).toBe(3);
  });

  test('itemOnBus asks again if the service has left the state of the keyring out', async () => {
    keychain(null, ITEMS.locked, true);
    const script = join(folder, 'dbus-send');
    const once = `[ -e ${folder}/noticed ] || case "$*" in *GetAll*) : >${folder}/noticed; echo '"Label"'; exit ;; esac`;
    writeFileSync(script, readFileSync(script, 'utf8').replace('\n', `\n${once}\n`));
    expect(await itemOnBus('a', { PATH: folder })).toBe('locked');
  });

  test('itemOnBus tells guarded, present and locked by what busctl prints too', async () => {
    const path = '"/org/freedesktop/secrets/collection/other/1"';
    const state = async (items: string, isLocked: boolean) => {
      const script = `#!/bin/sh
        case "$*" in
        *SearchItems*) echo '${items}' ;;
        *GetAll*) echo 'a{sv} 2 "Label" s "Other" "Locked" b ${isLocked}' ;;
        esac`;
      writeFileSync(join(folder, 'busctl'), script, { mode: 0o755 });
      return await itemOnBus('a', { PATH: folder });
    };
    expect(await state(`aoao 0 1 ${path}`, false)).toBe('guarded');
    expect(await state(`aoao 1 ${path} 0`, false)).toBe('present');
    expect(await state(`aoao 0 1 ${path}`, true)).toBe('locked');
  });
});
