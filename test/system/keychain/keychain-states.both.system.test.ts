/** What gwtoken says of a keyring that is locked, empty or not there, and of a module that does not load. */
import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFolder } from '../../harness/homes/folder';
import { openHome } from '../../harness/homes/home';
import { startKeyring } from '../../harness/keyrings/keyring';
import type { Reason } from '../../harness/needs';
import { ROOT } from '../../harness/root';
import { CLIENT, doctorsKeychain, ITEM, LOGIN, run } from './keychain-runs';

const NO_SESSION = 'no keychain here: there is no desktop session (normal over ssh, in cron and containers)';

test.for([
  ['locked', 'the keychain is locked'],
  ['none', 'the keychain has no default keyring'],
  ['no-provider', 'no keychain service is running in this session'],
  ['no bus', NO_SESSION],
] as const)(
  'a keyring that is %s: get, login, logout and doctor say so, with code 5',
  async ([state, message], { needs }) => {
    needs('keyring');
    const seed = state === 'locked' ? { [CLIENT]: ITEM } : {};
    const { env } = state === 'no bus' ? openHome() : await startKeyring({ state, seed });
    for (const command of ['get', LOGIN, 'logout --yes']) {
      const { code, stderr } = await run(command, env);
      expect({ command, code }).toEqual({ command, code: 5 });
      expect(stderr).toContain(message);
      // Variables help whoever wants a token.
      if (!command.startsWith('logout')) expect(stderr).toMatch(/\nhint: .*GWTOKEN_CLIENT_ID/);
    }
    expect(await doctorsKeychain(env)).toEqual({ code: 5, result: 'failed', message });
  },
);

test('without dbus-send, an item that gwtoken has stored and does not get is 5, another one 4', async ({
  needs,
}) => {
  needs('keyring');
  const started = await startKeyring({ state: 'unlocked' });
  expect(await run(LOGIN, started.env)).toMatchObject({ code: 0 });
  const env = { ...started.env, PATH: '/nonexistent' };
  expect((await run('get --profile other', env)).code).toBe(4);
  await started.lock();
  const { code, stderr } = await run('get', env);
  expect(code).toBe(5);
  expect(stderr).toContain('in a locked keyring, or removed outside gwtoken\n');
});

const LIBRARIES = '/usr/lib/x86_64-linux-gnu';

/** Why the library cannot be hidden here, where {@link inNamespace} can be used; undefined if it can. */
const libraryCannotBeHidden: Reason = existsSync(LIBRARIES) ? undefined : 'needs Debian on x64';

/** A wrapper that mounts something for what it starts alone. For `ProgramOptions.wrapper`. */
function inNamespace(mounts: string): string[] {
  return ['unshare', '--mount', 'sh', '-c', `${mounts} && exec "$@"`, 'sh'];
}

/** Makes a wrapper without libsecret, for `ProgramOptions.wrapper`: links to all else replace its folder. */
function withoutLibsecret(): string[] {
  const dir = openFolder();
  const [all, some] = [join(dir, 'all'), join(dir, 'some')];
  mkdirSync(all);
  mkdirSync(some);
  for (const name of readdirSync(LIBRARIES)) {
    if (!name.startsWith('libsecret-1')) symlinkSync(join(all, name), join(some, name));
  }
  const mounts = `mount --bind ${LIBRARIES} ${all} && mount --bind ${some} ${LIBRARIES}`;
  return inNamespace(mounts);
}

test('without libsecret, get names the library and how to install it', async ({ needs }) => {
  needs('keyring', 'namespace', libraryCannotBeHidden);
  // keytar's install script copies its native part there, and npm may be told to run none.
  const copied = join(ROOT, 'node_modules', 'keytar', 'build');
  const unscripted = existsSync(copied) ? inNamespace(`mount -t tmpfs none ${copied}`) : [];
  const wrapper = [...unscripted, ...withoutLibsecret()];
  const { env } = await startKeyring({ state: 'no-provider' });
  const { code, stderr } = await run('get', env, wrapper);
  expect(code).toBe(5);
  expect(stderr).toMatch(/^gwtoken: error: the keychain needs libsecret-1\.so\.0, which is not installed\n/);
  expect(stderr).toContain('apt-get install libsecret-1-0');
  expect(await doctorsKeychain(env, wrapper)).toMatchObject({ code: 5, result: 'failed' });
});
