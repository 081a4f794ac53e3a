import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { cleaningUp, onCleanup } from './clean-up';
import { makeAuthority } from './endpoints/authority';
import { CLIENT, startIdentityServer } from './endpoints/identity-server';
import { filesBelow } from './homes/files';
import { openHome } from './homes/home';
import { startKeyring } from './keyrings/keyring';
import { until } from './programs/processes';
import { openTerminal } from './programs/terminal';

describe('what is opened', () => {
  const ended: string[] = [];
  onCleanup(() => expect(ended).toEqual(['within', 'second', 'first']));

  test('ends with what it was opened in, the last first', async () => {
    onCleanup(() => ended.push('first'));
    onCleanup(async () => ended.push('second'));
    await cleaningUp(async () => onCleanup(() => ended.push('within')));
    expect(ended).toEqual(['within']);
  });

  test('has ended when the next test begins', () => {
    expect(ended).toEqual(['within', 'second', 'first']);
  });

  test('ends all the same when one of it cannot be ended', async () => {
    const seen: string[] = [];
    const work = cleaningUp(async () => {
      onCleanup(() => seen.push('ended'));
      onCleanup(() => Promise.reject(new Error('stuck')));
    });
    await expect(work).rejects.toThrow('stuck');
    expect(seen).toEqual(['ended']);
  });
});

describe('the identity server', () => {
  const ask = (authUrl: string, secret = CLIENT.clientSecret, signal: AbortSignal | null = null) =>
    fetch(`${authUrl}/oauth2/token`, {
      method: 'POST',
      signal,
      body: new URLSearchParams({
        client_id: CLIENT.clientId,
        client_secret: secret,
        grant_type: 'client_credentials',
      }),
    });

  test('gives a token to a client of its region, and records the request', async () => {
    const identity = await startIdentityServer({ ttlSeconds: 90 });
    const response = await ask(identity.authUrl);
    const reply = (await response.json()) as Record<string, unknown>;

    expect(response.status).toBe(200);
    expect(reply).toEqual({
      access_token: expect.stringMatching(/^[\w-]{20,}$/),
      expires_in: 90,
      scope: '',
      token_type: 'Bearer',
    });
    expect(identity.issued).toEqual([reply['access_token']]);
    expect(identity.requests).toMatchObject([{ method: 'POST', path: '/oauth2/token', status: 200 }]);
    expect(identity.requests[0]?.body).toBe(
      'client_id=client&client_secret=secret%2B%2F%3D%26&grant_type=client_credentials',
    );
  });

  test('refuses a wrong secret, and a client that it does not know', async () => {
    const identity = await startIdentityServer();
    const stranger = await startIdentityServer({ region: 'us', clients: [] });
    for (const response of [await ask(identity.authUrl, 'wrong'), await ask(stranger.authUrl)]) {
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({ error: 'invalid_client' });
    }
    expect(identity.issued).toEqual([]);
  });

  test('can be slow, and can hang', async () => {
    const identity = await startIdentityServer();
    identity.delayMs = 200;
    const started = performance.now();
    expect((await ask(identity.authUrl)).status).toBe(200);
    expect(performance.now() - started).toBeGreaterThan(190);

    identity.hang = true;
    const patience = new AbortController();
    const hanging = ask(identity.authUrl, undefined, patience.signal);
    await until('it has asked', () => identity.requests.length === 2);
    expect(await Promise.race([hanging, sleep(300, 'silence')])).toBe('silence');
    patience.abort();
    await expect(hanging).rejects.toThrow(/aborted/);
    expect(identity.requests.map(({ status }) => status)).toEqual([200, undefined]);
  });

  test('speaks https with a certificate of a CA made on the spot', async () => {
    const authority = makeAuthority();
    const identity = await startIdentityServer({ tls: authority.issue() });
    const head = (ca?: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const options = { method: 'HEAD', agent: false, ...(ca === undefined ? {} : { ca }) };
        request(identity.authUrl, options, (response) => resolve(response.statusCode))
          .once('error', reject)
          .end();
      });
    await expect(head()).rejects.toMatchObject({ code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
    expect(await head(authority.ca)).toBe(404);
  });
});

describe('the keyring', () => {
  const account = 'default:production:eu';
  test('unlocked, it gives back what was stored, and leaves nothing behind', async ({ needs }) => {
    needs('keyring');
    const keyring = await startKeyring({ state: 'unlocked', seed: { [account]: '{"client_id":"ü"}' } });
    expect(await keyring.lookup(account)).toBe('{"client_id":"ü"}');
    expect(await keyring.lookup('another')).toBeUndefined();
    await keyring.stop();
    expect(existsSync(keyring.home)).toBe(false);
    expect(() => process.kill(keyring.daemonPid ?? -1, 0)).toThrow('ESRCH');
  });

  test('locked, without a collection or without a provider, it gives nothing', async ({ needs }) => {
    needs('keyring');
    const keyrings = await Promise.all([
      startKeyring({ state: 'locked', seed: { [account]: 'secret' } }),
      startKeyring({ state: 'none' }),
      startKeyring({ state: 'no-provider' }),
    ]);
    for (const keyring of keyrings) expect(await keyring.lookup(account)).toBeUndefined();
    expect(keyrings.map(({ daemonPid }) => typeof daemonPid)).toEqual(['number', 'number', 'undefined']);
  });
});

describe('the program', () => {
  test('has a fresh home whose files are found, and tests do not see the developer’s settings', () => {
    const home = openHome();
    writeFileSync(join(home.dir, 'home', 'a'), 'b');
    mkdirSync(home.cache, { recursive: true });
    expect([...filesBelow(home.dir)]).toEqual([['home/a', Buffer.from('b')]]);
    for (const name of Object.keys(process.env))
      expect(name).not.toMatch(/^(NODE_EXTRA_CA|FORCE_COLOR|GWTOKEN_)/);
  });
});

describe('the terminal', () => {
  test.skipIf(process.platform === 'win32')('shows a prompt, takes an answer, tells the end', async () => {
    const script =
      '[ -t 0 ] && stty -echo && printf "\\033[1mSecret:\\033[0m " && read -r a && echo "got $a" && exit 3';
    const terminal = openTerminal(['sh', '-c', script], { env: {} });
    await terminal.waitFor(/Secret: $/);
    terminal.type('hush\r');
    expect(await terminal.exit).toEqual({ code: 3, signal: null });
    expect(terminal.screen()).toBe('Secret: got hush\n');
    expect(terminal.raw()).toContain('\x1b[1mSecret:');
    await expect(terminal.waitFor('more')).rejects.toThrow('ended without more');
  });
});
