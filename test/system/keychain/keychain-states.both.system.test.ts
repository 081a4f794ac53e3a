/** What gwtoken says of a keyring that is locked, empty or not there, and of a module that does not load. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openHome } from '../../harness/homes/home';
import { startKeyring } from '../../harness/keyrings/keyring';
import { ROOT } from '../../harness/root';
import { CLIENT, doctorsKeychain, ITEM, LOGIN, run } from './keychain-runs';
import { inNamespace, libraryCannotBeHidden, withoutLibsecret } from './namespaces';

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
      expect(stderr).toMatch(/\nhint: /);
    }
    expect(await doctorsKeychain(env)).toEqual({ code: 5, result: 'failed', message });
  },
);

test.runIf(process.platform === 'linux').each([
  ['unix:path=/nonexistent/bus', 'no keychain here: the session bus at /nonexistent/bus has ended'],
  ['', NO_SESSION],
  ['unix:', NO_SESSION],
])('a bus address of %j is no session', async (address, message) => {
  const { code, stderr } = await run('get', { ...openHome().env, DBUS_SESSION_BUS_ADDRESS: address });
  expect(code).toBe(5);
  expect(stderr).toContain(message);
});

test('without a program to ask the bus, a locked keyring is still told from an absent item', async ({
  needs,
}) => {
  needs('keyring');
  const started = await startKeyring({ state: 'unlocked', seed: { [CLIENT]: ITEM } });
  const env = { ...started.env, PATH: '/nonexistent' };
  expect((await run('get --profile other', env)).code).toBe(4);
  expect(await started.search('gwtoken-probe')).toBe('');
  await started.lock();
  const { code, stderr } = await run('get', env);
  expect(code).toBe(5);
  expect(stderr).toContain('the keychain is locked');
});

test('without libsecret, get names the library and how to install it', async ({ needs }) => {
  needs('namespace', libraryCannotBeHidden);
  // keytar's install script copies its native part there, and npm may be told to run none.
  const copied = join(ROOT, 'node_modules', 'keytar', 'build');
  const unscripted = existsSync(copied) ? inNamespace(`mount -t tmpfs none ${copied}`) : [];
  const wrapper = [...unscripted, ...withoutLibsecret()];
  const home = openHome();
  const { code, stderr } = await run('get', home.env, wrapper);
  expect(code).toBe(5);
  expect(stderr).toMatch(/^gwtoken: error: the keychain needs libsecret-1\.so\.0, which is not installed\n/);
  expect(stderr).toContain('apt-get install libsecret-1-0');
  expect(await doctorsKeychain(home.env, wrapper)).toMatchObject({ code: 5, result: 'failed' });
});
