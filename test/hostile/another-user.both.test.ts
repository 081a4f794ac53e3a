/** Files, command lines and ports that another user of the machine could read. See .github/SECURITY.md. */
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { SECRET, SECRET_FORMS, TOKEN } from '../harness/homes/canary';
import { inVariables } from '../harness/homes/client';
import { openHome } from '../harness/homes/home';
import { missing } from '../harness/needs';
import { inProc, processesWith, until } from '../harness/programs/processes';

/** Starts exec with a running command, and get with an unanswered request, which holds the lock. */
async function startBoth() {
  const endpoint = await startTokenEndpoint(() => tokenReply(TOKEN));
  const home = openHome(inVariables(endpoint.authUrl, { clientId: 'client', clientSecret: SECRET }));
  expect((await home.gwtoken(['config', 'set', 'timeout', '60s'])).code).toBe(0);
  const [ready, tokenFile] = [join(home.env['HOME']!, 'ready'), join(home.env['HOME']!, 'token')];
  const script = `>${ready}; exec sleep 60`;
  const exec = home.start(['exec', '-r', 'us', '--token-file', tokenFile, '--', 'sh', '-c', script]);
  await until('the command', () => existsSync(ready));
  const answer = endpoint.hold();
  const get = home.start(['get']);
  await endpoint.arrived(2);
  return {
    home,
    tokenFile,
    pids: [exec.pid, get.pid],
    async end() {
      answer();
      expect(await get.result).toMatchObject({ code: 0, stdout: `${TOKEN}\n`, stderr: '' });
      exec.kill('SIGTERM');
      expect(await exec.result).toMatchObject({ signal: 'SIGTERM', stderr: '' });
    },
  };
}

let running: Awaited<ReturnType<typeof startBoth>>;
beforeAll(async () => {
  if (missing('posix') === undefined) running = await startBoth();
});
afterAll(() => running?.end());

test('only the user can read gwtoken’s files and locks', ({ needs }) => {
  needs('posix');
  const { home, tokenFile } = running;
  const paths = [home.config, home.cache].flatMap((directory) => [
    directory,
    ...readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((name) => join(directory, name)),
  ]);
  // The list contains each kind of file.
  for (const kind of [/config\.json$/, /us\.\w+\.token\.json$/, /\.lock$/])
    expect(paths.filter((path) => kind.test(path))).not.toEqual([]);
  const open = [...paths, tokenFile].filter((path) => (lstatSync(path).mode & 0o077) !== 0);
  expect(open).toEqual([]);
});

test('no command line contains a secret and no process listens on a port', ({ needs }) => {
  needs('linux');
  const { home, pids } = running;
  const lines = processesWith(home.dir);
  // Two processes are gwtoken, and one is its command.
  expect(lines.length).toBeGreaterThan(2);
  const forms = [...SECRET_FORMS, /canary-token/i];
  expect(lines.filter((line) => forms.some((form) => form.test(line)))).toEqual([]);
  // In /proc/net/tcp, state 0A is a listening socket, and the tenth column is its number.
  const sockets = ['tcp', 'tcp6'].map((name) => readFileSync(`/proc/net/${name}`, 'latin1')).join('');
  const listeners = sockets.matchAll(/^(?: *\S+){3} 0A(?: +\S+){5} +(\d+)/gm);
  const listening = [...listeners].map(([, socket]) => `socket:[${socket}]`);
  // The endpoint of this test listens, so the list cannot be empty.
  expect(listening).not.toEqual([]);
  for (const pid of pids) {
    const files = readdirSync(`/proc/${pid}/fd`).map((fd) =>
      inProc(() => readlinkSync(`/proc/${pid}/fd/${fd}`), ''),
    );
    expect(files).not.toEqual([]);
    expect(files.filter((file) => listening.includes(file))).toEqual([]);
  }
});
