/** KeePassXC asks its person for each item that a program wants to see, and may have nothing open to show. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type KeePassXC,
  type KeePassXCAnswer,
  type OpenDatabase,
  startKeePassXC,
} from '../../harness/keyrings/keepassxc';
import { missing } from '../../harness/needs';
import { openGwtoken } from '../../harness/programs/terminal';
import { CLIENT, LOGIN, run, SETTINGS } from './keychain-runs';

describe('KeePassXC', () => {
  let keyring: KeePassXC;
  beforeEach(({ needs }) => needs('KeePassXC'));
  beforeAll(async () => {
    if (missing('KeePassXC') !== undefined) return;
    keyring = await startKeePassXC();
    expect(await run(LOGIN, keyring.env)).toMatchObject({ code: 0 });
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
  const isListed = async () => (await run('status', keyring.env)).stdout.includes(`${CLIENT}  eu-c`);
  async function withoutDialogs<T>(work: Promise<T>): Promise<T> {
    const result = await work;
    expect(await keyring.dialogs()).toBe(0);
    return result;
  }
  /** Runs gwtoken, and answers each dialog that it is to lead to. */
  async function runAnswering(args: string, ...answers: readonly KeePassXCAnswer[]) {
    const running = run(args, keyring.env);
    for (const answer of answers) await keyring.answer(answer);
    return await withoutDialogs(running);
  }
  /** Runs gwtoken, and dismisses what asks for an open database. */
  const runDismissing = (args: string) => withoutDialogs(keyring.dismissing(run(args, keyring.env)));
  /** The same on a terminal, whose person can answer dialogs; returns the screen from the error on. */
  const runOnTerminal = async (args: string) => {
    const terminal = openGwtoken(args.split(' '), { env: { ...SETTINGS, ...keyring.env } });
    await keyring.dismissing(terminal.waitFor('gwtoken: error'));
    const { code } = await withoutDialogs(terminal.exit);
    return { code, stderr: terminal.screen().replace(/^.*(?=gwtoken: error)/s, '') };
  };

  test('a get that is denied says so, and not that there are no credentials', async () => {
    // A second time, since the session may have had the wrong key, as KWallet has.
    expect(await runAnswering('get', 'deny', 'deny')).toMatchObject(notReturned);
  });

  test('a login that may not overwrite says so, and changes nothing', async () => {
    const login = await runAnswering(LOGIN.replace('eu-client', 'third'), 'deny', 'deny', 'deny');
    expect(login).toMatchObject(denied);
    expect(await storedId()).toBe('eu-client');
    expect(await isListed()).toBe(true);
  });

  test('a logout that is denied leaves the client as it is', async () => {
    expect(await runAnswering('logout --yes', 'deny')).toMatchObject(notReturned);
    expect(await storedId()).toBe('eu-client');
    expect(await isListed()).toBe(true);
  });

  test('a locked database whose dialog is dismissed stays locked: nothing is stored or removed', async () => {
    await keyring.lock();
    expect(await runDismissing('get')).toMatchObject(locked);
    expect(await runDismissing(LOGIN.replace('eu-client', 'third'))).toMatchObject(locked);
    expect(await runDismissing('logout --yes')).toMatchObject(locked);
    expect(await isListed()).toBe(true);
  });

  test.each<[string, OpenDatabase]>([
    ['no open database', 'none'],
    ['a database that exposes no group', 'not exposed'],
  ])('%s is no keyring: nothing is said to be stored, removed or absent', async (_, database) => {
    await keyring.reopen(database);
    expect(await runOnTerminal('get')).toMatchObject(withoutKeyring);
    expect(await runDismissing(LOGIN)).toMatchObject(withoutKeyring);
    expect(await runOnTerminal('logout --yes')).toMatchObject(withoutKeyring);
    await keyring.reopen('exposed');
    expect(await isListed()).toBe(true);
    expect(await storedId()).toBe('eu-client');
  });

  test('what may be in a locked database beside the open one is neither removed nor absent', async () => {
    await keyring.reopen('another');
    expect(await runAnswering('get')).toMatchObject(notReturned);
    expect(await runAnswering('logout --yes')).toMatchObject(notReturned);
    await keyring.reopen('exposed');
    expect(await storedId()).toBe('eu-client');
  });
});
