import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { type Keyring, type KeyringOptions, keyringAvailable, startKeyring } from './harness/keyring';
import { leftBehind, processesWith } from './harness/processes';
import { freshHome, PROGRAM, type ProgramResult, runProgram, startProgram } from './harness/program';
import { prompterAvailable, startPrompter } from './harness/prompter';
import { openTerminal } from './harness/terminal';
import { hidingAvailable, nodeWithoutLibsecret } from './harness/without-libsecret';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const CLIENT = 'default:production:eu';
const SECRET = 'canary-Zq81';
const ITEM = JSON.stringify({
  client_id: 'eu-client',
  client_secret: SECRET,
  auth_url: 'http://127.0.0.1:9',
});
// Nothing listens on the discard port: a run that gets this far has its credentials and ends with 6.
const SETTINGS = { GWTOKEN_REGION: 'eu', GWTOKEN_AUTH_URL: 'http://127.0.0.1:9', GWTOKEN_RETRIES: '0' };

async function keyring(options: KeyringOptions): Promise<Keyring> {
  const started = await startKeyring(options);
  cleanups.push(started.stop);
  return started;
}

/** Runs it, and looks whether any process of it is left. */
async function run(args: string, env: Record<string, string>, node?: string): Promise<ProgramResult> {
  const mark = randomUUID();
  const options = { env: { ...SETTINGS, ...env, MARK: mark }, stdin: SECRET };
  const result = await runProgram(args.split(' '), node === undefined ? options : { ...options, node });
  expect(await leftBehind(mark)).toEqual([]);
  expect(result.stdout + result.stderr).not.toContain(SECRET);
  return result;
}

/** The stage lines of doctor's keychain section, as `name: result`. */
async function doctorStages(env: Record<string, string>, node?: string) {
  const result = await run('doctor --json', env, node);
  const report = JSON.parse(result.stdout) as {
    checks: { section: string; name: string; result: string; message: string }[];
  };
  const stages = report.checks.filter(({ section }) => section === 'keychain');
  return { code: result.code, stages: stages.map(({ name, result: each }) => `${name}: ${each}`), result };
}

/** The limit plus a second, on top of what starting the program takes on this machine at this moment. */
async function atMost(limitMs: number): Promise<number> {
  const { ms } = await runProgram(['--version'], { env: {} });
  return limitMs + 1000 + 2 * ms;
}

const LOGIN = 'login --client-id eu-client --secret-stdin --no-verify';

