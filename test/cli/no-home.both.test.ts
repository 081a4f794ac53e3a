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
  const run = (HOME: string, ...args: string[]) =>
    runProgram(args, { env: { ...inVariables(endpoint.authUrl), HOME }, cwd: home.dir });
  for (const HOME of ['', 'relative']) expect(await run(HOME, 'get')).toMatchObject({ code: 0, stderr: '' });
  const set = await run('relative', 'config', 'set', 'timeout', '5s');
  expect(set.code).toBe(2);
  expect(set.stderr).toMatch(/^gwtoken: error: .*\nhint: HOME is not set .*GWTOKEN_CONFIG_DIR/);
  expect(readdirSync(home.dir)).toEqual(['home']);
});
