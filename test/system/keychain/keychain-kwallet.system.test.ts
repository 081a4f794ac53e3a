/** KWallet, which is locked at the start of each session, and asks for its password when something is wanted of it. */
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type KWallet, kwalletAvailable, startKWallet } from '../../harness/keyrings/kwallet';
import { ROOT } from '../../harness/root';
import { CLIENT, LOGIN, run } from './keychain-runs';
import { programWith, SECRET } from './keytar-in-place';

const missing = kwalletAvailable();

/**
 * The real module, whose first session is one of those, one in a hundred, in which KWallet has the wrong key: it refuses
 * the session, cannot decrypt what is to be stored, or what is read comes out as null.
 */
const REFUSED = "throw new Error('Client public key size is invalid')";
const NOT_DECRYPTED = 'throw new Error("Can\'t find session /org/freedesktop/secrets/session/4")';
/** By its file: the executable reads no package.json that would name it. */
const REAL = JSON.stringify(join(ROOT, 'node_modules', 'keytar', 'lib', 'keytar.js'));
const firstSession = (reads: string, stores: string) => `
const { existsSync, writeFileSync } = require('node:fs');
const isFirst = !existsSync(__dirname + '/first');
writeFileSync(__dirname + '/first', '');
const real = require(${REAL});
const unlucky = { getPassword: async () => { ${reads} }, setPassword: async () => { ${stores} }, deletePassword: async () => false };
module.exports = isFirst ? unlucky : real;`;

/** The real module, but what it stores first is as if another login had stored the old value after it. */
const OVERWRITTEN = `
const { existsSync, writeFileSync } = require('node:fs');
const real = require(${REAL});
module.exports = {
  ...real,
  async setPassword(service, account, value) {
    if (service !== 'gwtoken' || existsSync(__dirname + '/first')) return real.setPassword(service, account, value);
    writeFileSync(__dirname + '/first', '');
  },
};`;

describe('KWallet', () => {
  let wallet: KWallet;
  beforeAll(async () => {
    if (missing === undefined) wallet = await startKWallet();
  });

  const locked = {
    code: 5,
    stderr: expect.stringMatching(/^gwtoken: error: the keychain is locked\nhint: /),
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
      'a login whose dialog unlocks it stores',
      async () => {
        expect(await runAnswering(LOGIN, 'unlock')).toMatchObject({ code: 0 });
        expect(await storedId()).toBe('eu-client');
      },
    ],
    [
      'a session with the wrong key is followed by another, which has what is asked for',
      async () => {
        const unlucky = (args: string, reads: string, stores: string) =>
          programWith(firstSession(reads, stores)).run(args.split(' '), wallet.env, SECRET);
        expect(await unlucky('get', REFUSED, REFUSED)).toMatchObject({ code: 6 });
        expect(await unlucky('get', 'return null', REFUSED)).toMatchObject({ code: 6 });
        expect(await unlucky('get --profile other', REFUSED, REFUSED)).toMatchObject({ code: 4 });
        expect(await unlucky('doctor --json', REFUSED, REFUSED)).toMatchObject({
          stdout: expect.stringContaining('stored, read and deleted a test item'),
        });
        expect(
          await unlucky(LOGIN.replace('eu-client', 'third'), 'return null', NOT_DECRYPTED),
        ).toMatchObject({
          code: 0,
        });
        expect(await storedId()).toBe('third');
        expect(await unlucky('logout', 'return null', REFUSED)).toMatchObject({ code: 0 });
        expect(await wallet.lookup(CLIENT)).toBeUndefined();
        expect(await runAnswering(LOGIN.replace('eu-client', 'second'))).toMatchObject({ code: 0 });
      },
    ],
    [
      'a login whose item another login overwrites with the old value stores it again',
      async () => {
        const { run: runOverwritten } = programWith(OVERWRITTEN);
        const login = LOGIN.replace('eu-client', 'fourth').split(' ');
        expect(await runOverwritten(login, wallet.env, SECRET)).toMatchObject({ code: 0 });
        expect(await storedId()).toBe('fourth');
        expect(await runAnswering(LOGIN.replace('eu-client', 'second'))).toMatchObject({ code: 0 });
      },
    ],
    [
      'in a new session it is locked, and get or logout asks for it: dismissed, unlocked',
      async () => {
        await wallet.lock();
        expect(await runAnswering('get', 'dismiss')).toMatchObject(locked);
        expect(await runAnswering('logout', 'dismiss')).toMatchObject(locked);
        expect(await runAnswering('get', 'unlock')).toMatchObject({ code: 6 });
        expect(await storedId()).toBe('second');
      },
    ],
    [
      'the first logout of a session removes the secret',
      async () => {
        await wallet.lock();
        expect(await runAnswering('logout', 'unlock')).toMatchObject({ code: 0 });
        expect(await wallet.lookup(CLIENT)).toBeUndefined();
      },
    ],
  ])('%s', async ([, steps], { skip }) => {
    skip(missing !== undefined, missing);
    await steps();
  });
});
