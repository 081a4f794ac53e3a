/** Writers at the same time: no change of another process is lost. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
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
