/** KWallet, which is locked at the start of each session, and asks for its password when something is wanted of it. */
import { beforeAll, describe, expect, test } from 'vitest';
import { type KWallet, kwalletAvailable, startKWallet } from '../../harness/keyrings/kwallet';
import { CLIENT, doctorStages, LOGIN, run } from './keychain-runs';

const missing = kwalletAvailable();

describe('KWallet', () => {
  let wallet: KWallet;
  beforeAll(async () => {
    if (missing === undefined) wallet = await startKWallet();
  });

  const locked = {
    code: 5,
    stderr: expect.stringMatching(/^gwtoken: error: the keychain is locked\b.*\nhint: /),
  };
  const storedId = async () => JSON.parse((await wallet.lookup(CLIENT)) ?? '{}').client_id;
  async function runAnswering(args: string, ...answers: readonly ('unlock' | 'dismiss')[]) {
    const running = run(args, wallet.env);
    for (const answer of answers) await wallet.answer(answer);
    return await running;
  }

  test.for<[string, () => Promise<void>]>([
    [
      'a login that may not unlock it stores nothing',
      async () => {
        expect(await runAnswering(LOGIN, 'dismiss')).toMatchObject(locked);
        expect((await run('status --json', wallet.env)).stdout).not.toContain('eu-client');
      },
    ],
    [
      'a login unlocks it and stores, and a second one replaces',
      async () => {
        expect(await runAnswering(LOGIN, 'unlock')).toMatchObject({ code: 0 });
        expect(await storedId()).toBe('eu-client');
        expect(await runAnswering(LOGIN.replace('eu-client', 'second'))).toMatchObject({ code: 0 });
        expect(await storedId()).toBe('second');
      },
    ],
    [
      'open, it gives what is in it, and doctor finds nothing amiss',
      async () => {
        expect(await runAnswering('get')).toMatchObject({ code: 6 });
        expect(await runAnswering('status --check')).toMatchObject({ code: 6 });
        expect((await doctorStages(wallet.env)).stages.at(-1)).toBe('round trip: ok');
      },
    ],
    [
      'in a new session it is locked: dismissed, silent, unlocked',
      async () => {
        await wallet.startSession();
        expect(await runAnswering('get', 'dismiss')).toMatchObject(locked);
        expect(await runAnswering('logout', 'dismiss')).toMatchObject(locked);
        const silent = await run('get', { ...wallet.env, GWTOKEN_KEYCHAIN_TIMEOUT: '3' });
        expect(silent).toMatchObject(locked);
        // Whose dialog still stands there.
        await wallet.startSession();
        expect(await runAnswering('get', 'unlock')).toMatchObject({ code: 6 });
        expect(await storedId()).toBe('second');
      },
    ],
    [
      'the first logout of a session removes the secret',
      async () => {
        await wallet.startSession();
        expect(await runAnswering('logout', 'unlock')).toMatchObject({ code: 0 });
        expect(await wallet.lookup(CLIENT)).toBeUndefined();
      },
    ],
  ])('%s', async ([, steps], { skip }) => {
    skip(missing !== undefined, missing);
    await steps();
  });
});
