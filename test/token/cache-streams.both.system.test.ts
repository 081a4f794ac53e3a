/** A warm call with every kind of stdout and stderr: the token, whole, or an exit code. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { startTokenEndpoint, type TokenEndpoint } from '../harness/endpoints/token-endpoint';
import { inVariables, keychainEntry, putEntry, withoutVariables } from '../harness/homes/client';
import { type Home, openHome } from '../harness/homes/home';
import { GWTOKEN_SH, runCommand } from '../harness/programs/program';
import { openTerminal } from '../harness/programs/terminal';

let endpoint: TokenEndpoint;
let client: Home;
beforeEach(async () => {
  endpoint = await startTokenEndpoint();
  client = openHome(inVariables(endpoint.authUrl));
});

/** The exit code of the command that `code` was told is in $CODE afterwards. */
async function shell(script: string): Promise<{ stdout: string; stderr: string; code: string }> {
  const file = join(client.dir, 'code');
  const env = { ...client.env, CODE: file };
  const { stdout, stderr } = await runCommand(['sh', '-c', script], { env });
  return { stdout, stderr, code: readFileSync(file, 'utf8').trim() };
}

describe.skipIf(process.platform === 'win32')('a cached token', () => {
  beforeEach(async () => {
    await client.gwtoken(['get']);
  });
  const get = `{ ${GWTOKEN_SH} get; echo $? >"$CODE"; }`;

  test('a reader that has gone ends it in silence, with the code of SIGPIPE', async () => {
    // The reader goes before, or a busy machine would run gwtoken first.
    const nobody = `mkfifo "$CODE.pipe"; : <"$CODE.pipe" & exec 3>"$CODE.pipe"; wait`;
    expect(await shell(`${nobody}; ${get} >&3`)).toEqual({ stdout: '', stderr: '', code: '141' });
  });

  test('a full device is an error in one line', async ({ needs }) => {
    needs('linux');
    const { stdout, stderr, code } = await shell(`${get} >/dev/full`);
    expect({ stdout, code }).toEqual({ stdout: '', code: '1' });
    expect(stderr).toMatch(/^gwtoken: error: cannot write output \(ENOSPC\)\n(hint: [^\n]*\n)?$/);
  });

  test('a pipe that another has filled and made non-blocking delays it, no more', async () => {
    // The first program writes more than the pipe holds, and stays until the reader has come to its end.
    const filler = join(client.dir, 'filler');
    const fill = `'${process.execPath}' -e 'process.stdout.write("x".repeat(200000))' & echo $! >'${filler}'`;
    const { stdout, stderr, code } = await shell(`{ ${fill}; sleep 0.5; ${get}; wait; } | { sleep 2; cat; }`);
    expect({ stderr, code }).toEqual({ stderr: '', code: '0' });
    // Wherever among the other's it lies.
    expect(stdout.replace('token-1\n', '')).toBe('x'.repeat(200_000));
  });
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

describe.skipIf(process.platform === 'win32')('one Ctrl-C stops a script that calls it in a loop', () => {
  const loop = (args: string) => ['bash', '-c', `while :; do ${GWTOKEN_SH} get ${args}; done; echo survived`];

  test('while it serves cached tokens', async () => {
    putEntry(client.cache, keychainEntry(endpoint.authUrl));
    const terminal = openTerminal(loop(''), { env: withoutVariables(client.env) });
    await terminal.waitFor(/(cached-token\n){3}/);
    // bash forgets a Ctrl-C that comes in the moment in which the command has just ended by itself.
    for (let ended = false, tries = 0; !ended && tries < 5; tries++) {
      terminal.type('\x03');
      ended = await Promise.race([terminal.exit.then(() => true), sleep(3000, false)]);
    }
    expect(await terminal.exit).toEqual({ code: null, signal: 'SIGINT' });
    expect(terminal.screen()).not.toContain('survived');
  });

  test('while it waits for the endpoint, and while it waits for another that does', async () => {
    endpoint.hold();
    const terminals = [0, 1].map(() => openTerminal(loop('2>/dev/null'), client));
    await endpoint.arrived(1);
    await sleep(1500);
    for (const terminal of terminals.reverse()) {
      terminal.type('\x03');
      expect(await terminal.exit).toEqual({ code: null, signal: 'SIGINT' });
      expect(terminal.screen()).not.toContain('survived');
    }
  });
});
