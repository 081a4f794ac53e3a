/** A signal ends login or logout while the keychain hangs: the client stays usable. */
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { type IdentityServer, startIdentityServer } from '../harness/endpoints/identity-server';
import { loginArgs } from '../harness/homes/client';
import { type Home, openHome } from '../harness/homes/home';
import { missing } from '../harness/needs';
import { until } from '../harness/programs/processes';
import type { Words } from '../harness/programs/program';
import { copyProgram } from '../harness/programs/program-copy';

/** A keytar that stores each item in a file. The call that the file `hang` names creates `asked` and hangs. */
const KEYTAR = `const fs = require('node:fs');
  const item = (service, account) => __dirname + '/' + service + '-' + account.replaceAll(':', '-');
  const call = (name, work) => async (service, ...args) => {
    const hangs = service === 'gwtoken' && fs.existsSync(__dirname + '/hang');
    if (hangs && fs.readFileSync(__dirname + '/hang', 'utf8') === name) {
      fs.writeFileSync(__dirname + '/asked', '');
      await new Promise(() => setInterval(() => {}, 1000));
    }
    return work(item(service, args[0]), args[1]);
  };
  module.exports = {
    getPassword: call('get', (file) => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : null)),
    setPassword: call('set', (file, value) => fs.writeFileSync(file, value)),
    deletePassword: call('delete', (file) => fs.existsSync(file) && !fs.rmSync(file)),
  };`;
const CLIENT = { clientId: 'id', clientSecret: 'canary-secret' };

let home: Home;
let program: Words;
let keytar: string;
let identity: IdentityServer;
beforeAll(async () => {
  if (missing('posix') !== undefined) return;
  const copy = copyProgram(KEYTAR);
  program = copy.program;
  keytar = join(copy.dir, 'node_modules', 'keytar');
  // gwtoken needs a session bus of the user. Nothing answers on this one.
  home = openHome({ DBUS_SESSION_BUS_ADDRESS: `unix:path=${copy.dir}` });
  identity = await startIdentityServer({ clients: [CLIENT] });
  expect((await run(loginArgs({ ...CLIENT, authUrl: identity.authUrl }))).code).toBe(0);
});
beforeEach(({ needs }) => needs('posix'));

const run = (args: readonly string[]) => home.gwtoken(args, { program, stdin: CLIENT.clientSecret });

/** Starts gwtoken, and sends the signal once the keychain hangs in this call. Resolves with its stderr. */
async function interruptIn(call: 'set' | 'delete', signal: NodeJS.Signals, args: readonly string[]) {
  const [hang, asked] = [join(keytar, 'hang'), join(keytar, 'asked')];
  writeFileSync(hang, call);
  const started = home.start(args, { program, stdin: CLIENT.clientSecret });
  await until('the keychain hangs', () => existsSync(asked));
  started.kill(signal);
  const { code, signal: ended, stdout, stderr } = await started.result;
  expect({ code, ended, stdout }).toEqual({ code: null, ended: signal, stdout: '' });
  for (const file of [hang, asked]) rmSync(file);
  return stderr;
}

test('SIGTERM while login stores a client leaves the previous one usable', async () => {
  const authUrl = 'http://127.0.0.1:9';
  const args = loginArgs({ ...CLIENT, authUrl, flags: ['--no-verify'] });
  expect(await interruptIn('set', 'SIGTERM', args)).toMatch(/^Cancelled, but the credentials may be stored;/);
  expect(await run(['get', '--fresh'])).toMatchObject({ code: 0, stdout: `${identity.issued.at(-1)}\n` });
});

test('SIGHUP while logout hangs leaves no lock, and a client that logout can remove', async () => {
  expect(await interruptIn('delete', 'SIGHUP', ['logout', '--yes'])).toBe('');
  expect(readdirSync(home.config).sort()).toEqual(['clients.json', 'config.json']);
  expect(await run(['logout', '--all', '--yes'])).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^Removed default:production:eu\n/),
  });
  expect(existsSync(join(keytar, 'gwtoken-default-production-eu'))).toBe(false);
});
