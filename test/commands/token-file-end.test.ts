/** gwtoken ends with its command and leaves nothing behind, even if a renewal of the token file waits. */
import { randomUUID } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startTokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { openHome } from '../harness/homes/home';
import { leftBehind, shellWait, until } from '../harness/programs/processes';

test('exec --token-file ends while a credential command still runs', async ({ needs }) => {
  needs('posix');
  const endpoint = await startTokenEndpoint(() => tokenReply('token', { expires_in: 2 }));
  const home = openHome({ GWTOKEN_REGION: 'eu' });
  const file = (name: string) => join(home.dir, name);
  const credentials = `echo '{"client_id":"id","client_secret":"secret"}'`;
  // Hangs when the first renewal reads the credentials again.
  const hanging = `[ ! -e read ] || { touch hanging; exec sleep 60; }; touch read; ${credentials}`;
  home.configure({ 'auth-url': endpoint.authUrl, 'credential-command': hanging, 'keychain-timeout': 60 });
  const command = `touch running; ${shellWait('end')}`;
  const mark = randomUUID();
  const args = ['exec', '--token-file', 'token', '--', 'sh', '-c', command];
  const { result } = home.start(args, { env: { MARK: mark }, cwd: home.dir, detached: true });
  await until('the command runs', () => existsSync(file('running')));
  await until('the credential command hangs', () => existsSync(file('hanging')));
  writeFileSync(file('end'), '');
  // gwtoken does not wait for the credential command, which sleeps for a minute.
  expect(await result).toMatchObject({ code: 0, stderr: '' });
  if (process.platform === 'linux') expect(await leftBehind(mark)).toEqual([]);
  expect(endpoint.posts).toHaveLength(1);
});
