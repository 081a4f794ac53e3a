/** Where the executable's keychain module is loaded from. The npm package has it in node_modules. */
import { mkdirSync, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openHome } from '../harness/homes/home';
import { startKeyring } from '../harness/keyrings/keyring';
import { FORM } from '../harness/programs/program';

test('the keychain module is loaded by a name that nobody can foresee, and leaves nothing behind', async ({
  needs,
}) => {
  needs('keyring', FORM === 'executable' ? undefined : 'needs the executable');
  const keyring = await startKeyring({ state: 'no-provider' });
  const home = openHome({ ...keyring.env, GWTOKEN_REGION: 'eu', GWTOKEN_AUTH_URL: 'http://127.0.0.1:9' });
  const TMPDIR = join(home.dir, 'tmp');
  mkdirSync(TMPDIR);
  const names = new Set<string>();
  const watcher = watch(TMPDIR, (_, name) => void names.add(String(name)));
  for (let run = 1; run <= 2; run++) {
    const { code, stderr } = await home.gwtoken(['get'], { env: { TMPDIR } });
    expect(code).toBe(5);
    // The module has been loaded: libsecret has looked for the service.
    expect(stderr).toContain('no keychain service is running in this session');
    expect(readdirSync(TMPDIR)).toEqual([]);
  }
  watcher.close();
  expect([...names]).toEqual([1, 2].map(() => expect.stringMatching(/^gwtoken-keychain-\w{6}$/)));
});
