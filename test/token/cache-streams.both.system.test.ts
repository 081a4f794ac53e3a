/** Ctrl-C in a loop of calls, and an event loop that runs dry. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { startTokenEndpoint, type TokenEndpoint } from '../harness/endpoints/token-endpoint';
import { inVariables, keychainEntry, putEntry, withoutVariables } from '../harness/homes/client';
import { type Home, openHome } from '../harness/homes/home';
import { GWTOKEN_SH } from '../harness/programs/program';
import { openTerminal } from '../harness/programs/terminal';

let endpoint: TokenEndpoint;
let client: Home;
beforeEach(async () => {
  endpoint = await startTokenEndpoint();
  client = openHome(inVariables(endpoint.authUrl));
});

test('an event loop that runs dry is not taken for success', async ({ needs }) => {
  needs('package');
  const dry = join(client.dir, 'dry.cjs');
  writeFileSync(
    dry,
    `require('node:net').Socket.prototype.connect = function () { return this; };
     const { setTimeout } = globalThis;
     globalThis.setTimeout = (...call) => setTimeout(...call).unref();`,
  );
  const env = { NODE_OPTIONS: `--require=${dry}`, GWTOKEN_NO_CACHE: '1' };
  expect(await client.gwtoken(['get'], { env })).toMatchObject({ code: 1, stdout: '' });
});

test.skipIf(process.platform === 'win32')(
  'one Ctrl-C stops a script that calls it in a loop, while it serves cached tokens',
  async () => {
    const loop = ['bash', '-c', `while :; do ${GWTOKEN_SH} get; done; echo survived`];
    putEntry(client.cache, keychainEntry(endpoint.authUrl));
    const terminal = openTerminal(loop, { env: withoutVariables(client.env) });
    await terminal.waitFor(/(cached-token\n){3}/);
    // bash forgets a Ctrl-C that comes in the moment in which the command has just ended by itself.
    for (let ended = false, tries = 0; !ended && tries < 5; tries++) {
      terminal.type('\x03');
      ended = await Promise.race([terminal.exit.then(() => true), sleep(3000, false)]);
    }
    expect(await terminal.exit).toEqual({ code: null, signal: 'SIGINT' });
    expect(terminal.screen()).not.toContain('survived');
  },
);
