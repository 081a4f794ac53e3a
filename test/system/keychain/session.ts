import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type IdentityServer, startIdentityServer } from '../../harness/endpoints/identity-server';
import { UNHURRIED } from '../../harness/keyrings/keyring';
import { missing, type Need } from '../../harness/needs';
import { CLIENT, doctorsKeychain, run, SECRET } from './keychain-runs';

interface TestedKeyring {
  readonly env: Readonly<Record<string, string>>;
  /** Returns an account's secret, read by a program other than gwtoken; undefined if it has no item. */
  lookup(account: string): Promise<string | undefined>;
  lock(): Promise<void>;
  /** Unlocks the keyring after gwtoken has found it locked. */
  unlock(): Promise<void>;
  /** Answers the dialog that opens at the first use in a session, or when a program reads an item. */
  readonly allows: { readonly firstUse?: () => Promise<void>; readonly reading?: () => Promise<void> };
}

/** Tests one session from login to logout. gwtoken prints the same with each keyring. */
export function testSession(need: Need, start: () => Promise<TestedKeyring>): void {
  describe(need, () => {
    let keyring: TestedKeyring;
    let identity: IdentityServer;
    let env: Record<string, string>;
    beforeEach(({ needs }) => needs(need));
    beforeAll(async () => {
      if (missing(need) !== undefined) return;
      keyring = await start();
      const clients = ['first', 'second'].map((clientId) => ({ clientId, clientSecret: SECRET }));
      identity = await startIdentityServer({ clients });
      env = { ...keyring.env, ...UNHURRIED, GWTOKEN_AUTH_URL: identity.authUrl };
    });

    async function runAllowed(args: string, asks?: keyof TestedKeyring['allows']) {
      const [result] = await Promise.all([run(args, env), asks && keyring.allows[asks]?.()]);
      return result;
    }
    const newest = () => ({ code: 0, stdout: `${identity.issued.at(-1)}\n`, stderr: '' });
    const storedId = async () => JSON.parse((await keyring.lookup(CLIENT)) ?? '{}').client_id;
    /** Returns variables with a limit of 6 s: gwtoken asks the bus after 2 s, which takes time on a busy machine. */
    const limited = () => ({ ...env, GWTOKEN_KEYCHAIN_TIMEOUT: '6' });
    const LOCKED = /^gwtoken: error: the keychain is locked\nhint: unlock it/;
    const firstLine = (text: string) => text.split('\n')[0];

    test('login stores the credentials', async () => {
      const login = await runAllowed('login --client-id first --secret-stdin', 'firstUse');
      expect(login).toMatchObject({ code: 0, stdout: '' });
      expect(firstLine(login.stderr)).toBe(`Credentials verified and stored in the keychain as ${CLIENT}`);
      expect(await storedId()).toBe('first');
    });

    test('get --fresh reads the credentials, and the next get uses the cached token', async () => {
      expect(await runAllowed('get --fresh', 'reading')).toMatchObject(newest());
      const requests = identity.issued.length;
      expect(await runAllowed('get')).toMatchObject(newest());
      expect(identity.issued).toHaveLength(requests);
    });

    test('get reports missing credentials for a client that is not stored', async () => {
      const none = await runAllowed('get --profile other');
      expect(none).toMatchObject({ code: 4, stdout: '' });
      expect(none.stderr).toMatch(/^gwtoken: error: no credentials found for other:production:eu\nhint: /);
    });

    test('a second login replaces the credentials', async () => {
      const login = await runAllowed('login --client-id second --secret-stdin', 'reading');
      expect(login).toMatchObject({ code: 0, stdout: '' });
      expect(firstLine(login.stderr)).toBe(
        `Credentials verified and stored in the keychain as ${CLIENT}, replacing the previous ones`,
      );
      expect(await storedId()).toBe('second');
    });

    test('status lists the stored client', async () => {
      const status = await runAllowed('status');
      expect(status).toMatchObject({ code: 0, stdout: expect.stringContaining(`* ${CLIENT}  second`) });
    });

    test('doctor reports the keychain item that it has read', async () => {
      const [doctor] = await Promise.all([doctorsKeychain(env), keyring.allows.reading?.()]);
      expect(doctor).toEqual({ code: 0, result: 'ok', message: `keychain item gwtoken, ${CLIENT}` });
    });

    test('get reports a locked keyring within the limit', async () => {
      await keyring.lock();
      const get = await run('get --fresh', limited());
      expect(get).toMatchObject({ code: 5, stdout: '' });
      expect(get.stderr).toMatch(LOCKED);
    });

    // Either client may be stored now: KeePassXC can lose a change that it receives while it saves another.
    test('get reads the credentials once the keyring is unlocked again', async () => {
      await keyring.unlock();
      expect(await runAllowed('get --fresh', 'reading')).toMatchObject(newest());
    });

    test('logout removes the secret, and can be repeated until nothing is left', async () => {
      const list = join(env['XDG_CONFIG_HOME'] ?? '', 'gwtoken', 'clients.json');
      const before = readFileSync(list);
      const logout = await runAllowed('logout --yes', 'reading');
      expect(logout).toMatchObject({ code: 0, stdout: '' });
      expect(firstLine(logout.stderr)).toBe(`Removed ${CLIENT}`);
      expect(await keyring.lookup(CLIENT)).toBeUndefined();
      // As if the logout had been killed before it changed the list.
      writeFileSync(list, before);
      const again = await runAllowed('logout --yes');
      expect([again.code, firstLine(again.stderr)]).toEqual([0, `Removed ${CLIENT}`]);
      const last = await runAllowed('logout --yes');
      expect(last).toMatchObject({ code: 4, stdout: '' });
      expect(firstLine(last.stderr)).toBe(
        `gwtoken: error: no stored credentials or cached tokens for ${CLIENT}`,
      );
    });

    test('logout --all removes an item that is in no list, whatever variables say', async () => {
      expect(await runAllowed('login --client-id first --secret-stdin')).toMatchObject({ code: 0 });
      rmSync(join(env['XDG_CONFIG_HOME'] ?? '', 'gwtoken'), { recursive: true });
      Object.assign(env, { GWTOKEN_CLIENT_ID: 'job', GWTOKEN_CLIENT_SECRET: SECRET });
      const logout = await runAllowed('logout --all --yes', 'reading');
      expect([logout.code, firstLine(logout.stderr)]).toEqual([0, `Removed ${CLIENT}`]);
      expect(await keyring.lookup(CLIENT)).toBeUndefined();
      expect((await runAllowed('logout --all --yes')).code).toBe(4);
    });
  });
}
