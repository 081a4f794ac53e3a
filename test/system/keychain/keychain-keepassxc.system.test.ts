/** KeePassXC asks its person for each item that a program wants to see, and may have nothing open that it can show. */
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  type KeePassXC,
  type KeePassXCAnswer,
  keepassxcAvailable,
  type OpenDatabase,
  startKeePassXC,
} from '../../harness/keyrings/keepassxc';
import { openGwtoken } from '../../harness/programs/terminal';
import { CLIENT, doctorStages, LOGIN, run, SETTINGS } from './keychain-runs';

const missing = keepassxcAvailable();

describe('KeePassXC', () => {
  let keyring: KeePassXC;
  beforeAll(async () => {
    if (missing !== undefined) return;
    keyring = await startKeePassXC();
    expect(await run(LOGIN, keyring.env)).toMatchObject({ code: 0 });
  });

  const failed = (problem: string) => ({
    code: 5,
    stderr: expect.stringMatching(new RegExp(`^gwtoken: error: the keychain ${problem}\nhint: `)),
  });
  const denied = failed('denied access');
  const locked = failed('is locked');
  const withoutKeyring = failed('has no default keyring');
  const storedId = async () => JSON.parse((await keyring.lookup(CLIENT)) ?? '{}').client_id;
  const isListed = async () => (await run('status', keyring.env)).stdout.includes(`${CLIENT}  eu-c`);
  /** Runs it, and answers each dialog that it is to lead to. */
  async function runAnswering(args: string, ...answers: readonly KeePassXCAnswer[]) {
    const running = run(args, keyring.env);
    for (const answer of answers) await keyring.answer(answer);
    return await withoutDialogs(running);
  }
  /** Runs it, and dismisses what asks for an open database. */
  const runDismissing = (args: string) => withoutDialogs(keyring.dismissing(run(args, keyring.env)));
  /** The same on a terminal, whose person can answer dialogs; without what stood there before the error. */
  const runBeforePerson = async (args: string) => {
    const terminal = openGwtoken(args.split(' '), { env: { ...SETTINGS, ...keyring.env } });
    const { code } = await withoutDialogs(keyring.dismissing(terminal.exit));
    return { code, stderr: terminal.screen().replace(/^.*(?=gwtoken: error)/s, '') };
  };
  async function withoutDialogs<T>(work: Promise<T>): Promise<T> {
    const result = await work;
    expect(await keyring.dialogs()).toBe(0);
    return result;
  }

  test.for<[string, () => Promise<void>]>([
    [
      'a get that is denied says so, and not that there are no credentials',
      async () => {
        expect(await runAnswering('get', 'deny')).toMatchObject(denied);
      },
    ],
    [
      'a login that may not overwrite says so, and changes nothing',
      async () => {
        const login = await runAnswering(LOGIN.replace('eu-client', 'third'), 'deny', 'deny', 'deny');
        expect(login).toMatchObject(denied);
        expect(await storedId()).toBe('eu-client');
        expect(await isListed()).toBe(true);
      },
    ],
    [
      'a logout that is denied leaves the client as it is',
      async () => {
        expect(await runAnswering('logout', 'deny')).toMatchObject(denied);
        expect(await storedId()).toBe('eu-client');
        expect(await isListed()).toBe(true);
      },
    ],
    [
      'status --check asks for each client, also after one that is denied',
      async () => {
        expect(await runAnswering(`${LOGIN} --region us`)).toMatchObject({ code: 0 });
        const { code, stdout } = await runAnswering('status --check --json', 'deny', 'allow');
        expect(code).toBe(5);
        const checks = JSON.parse(stdout).clients.map(
          ({ name, check }: { name: string; check: { exit_code: number } }) => [name, check.exit_code],
        );
        expect(checks).toEqual([
          [CLIENT, 5],
          ['default:production:us', 6],
        ]);
      },
    ],
    [
      'a locked database stays locked when its dialog is dismissed, and nothing is stored or removed',
      async () => {
        await keyring.lock();
        expect(await runDismissing('get')).toMatchObject(locked);
        expect(await runDismissing(LOGIN.replace('eu-client', 'third'))).toMatchObject(locked);
        expect(await runDismissing('logout')).toMatchObject(locked);
        expect(await runDismissing('status --check')).toMatchObject({ code: 5 });
        expect(await isListed()).toBe(true);
      },
    ],
    [
      'a locked database that is unlocked in its dialog gives what is in it',
      async () => {
        expect(await runAnswering('get', 'unlock', 'allow')).toMatchObject({ code: 6 });
        await keyring.lock();
        expect(await runAnswering(LOGIN, 'unlock', 'allow')).toMatchObject({ code: 0 });
      },
    ],
    [
      'a database that is unlocked is not called locked where the request after it is not answered',
      async () => {
        await keyring.lock();
        const running = run('get', { ...keyring.env, GWTOKEN_KEYCHAIN_TIMEOUT: '8' });
        // After gwtoken's first look at what it waits for.
        await sleep(3000);
        await keyring.answer('unlock');
        expect(await running).toMatchObject(failed('did not answer within 8 s'));
        await keyring.answer('deny');
      },
    ],
  ])('%s', async ([, steps], { skip }) => {
    skip(missing !== undefined, missing);
    await steps();
  });

  test.for<[string, OpenDatabase]>([
    ['no open database', 'none'],
    ['a database that exposes no group', 'not exposed'],
  ])(
    'with %s there is no keyring, and nothing is said to be stored, removed or absent',
    async ([, database], { skip }) => {
      skip(missing !== undefined, missing);
      await keyring.reopen(database);
      expect(await runBeforePerson('get')).toMatchObject(withoutKeyring);
      expect(await runDismissing(LOGIN)).toMatchObject(withoutKeyring);
      expect(await runBeforePerson('logout')).toMatchObject(withoutKeyring);
      const status = await runDismissing('status --check');
      expect(status).toMatchObject({ code: 5, stdout: expect.stringContaining('has no default keyring\n') });
      const { code, stages } = await keyring.dismissing(doctorStages(keyring.env));
      expect(stages.slice(-3)).toEqual(['keyring: failed', 'unlocked: skipped', 'round trip: skipped']);
      expect(code).toBe(5);
      await keyring.reopen('exposed');
      expect(await isListed()).toBe(true);
      expect(await storedId()).toBe('eu-client');
    },
  );

  test('what may be in a locked database beside the open one is neither removed nor absent', async ({
    skip,
  }) => {
    skip(missing !== undefined, missing);
    await keyring.reopen('another');
    const hidden = {
      code: 5,
      stderr: expect.stringMatching(
        /^gwtoken: error: no such item in the open keyring, but another keyring is locked\nhint: unlock it/,
      ),
    };
    const get = await runAnswering('get');
    expect(get).toMatchObject(hidden);
    expect(get.stderr).toContain('\nhint: to store credentials, run: gwtoken login');
    expect(await runAnswering('logout')).toMatchObject(hidden);
    await keyring.reopen('exposed');
    expect(await isListed()).toBe(true);
    expect(await storedId()).toBe('eu-client');
  });

  test('without an open database, and with nobody to open one, the limit ends get', async ({ skip }) => {
    skip(missing !== undefined, missing);
    await keyring.reopen('none');
    const get = await run('get', { ...keyring.env, GWTOKEN_KEYCHAIN_TIMEOUT: '3' });
    expect(get).toMatchObject(failed('still has no default keyring after 3 s'));
  });
});
