/** Words and variables that are not UTF-8. exec-like-env shows that others arrive unchanged. */
import { expect, test } from 'vitest';
import { startTokenEndpoint } from '../../harness/endpoints/token-endpoint';
import { inVariables } from '../../harness/homes/client';
import { openHome } from '../../harness/homes/home';

test.for([
  ['an argument', `"$@" \ufffd -p$'secr\\351t'`, 'argument 3 is not UTF-8'],
  ['a variable', `env X=$'\\351' "$@"`, 'the variable "X" is not UTF-8'],
  ['a name', `env $'caf\\351=1' "$@"`, 'the variable "caf\ufffd" is not UTF-8'],
])('exec rejects %s that is not UTF-8', async ([_, line, message], { needs }) => {
  needs('linux');
  const endpoint = await startTokenEndpoint();
  const home = openHome(inVariables(endpoint.authUrl));
  const wrapper = ['bash', '-c', `exec ${line}`, 'bash'];
  expect(await home.gwtoken(['exec', '--', 'echo', 'started'], { wrapper })).toMatchObject({
    code: 125,
    stdout: '',
    stderr: `gwtoken: error: ${message}\n`,
  });
});
