/** The package and the executable on one machine, such as a developer's shell and an editor. */
import { expect, test } from 'vitest';
import { startClientHome } from '../harness/homes/client-home';
import { FORMS } from '../harness/programs/program';

test.each([
  ['package', 'executable'],
  ['executable', 'package'],
] as const)('a token that the %s caches is used by the %s', async (first, second) => {
  const home = await startClientHome();
  for (const form of [first, second]) {
    const { code, stdout, stderr } = await home.gwtoken(['get'], { program: FORMS[form] });
    expect({ form, code, stdout, stderr }).toEqual({ form, code: 0, stdout: 'token-1\n', stderr: '' });
  }
  expect(home.endpoint.posts).toHaveLength(1);
});
