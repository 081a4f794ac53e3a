import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openFolder } from '../../harness/homes/folder';
import { openHome } from '../../harness/homes/home';
import { type KeyringOptions, keyringAvailable, startKeyring } from '../../harness/keyrings/keyring';
import { atMost, FORM } from '../../harness/programs/program';
import { ROOT } from '../../harness/root';
import { CLIENT, doctorStages, ITEM, LOGIN, run, SECRET } from './keychain-runs';
import { hidingAvailable, inNamespace, namespaceUnavailable, withoutLibsecret } from './namespaces';

/** DBUS_SESSION_BUS_ADDRESS where there is no session bus. */
const NO_BUS = {
  'no bus': undefined,
  'no socket': 'unix:path=/nonexistent/bus',
  'an empty address of the bus': '',
  'half an address of the bus': 'unix:',
} as const;
const isWithoutBus = (state: string): state is keyof typeof NO_BUS => state in NO_BUS;

describe('the keyring', () => {
  test("doctor's round trip leaves nothing behind", async ({ skip }) => {
    skip(keyringAvailable() !== undefined, keyringAvailable());
    const started = await startKeyring({ state: 'unlocked' });
    await doctorStages(started.env);
    expect(await started.search('gwtoken-probe')).toBe('');
  });

  interface Fault {
    readonly state: KeyringOptions['state'] | keyof typeof NO_BUS;
    readonly message: string;
    readonly stages: readonly string[];
  }
  const before = ['module: ok', 'library: ok'];
  test.for<Fault>([
    {
      state: 'locked',
      message: 'the keychain is locked',
      stages: [
        ...before,
        'session: ok',
        'provider: ok',
        'keyring: ok',
        'unlocked: failed',
        'round trip: skipped',
      ],
    },
    {
      state: 'none',
      message: 'the keychain has no default keyring',
      stages: [
        ...before,
        'session: ok',
        'provider: ok',
        'keyring: failed',
        'unlocked: skipped',
        'round trip: skipped',
      ],
    },
    {
      state: 'no-provider',
      message: 'no keychain service is running in this session',
      stages: [
        ...before,
        'session: ok',
        'provider: failed',
        'keyring: skipped',
        'unlocked: skipped',
        'round trip: skipped',
      ],
    },
    ...(Object.keys(NO_BUS) as (keyof typeof NO_BUS)[]).map((state) => ({
      state,
      message: 'no keychain here: there is no desktop session (D-Bus)',
      stages: [
        ...before,
        'session: failed',
        'provider: skipped',
        'keyring: skipped',
        'unlocked: skipped',
        'round trip: skipped',
      ],
    })),
  ])(
    '$state: says so at once, in get, login, logout and doctor',
    async ({ state, message, stages }, { skip }) => {
      skip(keyringAvailable() !== undefined, keyringAvailable());
      const env = await environmentIn(state);
      for (const command of ['get', LOGIN, 'logout', 'status --check']) {
        const { code, stderr, ms } = await run(command, env);
        expect({ command, code }).toEqual({ command, code: 5 });
        expect(stderr).toContain(message);
        expect(stderr).toMatch(/\nhint: /);
        expect(ms).toBeLessThan(await atMost(4000));
      }
      const seen = await doctorStages(env);
      expect(seen.stages).toEqual(stages);
      expect(seen.code).toBe(5);
      expect(seen.result.stderr).toContain(message);
    },
  );

  async function environmentIn(state: Fault['state']): Promise<Record<string, string>> {
    if (isWithoutBus(state)) {
      const address = NO_BUS[state];
      return { ...openHome().env, ...(address !== undefined && { DBUS_SESSION_BUS_ADDRESS: address }) };
    }
    return {
      ...(await startKeyring(state === 'locked' ? { state, seed: { [CLIENT]: ITEM } } : { state })).env,
    };
  }
});

test('without a program to ask the bus with, a locked keyring is still told from an absent item', async ({
  skip,
}) => {
  skip(keyringAvailable() !== undefined, keyringAvailable());
  const started = await startKeyring({ state: 'unlocked', seed: { [CLIENT]: ITEM } });
  const env = { ...started.env, PATH: '/nonexistent' };
  expect((await run('get --profile other', env)).code).toBe(4);
  expect(await started.search('gwtoken-probe')).toBe('');
  await started.lock();
  const { code, stderr } = await run('get', env);
  expect(code).toBe(5);
  expect(stderr).toContain('the keychain is locked');
});

test('without libsecret, it names the library and how to install it', async ({ skip }) => {
  skip(hidingAvailable() !== undefined, hidingAvailable());
  // keytar's install script copies its native part there, and npm may be told to run none.
  const copied = join(ROOT, 'node_modules', 'keytar', 'build');
  const unscripted = existsSync(copied) ? inNamespace(`mount -t tmpfs none ${copied}`) : [];
  const wrapper = [...unscripted, ...withoutLibsecret()];
  const home = openHome();
  const { code, stderr } = await run('get', home.env, wrapper);
  expect(code).toBe(5);
  expect(stderr).toMatch(/^gwtoken: error: the keychain needs libsecret-1\.so\.0, which is not installed\n/);
  expect(stderr).toContain('apt-get install libsecret-1-0');
  const { stages } = await doctorStages(home.env, wrapper);
  expect(stages.slice(0, 3)).toEqual(['module: ok', 'library: failed', 'session: skipped']);
});

test('on a file system without execution, it names the directory and the way out', async ({ skip }) => {
  skip(namespaceUnavailable() !== undefined, namespaceUnavailable());
  const home = openHome();
  const [folder, wayOut] =
    FORM === 'executable'
      ? [openFolder(), 'hint: set TMPDIR to a directory on a file system without noexec\n']
      : [join(ROOT, 'node_modules', 'keytar'), 'hint: install gwtoken on a file system without noexec\n'];
  const mounts = `mount --bind ${folder} ${folder} && mount -o remount,bind,noexec ${folder}`;
  const wrapper = inNamespace(mounts);
  const { code, stderr } = await run('get', { ...home.env, TMPDIR: folder }, wrapper);
  expect(code).toBe(5);
  expect(stderr).toContain(`gwtoken: error: the keychain module cannot be loaded from ${folder}`);
  expect(stderr).toContain(wayOut);
});

test('with credentials in variables the keychain is not touched, and doctor only warns of it', async () => {
  const home = openHome();
  const env = { ...home.env, GWTOKEN_CLIENT_ID: 'eu-client', GWTOKEN_CLIENT_SECRET: SECRET };
  expect(await run('get', env)).toMatchObject({ code: 6 });
  const { code, stages } = await doctorStages(env);
  expect(stages).toContain('session: warning');
  expect(code).toBe(6);
});