describe('the keyring', () => {
  test('unlocked, gives the credentials, and says what is not in it', async ({ skip }) => {
    skip(keyringAvailable() !== undefined, keyringAvailable());
    const { env } = await keyring({ state: 'unlocked', seed: { [CLIENT]: ITEM } });
    expect(await run('get', env)).toMatchObject({ code: 6, stdout: '' });
    const none = await run('get --profile other', env);
    expect(none).toMatchObject({ code: 4, stdout: '' });
    expect(none.stderr).toMatch(
      /^gwtoken: error: no credentials found for other:production:eu\nhint: run: gwtoken login/,
    );
    const { code, stages } = await doctorStages(env);
    expect(stages).toEqual(
      ['module', 'library', 'session', 'provider', 'keyring', 'unlocked', 'round trip'].map(
        (name) => `${name}: ok`,
      ),
    );
    expect(code).toBe(6);
  });

  test("doctor's round trip leaves nothing behind", async ({ skip }) => {
    skip(keyringAvailable() !== undefined, keyringAvailable());
    const started = await keyring({ state: 'unlocked' });
    await doctorStages(started.env);
    expect(await started.search('gwtoken-probe')).toBe('');
  });

  interface Fault {
    readonly state: KeyringOptions['state'] | 'no bus' | 'no socket';
    readonly message: string;
    readonly stages: readonly string[];
  }
  const before = ['module: ok', 'library: ok'];
  test.for<Fault>([
    {
      state: 'locked',
      message: 'the keychain is locked',
      stages: [
        ...before,
        'session: ok',
        'provider: ok',
        'keyring: ok',
        'unlocked: failed',
        'round trip: skipped',
      ],
    },
    {
      state: 'none',
      message: 'the keychain has no keyring to keep secrets in yet',
      stages: [
        ...before,
        'session: ok',
        'provider: ok',
        'keyring: failed',
        'unlocked: skipped',
        'round trip: skipped',
      ],
    },
    {
      state: 'no-provider',
      message: 'no program provides a keychain in this session',
      stages: [
        ...before,
        'session: ok',
        'provider: failed',
        'keyring: skipped',
        'unlocked: skipped',
        'round trip: skipped',
      ],
    },
    ...(['no bus', 'no socket'] as const).map((state) => ({
      state,
      message: 'there is no desktop session (D-Bus) here, so the keychain cannot be reached',
      stages: [
        ...before,
        'session: failed',
        'provider: skipped',
        'keyring: skipped',
        'unlocked: skipped',
        'round trip: skipped',
      ],
    })),
  ])(
    '$state: says so at once, in get, login, logout and doctor',
    async ({ state, message, stages }, { skip }) => {
      skip(keyringAvailable() !== undefined, keyringAvailable());
      const env = await environmentIn(state);
      for (const command of ['get', LOGIN, 'logout', 'status --check']) {
        const { code, stderr, ms } = await run(command, env);
        expect({ command, code }).toEqual({ command, code: 5 });
        expect(stderr).toContain(message);
        expect(stderr).toMatch(/\nhint: /);
        expect(ms).toBeLessThan(5000);
      }
      const seen = await doctorStages(env);
      expect(seen.stages).toEqual(stages);
      expect(seen.code).toBe(5);
      expect(seen.result.stderr).toContain(message);
    },
  );

  async function environmentIn(state: Fault['state']): Promise<Record<string, string>> {
    if (state === 'no bus' || state === 'no socket') {
      const home = freshHome();
      cleanups.push(home.remove);
      const bus = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${home.dir}/none` };
      return state === 'no bus' ? { ...home.env } : { ...home.env, ...bus };
    }
    return { ...(await keyring(state === 'locked' ? { state, seed: { [CLIENT]: ITEM } } : { state })).env };
  }
});

test('without a program to ask the bus with, a locked keyring is still told from an absent item', async ({
  skip,
}) => {
  skip(keyringAvailable() !== undefined, keyringAvailable());
  const started = await keyring({ state: 'unlocked', seed: { [CLIENT]: ITEM } });
  const env = { ...started.env, PATH: '/nonexistent' };
  expect((await run('get --profile other', env)).code).toBe(4);
  expect(await started.search('gwtoken-probe')).toBe('');
  await started.lock();
  const { code, stderr } = await run('get', env);
  expect(code).toBe(5);
  expect(stderr).toContain('the keychain is locked');
});

describe('a dialog', () => {
  async function locked(skip: (condition: boolean, note?: string) => void, mode: 'silent' | 'dismiss') {
    const reason = keyringAvailable() ?? prompterAvailable();
    skip(reason !== undefined, reason);
    const started = await keyring({ state: 'locked', seed: { [CLIENT]: ITEM } });
    const prompter = await startPrompter(started.env, mode);
    cleanups.push(prompter.stop);
    return { env: started.env, prompter };
  }

  test('that nobody answers ends with the limit, 10 s where nobody can', async ({ skip }) => {
    const { env, prompter } = await locked(skip, 'silent');
    const { code, stdout, stderr, ms } = await run('get', env);
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(stderr).toMatch(
      /^gwtoken: error: the keychain is locked, and its dialog was not answered within 10 s\n/,
    );
    expect(ms).toBeGreaterThan(10_000);
    expect(ms).toBeLessThan(await atMost(10_000));
    expect(prompter.dialogs()).toBe(1);
  });

  test('that nobody answers ends doctor too, with the limit of the setting', async ({ skip }) => {
    const { env } = await locked(skip, 'silent');
    const { code, stages, result } = await doctorStages({ ...env, GWTOKEN_KEYCHAIN_TIMEOUT: '3' });
    expect(code).toBe(5);
    expect(stages.at(-1)).toBe('round trip: failed');
    expect(result.stderr).toContain('its dialog was not answered within 3 s');
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
    const terminal = openTerminal(process.execPath, [PROGRAM, 'get'], {
      env: { ...SETTINGS, ...env, DISPLAY: ':99', MARK: mark },
    });
    cleanups.push(terminal.close);
    await terminal.waitFor('gwtoken: the keychain is locked: answer its dialog (within 60 s)\n');
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
  const { env, daemonPid = 0 } = await keyring({ state: 'unlocked', seed: { [CLIENT]: ITEM } });
  process.kill(daemonPid, 'SIGSTOP');
  const limit = { GWTOKEN_KEYCHAIN_TIMEOUT: '3' };
  const { code, stderr, ms } = await run('get', { ...env, ...limit });
  expect(code).toBe(5);
  expect(stderr).toMatch(/^gwtoken: error: the keychain did not answer within 3 s\n/);
  expect(ms).toBeLessThan(await atMost(3000));
  const doctor = await doctorStages({ ...env, ...limit });
  expect(doctor).toMatchObject({ code: 5 });
  expect(doctor.stages.at(-1)).toBe('round trip: failed');
});

test('without libsecret, it names the library and how to install it', async ({ skip }) => {
  skip(hidingAvailable() !== undefined, hidingAvailable());
  const hidden = nodeWithoutLibsecret();
  const home = freshHome();
  cleanups.push(hidden.remove, home.remove);
  const { code, stderr } = await run('get', { ...home.env }, hidden.node);
  expect(code).toBe(5);
  expect(stderr).toMatch(/^gwtoken: error: the keychain needs libsecret-1\.so\.0, which is not installed\n/);
  expect(stderr).toContain('apt-get install libsecret-1-0');
  const { stages } = await doctorStages({ ...home.env }, hidden.node);
  expect(stages.slice(0, 3)).toEqual(['module: ok', 'library: failed', 'session: skipped']);
});

test('with credentials in variables the keychain is not touched, and doctor only warns of it', async () => {
  const home = freshHome();
  cleanups.push(home.remove);
  const env = { ...home.env, GWTOKEN_CLIENT_ID: 'eu-client', GWTOKEN_CLIENT_SECRET: SECRET };
  expect(await run('get', env)).toMatchObject({ code: 6 });
  const { code, stages } = await doctorStages(env);
  expect(stages).toContain('session: warning');
  expect(code).toBe(6);
});
