/** Ctrl-C in a loop of calls. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { putToken, withoutVariables } from '../harness/homes/client';
import { startClientHome } from '../harness/homes/home';
import { GWTOKEN_SH } from '../harness/programs/program';
import { openTerminal } from '../harness/programs/terminal';

test('one Ctrl-C stops a script that calls get in a loop', async ({ needs }) => {
  needs('posix');
  const client = await startClientHome();
  const loop = ['bash', '-c', `while :; do ${GWTOKEN_SH} get; done; echo survived`];
  putToken(client.cache, client.endpoint.authUrl);
  const terminal = openTerminal(loop, { env: withoutVariables(client.env) });
  await terminal.waitFor(/(cached-token\n){3}/);
  // bash ignores a Ctrl-C that arrives just as the command ends, so this presses it again.
  for (let ended = false, tries = 0; !ended && tries < 5; tries++) {
    terminal.type('\x03');
    ended = await Promise.race([terminal.exit.then(() => true), sleep(3000, false)]);
  }
  expect(await terminal.exit).toEqual({ code: null, signal: 'SIGINT' });
  expect(terminal.screen()).not.toContain('survived');
});
