/** KWallet is locked at the start of each session, and asks for its password at the first use. */
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { UNHURRIED } from '../../harness/keyrings/keyring';
import { type KWallet, startKWallet } from '../../harness/keyrings/kwallet';
import { missing } from '../../harness/needs';
import { leftBehind, processesWith, until } from '../../harness/programs/processes';
import { startProgram } from '../../harness/programs/program';
import { openGwtoken } from '../../harness/programs/terminal';
import { CLIENT, LOGIN, run, SETTINGS } from './keychain-runs';
import { testSession } from './session';

let wallet: KWallet;
beforeAll(async () => {
  if (missing('KWallet') === undefined) wallet = await startKWallet();
});

testSession('KWallet', async () => {
  const unlock = () => wallet.answer('unlock');
  return { ...wallet, unlock, allows: { firstUse: unlock } };
});

describe('the dialog of KWallet', () => {
  beforeEach(({ needs }) => needs('KWallet'));
  beforeAll(() => wallet?.lock());

  const locked = {
    code: 5,
    stderr: expect.stringMatching(/^gwtoken: error: the keychain is locked\nhint: /),
  };
  const storedId = async () => JSON.parse((await wallet.lookup(CLIENT)) ?? '{}').client_id;
  async function runAnswering(args: string, answer: 'unlock' | 'dismiss') {
    const running = run(args, { ...wallet.env, ...UNHURRIED });
    await wallet.answer(answer);
    return await running;
  }

  test('login stores nothing if the unlock dialog is dismissed', async () => {
    expect(await runAnswering(LOGIN, 'dismiss')).toMatchObject(locked);
    expect((await run('status --json', wallet.env)).stdout).not.toContain('eu-client');
  });

  test('login stores the credentials once the dialog has unlocked the wallet', async () => {
    expect(await runAnswering(LOGIN, 'unlock')).toMatchObject({ code: 0 });
    expect(await storedId()).toBe('eu-client');
  });

  test('get and logout open the unlock dialog in a new session', async () => {
    await wallet.lock();
    expect(await runAnswering('get', 'dismiss')).toMatchObject(locked);
    expect(await runAnswering('logout --yes', 'dismiss')).toMatchObject(locked);
    expect(await runAnswering('get', 'unlock')).toMatchObject({ code: 6 });
    expect(await storedId()).toBe('eu-client');
  });

  test('get announces the dialog after 2 s; Ctrl-C and SIGKILL leave no process', async () => {
    await wallet.lock();
    const mark = randomUUID();
    const env = { ...SETTINGS, ...wallet.env, MARK: mark };
    const childRuns = () => processesWith(mark).some((line) => line.includes('keychain-child'));
    const terminal = openGwtoken(['get'], { env });
    await terminal.waitFor('gwtoken: waiting for the keychain: answer its dialog (up to 60 s)\n');
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

  test('logout removes the secret even if it is the first command of a session', async () => {
    await wallet.lock();
    expect(await runAnswering('logout --yes', 'unlock')).toMatchObject({ code: 0 });
    expect(await wallet.lookup(CLIENT)).toBeUndefined();
  });
});
