/** What stays inside gwtoken's own process: its memory and its variables. */
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { helperEnvironment, windowsProgram } from '../../../src/system/processes/helper-program';
import { onCleanup } from '../../harness/clean-up';
import { startTokenEndpoint, type TokenEndpoint, tokenReply } from '../../harness/endpoints/token-endpoint';
import { SECRET } from '../../harness/homes/canary';
import { inVariables } from '../../harness/homes/client';
import { type Home, openHome } from '../../harness/homes/home';
import { programWith } from '../keychain/keytar-in-place';

let endpoint: TokenEndpoint;
let home: Home;
beforeEach(async () => {
  endpoint = await startTokenEndpoint(() => tokenReply('the-token'));
  home = openHome(inVariables(endpoint.authUrl, { clientId: 'client', clientSecret: SECRET }));
});

describe.skipIf(process.platform === 'win32')('SIGUSR1', () => {
  test('ends get and opens no debugger', async () => {
    endpoint.hold();
    const running = home.start(['get']);
    await endpoint.arrived(1);
    running.kill('SIGUSR1');
    expect(await running.result).toMatchObject({ signal: 'SIGUSR1', stderr: '' });
  });

  test('ends the keychain’s child, which has the secret too', async () => {
    const { run } = programWith("process.kill(process.pid, 'SIGUSR1'); while (true);");
    const { code, stderr } = await run(['get', '--verbose']);
    expect(code).toBe(5);
    expect(stderr).toContain('the keychain process ended: SIGUSR1');
  });
});

test('helperEnvironment has what every program needs, and the absolute directories of PATH only', ({
  needs,
}) => {
  needs('posix');
  const env = { PATH: ':/usr/bin:bin:.::/bin:', SystemRoot: 'C:\\Windows', HOME: '/home', LC_ALL: 'de' };
  expect(helperEnvironment({ ...env, GWTOKEN_CLIENT_SECRET: 'x' }, 'HOME', 'XDG_RUNTIME_DIR')).toStrictEqual({
    ...env,
    PATH: '/usr/bin:/bin',
    LC_ALL: 'C',
  });
  // Without any, GLib would look in the working directory.
  for (const PATH of ['', ':', 'bin:.'])
    expect(helperEnvironment({ PATH })).toStrictEqual({ PATH: '/usr/bin:/bin', LC_ALL: 'C' });
});

test('windowsProgram names a program of the system by its path', () => {
  expect(windowsProgram('cmd.exe', { SystemRoot: 'D:\\Windows' })).toBe('D:\\Windows\\System32\\cmd.exe');
  expect(windowsProgram('cmd.exe', {})).toBe('C:\\Windows\\System32\\cmd.exe');
});

test.runIf(process.platform === 'linux')('dbus-send gets no variable but its own', async () => {
  const bin = join(home.dir, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'dbus-send'), `#!/bin/sh\nexec env >'${bin}/seen'\n`, { mode: 0o755 });
  const { run } = programWith('module.exports = { getPassword: async () => null };');
  const socket = createServer().listen(join(bin, 'bus'));
  onCleanup(() => socket.close());
  await once(socket, 'listening');
  const bus = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(bin, 'bus')}`, XDG_RUNTIME_DIR: '/nowhere' };
  const path = { PATH: `${bin}:${process.env['PATH']}` };
  await run(['get'], { ...path, ...bus, GWTOKEN_CLIENT_SECRET_US: SECRET });
  const lines = readFileSync(join(bin, 'seen'), 'utf8').trim().split('\n');
  const names = lines.map((line) => line.split('=', 1)[0]!);
  const ofShell = ['PWD', 'OLDPWD', 'SHLVL', '_'];
  expect(names.filter((name) => !ofShell.includes(name)).sort()).toEqual([
    'DBUS_SESSION_BUS_ADDRESS',
    'LC_ALL',
    'PATH',
  ]);
});
