/** gwtoken ends with its command and leaves nothing behind, even if a renewal of the token file waits. */
import { randomUUID } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startTokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { openHome } from '../harness/homes/home';
import { leftBehind, until } from '../harness/programs/processes';

test('exec --token-file ends while a credential command still runs', async () => {
  const endpoint = await startTokenEndpoint(() => tokenReply('token', { expires_in: 2 }));
  const home = openHome({ GWTOKEN_REGION: 'eu' });
  const [running, read, waiting, end] = ['running', 'read', 'waiting', 'end'].map((name) =>
    join(home.dir, name),
  );
  const credentials = `echo '{"client_id":"id","client_secret":"secret"}'`;
  const slow = `[ ! -e '${read}' ] || { touch '${waiting}'; exec sleep 60; }; touch '${read}'; ${credentials}`;
  home.configure({ 'auth-url': endpoint.authUrl, 'credential-command': slow, 'keychain-timeout': 60 });
  const script = `touch '${running}'; while [ ! -e '${end}' ]; do sleep 0.05; done`;
  const mark = randomUUID();
  const args = ['exec', '--token-file', join(home.dir, 'token'), '--', 'sh', '-c', script];
  const { result } = home.start(args, { env: { MARK: mark }, detached: true });
  await until('the command runs', () => existsSync(running!));
  await until('the credentials are read again', () => existsSync(waiting!));
  writeFileSync(end!, '');
  // gwtoken does not wait for the credential command, which sleeps for a minute.
  expect(await result).toMatchObject({ code: 0, stderr: '' });
  if (process.platform === 'linux') expect(await leftBehind(mark)).toEqual([]);
  expect(endpoint.posts).toHaveLength(1);
});
