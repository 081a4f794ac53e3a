/** KeePassXC shows a dialog for each item that a program reads, and needs an open database. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type KeePassXC, type KeePassXCAnswer, startKeePassXC } from '../../harness/keyrings/keepassxc';
import { UNHURRIED } from '../../harness/keyrings/keyring';
import { missing } from '../../harness/needs';
import { until } from '../../harness/programs/processes';
import { startProgram } from '../../harness/programs/program';
import { openGwtoken } from '../../harness/programs/terminal';
import { CLIENT, LOGIN, run, SETTINGS } from './keychain-runs';
import { testSession } from './session';

let keyring: KeePassXC;
beforeAll(async () => {
  if (missing('KeePassXC') === undefined) keyring = await startKeePassXC();
});

testSession('KeePassXC', async () => {
  const { answer } = keyring;
  // The dialog that gwtoken has left open must go first: KeePassXC 2.7.10 never unlocks through it.
  const unlock = () => answer('dismiss').then(() => answer('unlock'));
  return { ...keyring, unlock, allows: { reading: () => answer('allow') } };
});

describe('KeePassXC does not give gwtoken the item', () => {
  beforeEach(({ needs }) => needs('KeePassXC'));
  beforeAll(async () => {
    if (missing('KeePassXC') === undefined) expect(await run(LOGIN, keyring.env)).toMatchObject({ code: 0 });
  });

  const failed = (problem: string) => ({
    code: 5,
    stderr: expect.stringMatching(new RegExp(`^gwtoken: error: ${problem}\nhint: `)),
  });
  const notReturned = failed(`the keychain did not return the item of ${CLIENT}: denied, .*`);
  const denied = failed('the keychain denied access');
  const locked = failed('the keychain is locked');
  const withoutKeyring = failed('the keychain has no default keyring');
  const storedId = async () => JSON.parse((await keyring.lookup(CLIENT)) ?? '{}').client_id;
  async function withoutDialogs<T>(work: Promise<T>): Promise<T> {
    const result = await work;
    expect(await keyring.dialogs()).toBe(0);
    return result;
  }
  /** Runs gwtoken and answers its dialogs in turn; fails if another dialog is still open. */
  async function runAnswering(args: string, ...answers: readonly KeePassXCAnswer[]) {
    const running = run(args, { ...keyring.env, ...UNHURRIED });
    for (const answer of answers) await keyring.answer(answer);
    return await withoutDialogs(running);
  }
  /** Runs gwtoken, and dismisses each dialog that asks to open a database. */
  const runDismissing = (args: string) =>
    withoutDialogs(keyring.dismissing(run(args, { ...keyring.env, ...UNHURRIED })));
  /** Like runDismissing() in a terminal. Returns the exit code, and the screen from the error on. */
  const runOnTerminal = async (args: string) => {
    const terminal = openGwtoken(args.split(' '), { env: { ...SETTINGS, ...keyring.env } });
    await keyring.dismissing(terminal.waitFor('gwtoken: error'));
    const { code } = await withoutDialogs(terminal.exit);
    return { code, stderr: terminal.screen().replace(/^.*(?=gwtoken: error)/s, '') };
  };

  test('get reports a denied dialog instead of missing credentials', async () => {
    // gwtoken asks twice, because a session with a wrong key looks the same.
    expect(await runAnswering('get', 'deny', 'deny')).toMatchObject(notReturned);
  });

  test('login reports a denied dialog and keeps the stored credentials', async () => {
    const login = await runAnswering(LOGIN.replace('eu-client', 'third'), 'deny', 'deny', 'deny');
    expect(login).toMatchObject(denied);
    expect(await storedId()).toBe('eu-client');
  });

  test('logout reports a denied dialog even after a logout that a signal has ended', async () => {
    const ended = startProgram(['logout', '--yes'], { env: { ...SETTINGS, ...keyring.env } });
    await until('the dialog opens', async () => (await keyring.dialogs()) === 1);
    ended.kill('SIGINT');
    await ended.result;
    // The dialog of the ended run stays open.
    await keyring.answer('deny');
    expect(await runAnswering('logout --yes', 'deny')).toMatchObject(notReturned);
  });

  test('get, login and logout report "locked" if the unlock dialog is dismissed', async () => {
    await keyring.lock();
    expect(await runDismissing('get')).toMatchObject(locked);
    expect(await runDismissing(LOGIN.replace('eu-client', 'third'))).toMatchObject(locked);
    expect(await runDismissing('logout --yes')).toMatchObject(locked);
    await keyring.answer('unlock');
    expect(await storedId()).toBe('eu-client');
  });

  test('get, login and logout report "no default keyring" without an open database', async () => {
    await keyring.reopen('none');
    expect(await runOnTerminal('get')).toMatchObject(withoutKeyring);
    expect(await runDismissing(LOGIN)).toMatchObject(withoutKeyring);
    expect(await runOnTerminal('logout --yes')).toMatchObject(withoutKeyring);
  });

  test('get and logout report "not returned" if another database is locked', async () => {
    await keyring.reopen('another');
    expect(await runAnswering('get')).toMatchObject(notReturned);
    expect(await runAnswering('logout --yes')).toMatchObject(notReturned);
  });

  test('all this leaves the client in the list', async () => {
    expect((await run('status', keyring.env)).stdout).toContain(`${CLIENT}  eu-c`);
  });
});
