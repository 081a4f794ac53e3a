/** Variables that cannot be passed on. exec-like-env.both.system.test.ts shows that all other bytes arrive unchanged. */
import { expect, test } from 'vitest';
import { startTokenEndpoint } from '../../harness/endpoints/token-endpoint';
import { inVariables } from '../../harness/homes/client';
import { openHome } from '../../harness/homes/home';

test.for([
  ['whose name is not UTF-8', "env $'caf\\351=1'", 'the variable "caf\ufffd" is not UTF-8'],
  [
    'whose name sh does not allow, beside a value that is not UTF-8',
    "env a.b=1 X=$'\\351'",
    'cannot pass on the variable "a.b" beside words that are not UTF-8',
  ],
])('exec rejects a variable %s', async ([_, line, message], { needs }) => {
  needs('linux');
  const endpoint = await startTokenEndpoint();
  const home = openHome(inVariables(endpoint.authUrl));
  const wrapper = ['bash', '-c', `exec ${line} "$0" "$@"`];
  expect(await home.gwtoken(['exec', '--', 'echo', 'started'], { wrapper })).toMatchObject({
    code: 125,
    stdout: '',
    stderr: `gwtoken: error: ${message}\nhint: remove it, or write it in UTF-8\n`,
  });
});
