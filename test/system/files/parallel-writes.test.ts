/** Writers at the same time: no change of another process is lost, and no reader sees a part. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { GwtokenError } from '../../../src/errors';
import { openConfig } from '../../../src/system/files/config-file';
import { onCleanup } from '../../harness/clean-up';
import { MACHINE } from '../../harness/homes/client';
import { openHome } from '../../harness/homes/home';

const PROFILES = Array.from({ length: 16 }, (_, index) => `p${index}`);

test('of 20 parallel config set none is lost, whichever key and profile', async () => {
  const home = openHome();
  const set = ['config', 'set'];
  const general = { retries: '3', cache: 'on', region: 'us', 'min-ttl': '5m' };
  const results = await Promise.all([
    ...Object.entries(general).map((pair) => home.gwtoken([...set, ...pair])),
    ...PROFILES.map((profile) => home.gwtoken([...set, 'timeout', '9s', '--profile', profile])),
  ]);
  for (const result of results) expect(result).toMatchObject({ code: 0, stdout: '', stderr: '' });
  expect(JSON.parse(readFileSync(join(home.config, 'config.json'), 'utf8'))).toEqual({
    ...general,
    profiles: Object.fromEntries(PROFILES.map((profile) => [profile, { timeout: '9s' }])),
  });
});

test('a config file that another process makes while it is looked for is no bug', async ({ needs }) => {
  needs('posix');
  const home = openHome();
  const file = join(home.dir, 'config.json');
  const other = spawn('sh', ['-c', 'while :; do : >"$0"; rm -f "$0"; done', file], { stdio: 'ignore' });
  onCleanup(() => other.kill('SIGKILL'));
  const { checkWritable } = openConfig(home.dir, MACHINE).config;
  for (let tries = 0; tries < 2000; tries++) {
    const fault: unknown = await checkWritable().catch((error) => error);
    if (fault !== undefined) expect(fault).toBeInstanceOf(GwtokenError);
  }
});
