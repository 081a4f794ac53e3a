/** The package in a Node without WebAssembly. */
import { expect, test } from 'vitest';
import { inVariables } from '../harness/homes/client';
import { openHome } from '../harness/homes/home';

test('get reports a Node without WebAssembly as a limit of the runtime', async () => {
  const home = openHome({ ...inVariables('http://127.0.0.1:9'), NODE_OPTIONS: '--jitless' });
  const { code, stdout, stderr } = await home.gwtoken(['get']);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain(
    'gwtoken: error: Node has no WebAssembly here\nhint: remove --jitless from NODE_OPTIONS\n',
  );
});
