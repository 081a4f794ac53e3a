/** Dialogs of gnome-keyring that nobody answers, and a frozen one. The times are keychain-waiting's. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { startKeyring } from '../../harness/keyrings/keyring';
import { leftBehind, processesWith } from '../../harness/programs/processes';
import { startProgram } from '../../harness/programs/program';
import { openGwtoken } from '../../harness/programs/terminal';
import { CLIENT, doctorsKeychain, ITEM, run, SETTINGS } from './keychain-runs';
import { startPrompter } from './prompter';

const LIMIT = { GWTOKEN_KEYCHAIN_TIMEOUT: '6' };

test('a frozen daemon ends get and doctor with the limit', async ({ needs }) => {
  needs('keyring');
  const { env, daemonPid = 0 } = await startKeyring({ state: 'unlocked', seed: { [CLIENT]: ITEM } });
  process.kill(daemonPid, 'SIGSTOP');
  const [get, doctor] = await Promise.all([
    run('get', { ...env, ...LIMIT }),
    doctorsKeychain({ ...env, ...LIMIT }),
  ]);
  expect(get.code).toBe(5);
  expect(get.stderr).toMatch(/^gwtoken: error: the keychain did not answer within 6 s\n/);
  expect(doctor).toMatchObject({ code: 5, result: 'failed' });
});

describe('a dialog', () => {
  async function locked() {
    const started = await startKeyring({ state: 'locked', seed: { [CLIENT]: ITEM } });
    return { env: started.env, prompter: await startPrompter(started.env) };
  }

  test('is announced after two seconds on a terminal, and Ctrl-C ends all', async ({ needs }) => {
    needs('keyring with dialogs');
    const { env } = await locked();
    const mark = randomUUID();
    const onTerminal = { ...SETTINGS, ...env, DISPLAY: ':99', MARK: mark };
    const terminal = openGwtoken(['get'], { env: onTerminal });
    await terminal.waitFor('gwtoken: the keychain is locked: unlock it in the dialog (up to 60 s)\n');
    expect(processesWith(mark).some((line) => line.includes('keychain-child'))).toBe(true);
    terminal.type('\x03');
    const { code, signal } = await terminal.exit;
    expect(['SIGINT', 130]).toContain(signal ?? code);
    expect(await leftBehind(mark)).toEqual([]);
  });

  test('goes away with gwtoken, also if that is killed', async ({ needs }) => {
    needs('keyring with dialogs');
    const { env, prompter } = await locked();
    const mark = randomUUID();
    const program = startProgram(['get'], { env: { ...SETTINGS, ...env, MARK: mark } });
    while (prompter.dialogs() === 0) await sleep(20);
    program.kill('SIGKILL');
    expect(await program.result).toMatchObject({ signal: 'SIGKILL' });
    expect(await leftBehind(mark)).toEqual([]);
  });
});
