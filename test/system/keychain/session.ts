import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type IdentityServer, startIdentityServer } from '../../harness/endpoints/identity-server';
import { missing, type Need } from '../../harness/needs';
import { CLIENT, doctorsKeychain, run, SECRET } from './keychain-runs';

/** A keyring, and what its person does. */
interface Tried {
  readonly env: Readonly<Record<string, string>>;
  /** The secret of an account, as another program than gwtoken reads it; undefined if there is none. */
  lookup(account: string): Promise<string | undefined>;
  lock(): Promise<void>;
  /** After a program has met it locked. */
  unlock(): Promise<void>;
  /** Allows what is asked when a program is the first of the session to use it, or reads an item. */
  readonly allows: { readonly firstUse?: () => Promise<void>; readonly reading?: () => Promise<void> };
}

/** Tests a session with a keyring: what gwtoken says is the same with each, whatever its person is asked. */
export function testSession(need: Need, start: () => Promise<Tried>): void {
  describe(need, () => {
    let keyring: Tried;
    let identity: IdentityServer;
    let env: Record<string, string>;
    beforeEach(({ needs }) => needs(need));
    beforeAll(async () => {
      if (missing(need) !== undefined) return;
      keyring = await start();
      const clients = ['first', 'second'].map((clientId) => ({ clientId, clientSecret: SECRET }));
      identity = await startIdentityServer({ clients });
      env = { ...keyring.env, GWTOKEN_AUTH_URL: identity.authUrl };
    });

    /** Runs it, while the person allows what it leads to. */
    async function runAllowed(args: string, asks?: keyof Tried['allows']) {
      const [result] = await Promise.all([run(args, env), asks && keyring.allows[asks]?.()]);
      return result;
    }
    const newest = () => ({ code: 0, stdout: `${identity.issued.at(-1)}\n`, stderr: '' });
    const storedId = async () => JSON.parse((await keyring.lookup(CLIENT)) ?? '{}').client_id;
    /** Where nobody will answer. After two seconds the bus is asked, which needs time on a busy machine. */
    const limited = () => ({ ...env, GWTOKEN_KEYCHAIN_TIMEOUT: '6' });
    const LOCKED = /^gwtoken: error: the keychain is locked\nhint: unlock it/;
    const firstLine = (text: string) => text.split('\n')[0];

    test('a first login stores the credentials', async () => {
      const login = await runAllowed('login --client-id first --secret-stdin', 'firstUse');
      expect(login).toMatchObject({ code: 0, stdout: '' });
      expect(firstLine(login.stderr)).toBe(`Credentials verified and stored in the keychain as ${CLIENT}`);
      expect(await storedId()).toBe('first');
    });

    test('get reads them for a token, and another get takes it from the cache', async () => {
      expect(await runAllowed('get --fresh', 'reading')).toMatchObject(newest());
      const requests = identity.issued.length;
      expect(await runAllowed('get')).toMatchObject(newest());
      expect(identity.issued).toHaveLength(requests);
    });

    test('a client that is not there has no credentials', async () => {
      const none = await runAllowed('get --profile other');
      expect(none).toMatchObject({ code: 4, stdout: '' });
      expect(none.stderr).toMatch(
        /^gwtoken: error: no credentials found for other:production:eu\nhint: to store credentials, run: gwtoken login/,
      );
    });

    test('a second login replaces them', async () => {
      const login = await runAllowed('login --client-id second --secret-stdin', 'reading');
      expect(login).toMatchObject({ code: 0, stdout: '' });
      expect(firstLine(login.stderr)).toBe(
        `Credentials verified and stored in the keychain as ${CLIENT}, replacing the previous ones`,
      );
      expect(await storedId()).toBe('second');
    });

    test('status lists the client', async () => {
      const status = await runAllowed('status');
      expect(status).toMatchObject({ code: 0, stdout: expect.stringContaining(`* ${CLIENT}  second`) });
    });

    test('doctor finds nothing amiss', async () => {
      const [doctor] = await Promise.all([doctorsKeychain(env), keyring.allows.reading?.()]);
      expect(doctor).toEqual({ code: 0, result: 'ok', message: 'answered' });
    });

    test('locked, with nobody to unlock it, it ends get within the limit', async () => {
      await keyring.lock();
      const get = await run('get --fresh', limited());
      expect(get).toMatchObject({ code: 5, stdout: '' });
      expect(get.stderr).toMatch(LOCKED);
    });

    // Not whether it is the second client: a busy KeePassXC may lose a change that comes while it saves another.
    test('unlocked again, it gives get the credentials', async () => {
      await keyring.unlock();
      expect(await runAllowed('get --fresh', 'reading')).toMatchObject(newest());
    });

    test('logout removes the secret, and afterwards there is none', async () => {
      const logout = await runAllowed('logout --yes', 'reading');
      expect(logout).toMatchObject({ code: 0, stdout: '' });
      expect(firstLine(logout.stderr)).toBe(`Removed ${CLIENT}`);
      expect(await keyring.lookup(CLIENT)).toBeUndefined();
      const get = await runAllowed('get');
      expect(firstLine(get.stderr)).toBe(`gwtoken: error: no credentials found for ${CLIENT}`);
      expect(get).toMatchObject({ code: 4, stdout: '' });
      const again = await runAllowed('logout --yes');
      expect(again).toMatchObject({ code: 4, stdout: '' });
      expect(firstLine(again.stderr)).toBe(`gwtoken: error: no stored credentials for ${CLIENT}`);
    });
  });
}
