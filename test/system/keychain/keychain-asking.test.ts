/** A keyring that asks the person each time a program wants to see an item, as KeePassXC does unless it is told not to. */
import { beforeAll, describe, expect, test } from 'vitest';
import { type KeePassXC, keepassxcAvailable, startKeePassXC } from '../../harness/keyrings/keepassxc';
import { CLIENT, doctorStages, LOGIN, run } from './keychain-runs';

const missing = keepassxcAvailable();

describe('KeePassXC', () => {
  let keyring: KeePassXC;
  beforeAll(async () => {
    if (missing === undefined) keyring = await startKeePassXC();
  });

  const denied = {
    code: 5,
    stderr: expect.stringMatching(/^gwtoken: error: the keychain denied access\nhint: /),
  };
  const storedId = async () => JSON.parse((await keyring.lookup(CLIENT)) ?? '{}').client_id;
  /** Runs it, and answers each dialog that it is to lead to. */
  async function runAnswering(args: string, ...answers: readonly ('allow' | 'deny')[]) {
    const running = run(args, keyring.env);
    for (const answer of answers) await keyring.answer(answer);
    const result = await running;
    expect(await keyring.requests()).toBe(0);
    return result;
  }

  test.for<[string, () => Promise<void>]>([
    [
      'a first login stores, and asks nothing',
      async () => {
        expect(await runAnswering(LOGIN)).toMatchObject({ code: 0 });
        expect(await storedId()).toBe('eu-client');
      },
    ],
    [
      'get has the credentials once they are allowed, and says that they are denied, not that there are none',
      async () => {
        expect(await runAnswering('get', 'allow')).toMatchObject({ code: 6 });
        expect(await runAnswering('get', 'deny')).toMatchObject(denied);
        expect(await runAnswering('get --profile other')).toMatchObject({ code: 4 });
      },
    ],
    [
      'a second login replaces what is stored after one question',
      async () => {
        const login = await runAnswering(LOGIN.replace('eu-client', 'second'), 'allow');
        expect(login).toMatchObject({ code: 0 });
        expect(await storedId()).toBe('second');
      },
    ],
    [
      'a login that may not overwrite says so, and changes nothing',
      async () => {
        const login = await runAnswering(LOGIN.replace('eu-client', 'third'), 'deny', 'deny', 'deny');
        expect(login).toMatchObject(denied);
        expect(await storedId()).toBe('second');
        expect((await run('status --json', keyring.env)).stdout).not.toContain('third');
      },
    ],
    [
      'a logout that is denied leaves the client as it is',
      async () => {
        expect(await runAnswering('logout', 'deny')).toMatchObject(denied);
        expect(await storedId()).toBe('second');
        expect((await run('status', keyring.env)).stdout).toContain(CLIENT);
      },
    ],
    [
      'status --check says what the keychain said',
      async () => {
        expect(await runAnswering('status --check', 'allow')).toMatchObject({ code: 6 });
        expect(await runAnswering('status --check', 'deny')).toMatchObject({ code: 5 });
      },
    ],
    [
      'doctor says that the item is asked for, where all else is well',
      async () => {
        const { stages } = await doctorStages(keyring.env);
        expect(stages.slice(-2)).toEqual(['round trip: ok', 'item: warning']);
      },
    ],
    [
      'a logout that is allowed removes the secret, and a further one finds none',
      async () => {
        expect(await runAnswering('logout', 'allow')).toMatchObject({ code: 0 });
        expect(await keyring.lookup(CLIENT)).toBeUndefined();
        expect(await runAnswering('logout')).toMatchObject({ code: 4 });
      },
    ],
    [
      'a locked database is what is said, within the limit',
      async () => {
        await keyring.lock();
        const env = { ...keyring.env, GWTOKEN_KEYCHAIN_TIMEOUT: '3' };
        for (const command of ['get', LOGIN, 'logout']) {
          const { code, stderr } = await run(command, env);
          expect({ command, code }).toEqual({ command, code: 5 });
          expect(stderr).toContain('gwtoken: error: the keychain is still locked after 3 s\n');
        }
      },
    ],
  ])('%s', async ([, steps], { skip }) => {
    skip(missing !== undefined, missing);
    await steps();
  });
});
