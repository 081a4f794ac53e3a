/** gwtoken without a usable HOME. */
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startTokenEndpoint } from '../harness/endpoints/token-endpoint';
import { inVariables } from '../harness/homes/client';
import { openHome } from '../harness/homes/home';
import { runProgram } from '../harness/programs/program';

test('gwtoken creates nothing for an empty or relative HOME', async ({ needs }) => {
  needs('posix');
  const endpoint = await startTokenEndpoint();
  const home = openHome();
  for (const HOME of ['', 'relative']) {
    const env = { ...inVariables(endpoint.authUrl), HOME };
    const options = { env, cwd: home.dir };
    expect(await runProgram(['get'], options)).toMatchObject({ code: 0, stderr: '' });
    const set = await runProgram(['config', 'set', 'timeout', '5s'], options);
    expect(set.code).not.toBe(0);
    expect(set.stderr).toMatch(/^gwtoken: error: .*\nhint: HOME is not set .*GWTOKEN_CONFIG_DIR/);
    const doctor = await runProgram(['doctor', '--json'], options);
    expect(doctor.stdout).toMatch(/"name":"cache directory","result":"warning"/);
  }
  expect(readdirSync(home.dir)).toEqual(['home']);
});
