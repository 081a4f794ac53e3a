/** KWallet, which is locked at the start of each session, and asks for its password when it is used. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type KWallet, startKWallet } from '../../harness/keyrings/kwallet';
import { missing } from '../../harness/needs';
import { leftBehind, processesWith, until } from '../../harness/programs/processes';
import { startProgram } from '../../harness/programs/program';
import { openGwtoken } from '../../harness/programs/terminal';
import { ROOT } from '../../harness/root';
import { CLIENT, LOGIN, run, SETTINGS } from './keychain-runs';
import { programWith, SECRET } from './keytar-in-place';

/**
 * The real module after a first session as KWallet has one in a hundred times, with the wrong key: it refuses
 * it, cannot decrypt what is to be stored, or what is read comes out as null. If the second session is one of
 * those by itself, it leaves the file `wrong`.
 */
const firstSession = (reads: string, stores: string) => `
const { existsSync, writeFileSync } = require('node:fs');
const isFirst = !existsSync(__dirname + '/first');
writeFileSync(__dirname + '/first', '');
const unlucky = {
  getPassword: async () => { ${reads} },
  setPassword: async () => { ${stores} },
  deletePassword: async () => false,
};
const real = require(${JSON.stringify(join(ROOT, 'node_modules', 'keytar', 'lib', 'keytar.js'))});
const wrong = () => writeFileSync(__dirname + '/wrong', '');
const watched = (name) => async (...call) => {
  try {
    const result = await real[name](...call);
    if (result === null && call[0] === 'gwtoken') wrong();
    return result;
  } catch (error) {
    if (/public key size|find session/.test(error.message)) wrong();
    throw error;
  }
};
const names = Object.keys(unlucky);
module.exports = isFirst ? unlucky : Object.fromEntries(names.map((name) => [name, watched(name)]));`;
const REFUSED = "throw new Error('Client public key size is invalid')";
const NOT_DECRYPTED = 'throw new Error("Can\'t find session /org/freedesktop/secrets/session/4")';

describe('KWallet', () => {
  let wallet: KWallet;
  beforeEach(({ needs }) => needs('KWallet'));
  beforeAll(async () => {
    if (missing('KWallet') === undefined) wallet = await startKWallet();
  });

  const locked = {
    code: 5,
    stderr: expect.stringMatching(/^gwtoken: error: the keychain is locked\nhint: /),
  };
  const storedId = async () => JSON.parse((await wallet.lookup(CLIENT)) ?? '{}').client_id;
  async function runAnswering(args: string, answer: 'unlock' | 'dismiss') {
    const running = run(args, wallet.env);
    await wallet.answer(answer);
    return await running;
  }

  test('a login that may not unlock it stores nothing', async () => {
    expect(await runAnswering(LOGIN, 'dismiss')).toMatchObject(locked);
    expect((await run('status --json', wallet.env)).stdout).not.toContain('eu-client');
  });

  test('a login whose dialog unlocks it stores', async () => {
    expect(await runAnswering(LOGIN, 'unlock')).toMatchObject({ code: 0 });
    expect(await storedId()).toBe('eu-client');
  });

  test('a session with the wrong key is followed by another, which has what is asked for', async () => {
    const unlucky = async (args: string, reads: string, stores: string) => {
      for (;;) {
        const { run: runIt, module } = programWith(firstSession(reads, stores));
        const result = await runIt(args.split(' '), wallet.env, SECRET);
        if (!existsSync(join(module, 'wrong'))) return result;
      }
    };
    expect(await unlucky('get', REFUSED, REFUSED)).toMatchObject({ code: 6 });
    expect(await unlucky('get', 'return null', REFUSED)).toMatchObject({ code: 6 });
    const login = LOGIN.replace('eu-client', 'third');
    expect(await unlucky(login, 'return null', NOT_DECRYPTED)).toMatchObject({ code: 0 });
    expect(await storedId()).toBe('third');
  });

  test('in a new session it is locked, and get or logout asks for it', async () => {
    await wallet.lock();
    expect(await runAnswering('get', 'dismiss')).toMatchObject(locked);
    expect(await runAnswering('logout --yes', 'dismiss')).toMatchObject(locked);
    expect(await runAnswering('get', 'unlock')).toMatchObject({ code: 6 });
    expect(await storedId()).toBe('third');
  });

  test('its dialog is announced after two seconds, and a Ctrl-C or a kill of gwtoken leaves nothing behind', async () => {
    await wallet.lock();
    const mark = randomUUID();
    const env = { ...SETTINGS, ...wallet.env, MARK: mark };
    const childRuns = () => processesWith(mark).some((line) => line.includes('keychain-child'));
    const terminal = openGwtoken(['get'], { env });
    await terminal.waitFor('gwtoken: the keychain is locked: unlock it in the dialog (up to 60 s)\n');
    expect(childRuns()).toBe(true);
    terminal.type('\x03');
    expect(await terminal.exit).toEqual({ code: null, signal: 'SIGINT' });
    expect(await leftBehind(mark)).toEqual([]);
    const program = startProgram(['get'], { env });
    await until('the child runs', childRuns);
    program.kill('SIGKILL');
    await program.result;
    expect(await leftBehind(mark)).toEqual([]);
  });

  test('the first logout of a session removes the secret', async () => {
    await wallet.lock();
    expect(await runAnswering('logout --yes', 'unlock')).toMatchObject({ code: 0 });
    expect(await wallet.lookup(CLIENT)).toBeUndefined();
  });
});
