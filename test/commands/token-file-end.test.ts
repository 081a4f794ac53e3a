/** Whatever a renewal of the token file waits for: gwtoken ends with its command, and leaves nothing behind. */
import { randomUUID } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { startTokenEndpoint, type TokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { inVariables } from '../harness/homes/client';
import { type Home, openHome } from '../harness/homes/home';
import { leftBehind, until } from '../harness/programs/processes';
import { atMost, GWTOKEN, type Words } from '../harness/programs/program';
import { copyProgram } from '../harness/programs/program-copy';
import { asFunction } from '../system/keychain/keytar-in-place';
import { untilWaiting } from '../token/many';

let endpoint: TokenEndpoint;
let home: Home;
/** What a keychain has, or a credential command prints. */
let item: string;
/** Files: the command runs, the credentials were read once, a renewal waits, the command is to end. */
let [running, read, waiting, end]: string[] = [];
beforeEach(async () => {
  endpoint = await startTokenEndpoint();
  home = openHome({ GWTOKEN_REGION: 'eu', GWTOKEN_AUTH_URL: endpoint.authUrl });
  item = JSON.stringify({ client_id: 'client', client_secret: 'secret', auth_url: endpoint.authUrl });
  [running, read, waiting, end] = ['running', 'read', 'waiting', 'end'].map((name) => join(home.dir, name));
});

/** Resolves when the command runs, and has done what it does first. */
async function start(env: Record<string, string> = {}, program: Words = GWTOKEN, first = ':') {
  const script = `${first}; touch '${running}'; while [ ! -e '${end}' ]; do sleep 0.05; done`;
  const mark = randomUUID();
  const args = ['exec', '--token-file', '--', 'sh', '-c', script];
  const started = home.start(args, { env: { ...env, MARK: mark }, program, detached: true });
  await until('the command runs', () => existsSync(running!));
  return {
    ...started,
    /** Ends the command, and expects that gwtoken ends with it. */
    async ends() {
      const since = Date.now();
      writeFileSync(end!, '');
      expect(await started.result).toMatchObject({ code: 0, stderr: '' });
      expect(Date.now() - since).toBeLessThan(await atMost(2000));
      if (process.platform === 'linux') expect(await leftBehind(mark)).toEqual([]);
      expect(endpoint.posts).toHaveLength(1);
    },
  };
}

test('a credential command that takes its time', async () => {
  endpoint.answer = () => tokenReply('token', { expires_in: 2 });
  const slow = `[ ! -e '${read}' ] || { touch '${waiting}'; sleep 60; }; touch '${read}'; echo '${item}'`;
  home.configure({ 'credential-command': slow });
  const { ends } = await start();
  await until('the credentials are read again', () => existsSync(waiting!));
  await ends();
});

test('a keychain that does not answer', async () => {
  endpoint.answer = () => tokenReply('token', { expires_in: 2 });
  const { program } = copyProgram(
    asFunction(`async () => {
      const { existsSync, writeFileSync } = require('node:fs');
      const isFirst = !existsSync(${JSON.stringify(read)});
      writeFileSync(isFirst ? ${JSON.stringify(read)} : ${JSON.stringify(waiting)}, '');
      if (isFirst) return ${JSON.stringify(item)};
      await new Promise(() => setInterval(() => {}, 1000));
    }`),
  );
  const { ends } = await start({}, program);
  await until('the credentials are read again', () => existsSync(waiting!));
  await ends();
});

test('another process that asks for the same token', async ({ skip }) => {
  skip(process.platform !== 'linux', 'needs Linux: who waits is seen in /proc/net/unix');
  endpoint.answer = () => tokenReply('token', { expires_in: 6 });
  const env = inVariables(endpoint.authUrl);
  // Stopped until the other one has the turn.
  const { kill, ends } = await start(env, GWTOKEN, 'kill -STOP "$PPID"');
  endpoint.delayMs = 60_000;
  const other = home.start(['get', '--fresh', '--timeout', '60s'], { env, timeoutMs: 90_000 });
  await endpoint.arrived(2);
  kill('SIGCONT');
  await untilWaiting(home, 1);
  endpoint.posts.pop();
  await ends();
  other.kill('SIGKILL');
  await other.result;
});
