/** Writing the config file: whatever goes wrong, its settings stay. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openHome } from '../../harness/homes/home';

test.for<Record<string, string>>([{}, { SNAP: '/snap/x' }])(
  'keeps the config file if the new one cannot be written whole (with %j)',
  async (env, { needs }) => {
    needs('posix');
    const home = openHome();
    const file = join(home.config, 'config.json');
    const names = Array.from({ length: 100 }, (_, n) => `profile-${n}`);
    home.configure({ profiles: Object.fromEntries(names.map((name) => [name, { region: 'eu' }])) });
    const before = readFileSync(file, 'utf8');
    // At most 1 KiB (in some shells 512 bytes) of a file is written.
    const wrapper = ['sh', '-c', 'ulimit -f 1; exec "$0" "$@"'];
    const args = ['config', 'set', 'region', 'us'];
    expect(await home.gwtoken(args, { env, wrapper })).toMatchObject({
      code: 1,
      stderr:
        `gwtoken: error: cannot write ${file} (EFBIG)\n` +
        'hint: set GWTOKEN_CONFIG_DIR to a writable directory\n',
    });
    expect(readFileSync(file, 'utf8')).toBe(before);
  },
);
