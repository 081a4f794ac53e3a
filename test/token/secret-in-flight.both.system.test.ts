/** The places where the secret can be seen during a login. */
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startTokenEndpoint } from '../harness/endpoints/token-endpoint';
import { SECRET, SECRET_FORMS } from '../harness/homes/canary';
import { openHome } from '../harness/homes/home';
import { startKeyring, UNHURRIED } from '../harness/keyrings/keyring';
import { descendants, inProc } from '../harness/programs/processes';

test('a running login shows the secret in no command line and no environment', async ({ needs }) => {
  needs('keyring');
  const endpoint = await startTokenEndpoint();
  const keyring = await startKeyring({ state: 'unlocked' });
  const home = openHome({ ...keyring.env, ...UNHURRIED });
  endpoint.hold();
  const client = ['-r', 'eu', '--client-id', 'id', '--auth-url', endpoint.authUrl];
  const login = ['login', '-v', '--secret-stdin', '--timeout', '20s', ...client];
  const running = home.start(login, { stdin: SECRET });
  const leaks: string[] = [];
  // Looks from the start until the request has been made, and once more after that.
  for (let asked = false; !asked; ) {
    asked = endpoint.posts.length > 0;
    for (const pid of [running.pid, ...descendants(running.pid)])
      for (const what of ['cmdline', 'environ'])
        if (SECRET_FORMS.some((form) => form.test(procText(pid, what)))) leaks.push(`${what} of ${pid}`);
    await sleep(5);
  }
  expect(endpoint.posts[0]?.get('client_secret')).toBe(SECRET);
  expect(procText(running.pid, 'cmdline')).toContain('--secret-stdin');
  running.kill('SIGINT');
  const result = await running.result;
  expect(result).toMatchObject({ code: null, signal: 'SIGINT', stdout: '' });
  expect(result.stderr).not.toMatch(SECRET_FORMS[0]!);
  expect(leaks).toEqual([]);
  expect(existsSync(home.config)).toBe(false);
  expect(await keyring.lookup('default:production:eu')).toBeUndefined();
});

/** Returns a file of a process in /proc; empty if the process has ended. */
function procText(pid: number, name: string): string {
  return inProc(() => readFileSync(`/proc/${pid}/${name}`, 'latin1'), '');
}
