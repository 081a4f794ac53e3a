/** Whatever a renewal of the token file waits for, gwtoken ends with its command and leaves nothing. */
import { randomUUID } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { startTokenEndpoint, type TokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { type Home, openHome } from '../harness/homes/home';
import { leftBehind, until } from '../harness/programs/processes';
import { atMost, GWTOKEN, type Words } from '../harness/programs/program';
import { copyProgram } from '../harness/programs/program-copy';
import { asFunction } from '../system/keychain/keytar-in-place';

let endpoint: TokenEndpoint;
let home: Home;
/** What a keychain has, or a credential command prints. */
let item: string;
/** Files: the command runs, the credentials were read once, a renewal waits, the command is to end. */
let [running, read, waiting, end]: string[] = [];
beforeEach(async () => {
  endpoint = await startTokenEndpoint(() => tokenReply('token', { expires_in: 2 }));
  home = openHome({ GWTOKEN_REGION: 'eu', GWTOKEN_AUTH_URL: endpoint.authUrl });
  item = JSON.stringify({ client_id: 'client', client_secret: 'secret', auth_url: endpoint.authUrl });
  [running, read, waiting, end] = ['running', 'read', 'waiting', 'end'].map((name) => join(home.dir, name));
});

/** Ends the command while a renewal waits, and expects that gwtoken ends with it. */
async function endsWhileWaiting(program: Words) {
  const script = `touch '${running}'; while [ ! -e '${end}' ]; do sleep 0.05; done`;
  const mark = randomUUID();
  // For the keychain: one of the user's own.
  const bus = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${home.dir}` };
  const args = ['exec', '--token-file', join(home.dir, 'token'), '--', 'sh', '-c', script];
  const { result } = home.start(args, { env: { MARK: mark, ...bus }, program, detached: true });
  await until('the command runs', () => existsSync(running!));
  await until('the credentials are read again', () => existsSync(waiting!));
  const since = Date.now();
  writeFileSync(end!, '');
  expect(await result).toMatchObject({ code: 0, stderr: '' });
  expect(Date.now() - since).toBeLessThan(await atMost(2000));
  if (process.platform === 'linux') expect(await leftBehind(mark)).toEqual([]);
  expect(endpoint.posts).toHaveLength(1);
}

test('exec --token-file does not wait for a credential command that takes its time', async () => {
  const slow = `[ ! -e '${read}' ] || { touch '${waiting}'; exec sleep 60; }; touch '${read}'; echo '${item}'`;
  home.configure({ 'credential-command': slow });
  await endsWhileWaiting(GWTOKEN);
});

test('exec --token-file does not wait for a keychain that does not answer', async () => {
  const { program } = copyProgram(
    asFunction(`async () => {
      const { existsSync, writeFileSync } = require('node:fs');
      const isFirst = !existsSync(${JSON.stringify(read)});
      writeFileSync(isFirst ? ${JSON.stringify(read)} : ${JSON.stringify(waiting)}, '');
      if (isFirst) return ${JSON.stringify(item)};
      await new Promise(() => setInterval(() => {}, 1000));
    }`),
  );
  await endsWhileWaiting(program);
});
