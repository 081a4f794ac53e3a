import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDirectory } from '../../harness/homes/directory';
import { openHome } from '../../harness/homes/home';
import { startKeyring } from '../../harness/keyrings/keyring';
import { runProgram } from '../../harness/programs/program';
import { CLIENT, doctorsKeychain, ITEM, LOGIN, run, SETTINGS } from './keychain-runs';

const NO_SESSION = 'no keychain here: there is no desktop session (normal over ssh, in cron and containers)';

test.for([
  ['locked', 'the keychain is locked'],
  ['none', 'the keychain has no default keyring'],
  ['no-provider', 'no keychain service is running in this session'],
  ['no bus', NO_SESSION],
] as const)(
  'keyring state "%s": get, login and doctor name it and exit with 5',
  async ([state, message], { needs }) => {
    needs('keyring');
    const seed = state === 'locked' ? { [CLIENT]: ITEM } : {};
    const { env } = state === 'no bus' ? openHome() : await startKeyring({ state, seed });
    for (const command of ['get', LOGIN]) {
      const { code, stderr } = await run(command, env);
      expect({ command, code }).toEqual({ command, code: 5 });
      expect(stderr).toContain(message);
      // Variables replace the keychain for commands that need credentials.
      expect(stderr).toMatch(/\nhint: .*GWTOKEN_CLIENT_ID/);
    }
    // Without a keychain nothing can be stored, so logout reports 4 instead of 5.
    const hasKeychain = state === 'locked' || state === 'none';
    for (const logout of ['logout --yes', 'logout --all --yes'])
      expect((await run(logout, env)).code).toBe(hasKeychain ? 5 : 4);
    expect(await doctorsKeychain(env)).toEqual({ code: 5, result: 'failed', message });
  },
);

test('without dbus-send, a locked item is reported only if the client was stored', async ({ needs }) => {
  needs('keyring');
  const started = await startKeyring({ state: 'unlocked' });
  expect(await run(LOGIN, started.env)).toMatchObject({ code: 0 });
  const env = { ...started.env, PATH: '/nonexistent' };
  expect((await run('logout --profile other --yes', env)).code).toBe(4);
  await started.lock();
  expect((await run('get --profile other', env)).code).toBe(4);
  const { code, stderr } = await run('get', env);
  expect(code).toBe(5);
  expect(stderr).toContain('in a locked keyring, or removed outside gwtoken\n');
});

test('get names a limit of its process instead of the keychain', async ({ needs }) => {
  needs('keyring');
  const { env } = await startKeyring({ state: 'no-provider' });
  const preload = join(openDirectory(), 'full.cjs');
  writeFileSync(
    preload,
    `const child_process = require('child_process');
     const { fork } = child_process;
     child_process.fork = (...args) => {
       try { for (;;) require('fs').openSync('/dev/null'); } catch {}
       return fork(...args);
     };`,
  );
  const limited = { ...SETTINGS, ...env, NODE_OPTIONS: `--require ${preload}` };
  const wrapper = ['sh', '-c', 'ulimit -n 100; exec "$0" "$@"'];
  const { code, stderr } = await runProgram(['get'], { env: limited, wrapper });
  expect([code, stderr]).toEqual([1, `gwtoken: error: spawn ${process.execPath} EMFILE\n`]);
});
