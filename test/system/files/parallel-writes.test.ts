import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { GwtokenError } from '../../../src/errors';
import { checkWritable } from '../../../src/system/files/config-file';
import { onCleanup } from '../../harness/clean-up';
import { MACHINE } from '../../harness/homes/client';
import { openHome } from '../../harness/homes/home';

const MANY = 20;
const profiles = Array.from({ length: MANY }, (_, index) => `p${index}`);

test('of 20 parallel config set none is lost, whichever key and profile', async () => {
  const home = openHome();
  const results = await Promise.all(
    profiles.map((profile, index) =>
      home.gwtoken(
        index % 2 === 0
          ? ['config', 'set', 'timeout', `${index + 1}s`, '--profile', profile]
          : [
              'config',
              'set',
              ['retries', 'cache', 'region', 'min-ttl', 'sandbox'][index % 5]!,
              ['3', 'on', 'us', '5m', '1'][index % 5]!,
            ],
      ),
    ),
  );
  for (const result of results) expect(result).toMatchObject({ code: 0, stdout: '', stderr: '' });
  expect(JSON.parse(readFileSync(join(home.config, 'config.json'), 'utf8'))).toEqual({
    retries: 3,
    cache: 'on',
    region: 'us',
    'min-ttl': '5m',
    sandbox: true,
    profiles: Object.fromEntries(
      profiles.flatMap((name, index) => (index % 2 === 0 ? [[name, { timeout: `${index + 1}s` }]] : [])),
    ),
  });
});

test('a config file that another process makes while it is looked for is no bug', async ({ needs }) => {
  needs('posix');
  const home = openHome();
  const file = join(home.dir, 'config.json');
  const other = spawn('sh', ['-c', 'while :; do : >"$0"; rm -f "$0"; done', file], { stdio: 'ignore' });
  onCleanup(() => other.kill('SIGKILL'));
  const faults = Array.from({ length: 2000 }, () => {
    try {
      checkWritable(home.dir, MACHINE);
      return undefined;
    } catch (error) {
      return error;
    }
  });
  expect(faults.filter((each) => each !== undefined && !(each instanceof GwtokenError))).toEqual([]);
});
