import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { keyringAvailable, startKeyring } from '../../harness/keyrings/keyring';
import type { Environment } from '../../harness/keyrings/session-bus';
import { leftBehind, processesWith } from '../../harness/programs/processes';
import { atMost, notPackage, startProgram } from '../../harness/programs/program';
import { openGwtoken } from '../../harness/programs/terminal';
import { CLIENT, doctorStages, ITEM, run, SETTINGS } from './keychain-runs';
import { prompterAvailable, startPrompter } from './prompter';

const OK_BEFORE = ['module', 'library', 'session', 'provider'].map((stage) => `${stage}: ok`);

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

const missing = keyringAvailable() ?? prompterAvailable();

describe('a dialog', () => {
  async function locked(mode: 'silent' | 'dismiss') {
    const started = await startKeyring({ state: 'locked', seed: { [CLIENT]: ITEM } });
    return { env: started.env, prompter: await startPrompter(started.env, mode) };
  }
  const openGet = (env: Environment) => {
    const mark = randomUUID();
    const started = performance.now();
    const onTerminal = { ...SETTINGS, ...env, DISPLAY: ':99', MARK: mark };
    return { mark, started, terminal: openGwtoken(['get'], { env: onTerminal }) };
  };

  /** Begun before the other tests, and looked at after them: it takes a minute. */
  let leftUnanswered: ReturnType<typeof leaveUnanswered>;
  async function leaveUnanswered() {
    const { env, prompter } = await locked('silent');
    const { mark, started, terminal } = openGet(env);
    const ended = terminal.exit.then(async ({ code }) => {
      const ms = performance.now() - started;
      return { code, ms, screen: terminal.screen(), left: await leftBehind(mark) };
    });
    return { prompter, ended };
  }
  beforeAll(async () => {
    if ((missing ?? notPackage) !== undefined) return;
    leftUnanswered = leaveUnanswered();
    await leftUnanswered;
  });

  test('that nobody answers ends with the limit, 10 s where nobody can', async ({ skip }) => {
    skip(missing !== undefined, missing);
    const { env, prompter } = await locked('silent');
    const { code, stdout, stderr, ms } = await run('get', env);
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(stderr).toMatch(/^gwtoken: error: the keychain is still locked after 10 s\n/);
    expect(ms).toBeGreaterThan(10_000);
    expect(ms).toBeLessThan(await atMost(10_000));
    expect(prompter.dialogs()).toBe(1);
  });

  test('that nobody answers ends doctor too, with the limit of the setting', async ({ skip }) => {
    skip(missing !== undefined, missing);
    const { env } = await locked('silent');
    const { code, stages, result } = await doctorStages({ ...env, GWTOKEN_KEYCHAIN_TIMEOUT: '3' });
    expect(code).toBe(5);
    expect(stages).toEqual([...OK_BEFORE, 'keyring: ok', 'unlocked: failed', 'round trip: skipped']);
    expect(result.stderr).toContain('the keychain is still locked after 3 s');
    expect(result.ms).toBeLessThan(await atMost(3000));
  });

  test('that is dismissed says that the keychain is locked, not that nothing is there', async ({ skip }) => {
    skip(missing !== undefined, missing);
    const { env, prompter } = await locked('dismiss');
    const { code, stderr, ms } = await run('get', env);
    expect(code).toBe(5);
    expect(stderr).toContain('the keychain is locked');
    expect(ms).toBeLessThan(await atMost(4000));
    expect(prompter.dialogs()).toBe(1);
  });

  test('is told of after two seconds where a person can answer, and Ctrl-C ends all', async ({ skip }) => {
    skip(missing !== undefined, missing);
    const { env } = await locked('silent');
    const { mark, started, terminal } = openGet(env);
    await terminal.waitFor('gwtoken: the keychain is locked: unlock it in the dialog (up to 60 s)\n');
    expect(performance.now() - started).toBeGreaterThan(2000);
    expect(processesWith(mark).some((line) => line.includes('keychain-child'))).toBe(true);
    terminal.type('\x03');
    const { code, signal } = await terminal.exit;
    expect(['SIGINT', 130]).toContain(signal ?? code);
    expect(await leftBehind(mark)).toEqual([]);
  });

  test('goes away with gwtoken, also when that is killed', async ({ skip }) => {
    skip(missing !== undefined, missing);
    const { env, prompter } = await locked('silent');
    const mark = randomUUID();
    const program = startProgram(['get'], { env: { ...SETTINGS, ...env, MARK: mark } });
    while (prompter.dialogs() === 0) await sleep(20);
    expect(processesWith(mark).some((line) => line.includes('keychain-child'))).toBe(true);
    program.kill('SIGKILL');
    expect(await program.result).toMatchObject({ signal: 'SIGKILL' });
    expect(await leftBehind(mark)).toEqual([]);
  });

  test('that a person leaves unanswered ends with the limit of 60 s', async ({ skip }) => {
    skip(missing !== undefined, missing);
    skip(notPackage !== undefined, 'tried with the npm package: it takes a minute');
    const { prompter, ended } = await leftUnanswered;
    const { code, ms, screen, left } = await ended;
    expect(code).toBe(5);
    expect(screen).toContain('gwtoken: error: the keychain is still locked after 60 s\nhint: ');
    expect(ms).toBeGreaterThan(60_000);
    expect(ms).toBeLessThan(await atMost(60_000));
    expect(prompter.dialogs()).toBe(1);
    expect(left).toEqual([]);
  }, 90_000);
});
