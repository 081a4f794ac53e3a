import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { keyringAvailable, startKeyring } from '../../harness/keyrings/keyring';
import { leftBehind, processesWith } from '../../harness/programs/processes';
import { startProgram } from '../../harness/programs/program';
import { openGwtoken } from '../../harness/programs/terminal';
import { atMost, CLIENT, doctorStages, ITEM, run, SETTINGS } from './keychain-runs';
import { prompterAvailable, startPrompter } from './prompter';

const OK_BEFORE = ['module', 'library', 'session', 'provider'].map((stage) => `${stage}: ok`);

describe('a dialog', () => {
  async function locked(skip: (condition: boolean, note?: string) => void, mode: 'silent' | 'dismiss') {
    const reason = keyringAvailable() ?? prompterAvailable();
    skip(reason !== undefined, reason);
    const started = await startKeyring({ state: 'locked', seed: { [CLIENT]: ITEM } });
    const prompter = await startPrompter(started.env, mode);
    return { env: started.env, prompter };
  }

  test('that nobody answers ends with the limit, 10 s where nobody can', async ({ skip }) => {
    const { env, prompter } = await locked(skip, 'silent');
    const { code, stdout, stderr, ms } = await run('get', env);
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(stderr).toMatch(/^gwtoken: error: the keychain is still locked after 10 s\n/);
    expect(ms).toBeGreaterThan(10_000);
    expect(ms).toBeLessThan(await atMost(10_000));
    expect(prompter.dialogs()).toBe(1);
  });

  test('that nobody answers ends doctor too, with the limit of the setting', async ({ skip }) => {
    const { env } = await locked(skip, 'silent');
    const { code, stages, result } = await doctorStages({ ...env, GWTOKEN_KEYCHAIN_TIMEOUT: '3' });
    expect(code).toBe(5);
    expect(stages).toEqual([...OK_BEFORE, 'keyring: ok', 'unlocked: failed', 'round trip: skipped']);
    expect(result.stderr).toContain('the keychain is still locked after 3 s');
    expect(result.ms).toBeLessThan(await atMost(3000));
  });

  test('that is dismissed says that the keychain is locked, not that nothing is there', async ({ skip }) => {
    const { env, prompter } = await locked(skip, 'dismiss');
    const { code, stderr, ms } = await run('get', env);
    expect(code).toBe(5);
    expect(stderr).toContain('the keychain is locked');
    expect(ms).toBeLessThan(5000);
    expect(prompter.dialogs()).toBe(1);
  });

  test('is told of after two seconds where a person can answer, and Ctrl-C ends all', async ({ skip }) => {
    const { env } = await locked(skip, 'silent');
    const mark = randomUUID();
    const started = performance.now();
    const terminal = openGwtoken(['get'], {
      env: { ...SETTINGS, ...env, DISPLAY: ':99', MARK: mark },
    });
    await terminal.waitFor('gwtoken: the keychain is locked: unlock it in the dialog (up to 60 s)\n');
    expect(performance.now() - started).toBeGreaterThan(2000);
    expect(processesWith(mark).some((line) => line.includes('keychain-child'))).toBe(true);
    terminal.type('\x03');
    const { code, signal } = await terminal.exit;
    expect(['SIGINT', 130]).toContain(signal ?? code);
    expect(await leftBehind(mark)).toEqual([]);
  });

  test('goes away with gwtoken, also when that is killed', async ({ skip }) => {
    const { env, prompter } = await locked(skip, 'silent');
    const mark = randomUUID();
    const program = startProgram(['get'], { env: { ...SETTINGS, ...env, MARK: mark } });
    while (prompter.dialogs() === 0) await sleep(20);
    expect(processesWith(mark).some((line) => line.includes('keychain-child'))).toBe(true);
    program.kill('SIGKILL');
    expect(await program.result).toMatchObject({ signal: 'SIGKILL' });
    expect(await leftBehind(mark)).toEqual([]);
  });
});

test('a frozen daemon ends with the limit', async ({ skip }) => {
  skip(keyringAvailable() !== undefined, keyringAvailable());
  const { env, daemonPid = 0 } = await startKeyring({ state: 'unlocked', seed: { [CLIENT]: ITEM } });
  process.kill(daemonPid, 'SIGSTOP');
  const limit = { GWTOKEN_KEYCHAIN_TIMEOUT: '3' };
  const { code, stderr, ms } = await run('get', { ...env, ...limit });
  expect(code).toBe(5);
  expect(stderr).toMatch(/^gwtoken: error: the keychain did not answer within 3 s\n/);
  expect(ms).toBeLessThan(await atMost(3000));
  const doctor = await doctorStages({ ...env, ...limit });
  expect(doctor).toMatchObject({ code: 5 });
  const unknown = ['session', 'provider', 'keyring', 'unlocked'].map((stage) => `${stage}: skipped`);
  expect(doctor.stages).toEqual([...OK_BEFORE.slice(0, 2), ...unknown, 'round trip: failed']);
});
