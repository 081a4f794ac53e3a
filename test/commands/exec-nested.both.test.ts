/** gwtoken in the command of exec: another client there, and the same folders from wherever it is started. */
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { startTokenEndpoint, type TokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { inVariables } from '../harness/homes/client';
import { type Home, openHome } from '../harness/homes/home';
import { GWTOKEN } from '../harness/programs/program';

describe.skipIf(process.platform === 'win32')('exec in exec', () => {
  let endpoint: TokenEndpoint;
  let home: Home;
  beforeEach(async () => {
    endpoint = await startTokenEndpoint((_, form) => tokenReply(`token-of-${form.get('client_id')}`));
    home = openHome(inVariables(endpoint.authUrl));
    const command = (id: string) => `printf '{"client_id":"${id}","client_secret":"s"}'`;
    home.configure({
      region: 'eu',
      'auth-url': endpoint.authUrl,
      'credential-command': command('default'),
      profiles: { b: { 'credential-command': command('b') } },
    });
  });
  const SHOW = ['sh', '-c', 'env | grep "TOKEN=\\|TOKEN_FILE=\\|_CLIENT_\\|GWTOKEN_COMMAND" | sort'];
  // A command's secret goes to the config's auth URL.
  const nested = (outer: string[], inner: string[]) =>
    home.gwtoken(['exec', ...outer, '--', ...GWTOKEN, 'exec', ...inner, '--', ...SHOW], {
      env: { GWTOKEN_AUTH_URL: '' },
    });

  test('the inner one has its own client’s token, and nothing of the outer one’s', async () => {
    expect(await nested(['--token-file', join(home.dir, 'token')], ['--profile', 'b'])).toMatchObject({
      code: 0,
      stdout: 'GWTOKEN_ACCESS_TOKEN=token-of-b\n',
      stderr: '',
    });
  });

  test('with a prefix each has both', async () => {
    const { code, stdout } = await nested(
      ['--prefix', 'A_'],
      ['--profile', 'b', '--prefix', 'B_', '--token-file', join(home.dir, 'token')],
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^A_ACCESS_TOKEN=token-of-client\nB_ACCESS_TOKEN=token-of-b\nB_TOKEN_FILE=\/\S+\n$/,
    );
  });
});
