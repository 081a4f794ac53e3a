/** Failed and simultaneous writes lose no setting of the config file. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openHome } from '../../harness/homes/home';

// In a snap, the package conf would write the file in place.
test.for<Record<string, string>>([{}, { SNAP: '/snap/x' }])(
  'config set keeps the old file if it cannot write the new one (with %j)',
  async (env, { needs }) => {
    needs('posix');
    const home = openHome();
    const file = join(home.config, 'config.json');
    const names = Array.from({ length: 100 }, (_, n) => `profile-${n}`);
    home.configure({ profiles: Object.fromEntries(names.map((name) => [name, { region: 'eu' }])) });
    const before = readFileSync(file, 'utf8');
    // The limit is 1 KiB for each file, in some shells 512 bytes.
    const wrapper = ['sh', '-c', 'ulimit -f 1; exec "$0" "$@"'];
    const args = ['config', 'set', 'region', 'us'];
    expect(await home.gwtoken(args, { env, wrapper })).toMatchObject({
      code: 1,
      stderr:
        `gwtoken: error: cannot write ${file}: file too large\n` +
        'hint: set GWTOKEN_CONFIG_DIR to a writable directory\n',
    });
    expect(readFileSync(file, 'utf8')).toBe(before);
  },
);

test('five simultaneous config set calls lose no change', async () => {
  const home = openHome();
  const values = {
    region: 'eu',
    sandbox: 'true',
    retries: '1',
    profile: 'acme',
    'auth-url.us': 'https://b.test',
  };
  const ended = Object.entries(values).map(([key, value]) => home.gwtoken(['config', 'set', key, value]));
  for (const { code, stderr } of await Promise.all(ended)) expect([code, stderr]).toEqual([0, '']);
  expect(JSON.parse(readFileSync(join(home.config, 'config.json'), 'utf8'))).toEqual(values);
});
