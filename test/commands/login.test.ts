/** `gwtoken login` with broken keychains, files and streams. The rest is in test/sessions/text/login.txt. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { GwtokenError } from '../../src/errors';
import { readConfig } from '../../src/system/files/config-file';
import { entryPath } from '../../src/system/files/token-cache';
import { tokenReply } from '../harness/endpoints/token-endpoint';
import { EU_KEY, loginArgs, MACHINE } from '../harness/homes/client';
import { type Inside, inside } from '../harness/homes/in-process';

const AUTH_URL = 'https://a.example.com';
let gw: Inside;
beforeEach(() => {
  gw = inside();
  gw.env = {};
  gw.stdin = 'a secret';
});

describe('without prompts, login', () => {
  const login = (...flags: string[]) => gw.cli(loginArgs({ authUrl: AUTH_URL, clientId: 'id', flags }));
  const refused = async () => {
    const { code, stdout, stderr } = await login();
    expect([code, stdout, gw.posts.length, gw.items.size]).toEqual([2, '', 0, 0]);
    return stderr;
  };

  test('verifies within the timeout of the profile', async () => {
    gw.configure({ timeout: '8s', profiles: { acme: { timeout: '3s' } } });
    let limitMs = 0;
    gw.own = {
      postForm: (_, { timeoutMs }) => {
        limitMs = timeoutMs;
        return Promise.reject(new GwtokenError('unreached', 'no answer'));
      },
    };
    expect((await login('--profile', 'acme', '--retries', '0')).code).toBe(6);
    expect(limitMs).toBe(3000);
  });

  test('suggests the topic shells on Windows, where the shell is unknown', async () => {
    gw.own = { platform: 'win32' };
    expect((await login()).stderr).toMatch(/\nor: {3}gwtoken help shells\n$/);
  });

  test('suggests commands with the CA file that was passed as a flag', async () => {
    gw.own = { checkCaFile: async () => {} };
    const { stderr } = await login('--ca-file', 'my ca.pem');
    expect(stderr).toMatch(/\nNext: gwtoken get --ca-file 'my ca\.pem'\nor: /);
  });

  test('warns of a cached token that it cannot remove', async () => {
    // Not even root can remove a directory as a file.
    mkdirSync(join(entryPath(gw.cache, EU_KEY), 'x'), { recursive: true, mode: 0o700 });
    const { code, stderr } = await login();
    expect(code).toBe(0);
    expect(stderr).toMatch(/^gwtoken: warning: could not remove a cached token: .*token\.json \(.*\)\n/);
  });

  test('rejects a secret that it cannot read', async () => {
    gw.own = { stdin: { isTTY: () => false, read: () => Promise.reject(new Error('read EIO')) } };
    expect(await refused()).toBe(
      'gwtoken: error: the client secret from stdin cannot be read (read EIO)\n' +
        'hint: provide only the secret, on one line of UTF-8\n',
    );
  });

  test('changes nothing if the keychain does not store the item', async () => {
    await login();
    const set = () => Promise.reject(new GwtokenError('keychain', 'the keychain denied access'));
    gw.own = { keychain: { ...gw.keychain, set } };
    expect((await login('--auth-url', 'https://b.example.com')).code).toBe(5);
    gw.own = {};
    expect(await gw.get('--fresh')).toBe('token-3');
    expect(gw.posts.map(({ url }) => new URL(url).host)).toEqual([
      'a.example.com',
      'b.example.com',
      'a.example.com',
    ]);
  });

  test('only warns if the config file cannot be written', async () => {
    const edit = () => Promise.reject(new GwtokenError('local', 'cannot write config.json'));
    const config = { read: () => readConfig('/none', MACHINE), checkWritable: async () => {}, edit };
    gw.own = { config: config as never };
    const { code, stderr } = await login();
    expect([code, stderr.split('\n')[0]]).toEqual([
      0,
      'gwtoken: warning: region eu is not the default: cannot write config.json; use --region or export GWTOKEN_REGION',
    ]);
    gw.own = {};
    expect(await gw.get('--region', 'eu')).toBe('token-2');
  });

  test('takes the auth URL and the client ID of a stored client', async () => {
    await login();
    gw.stdin = 'a new secret';
    expect((await gw.cli(['login', '--secret-stdin'])).code).toBe(0);
    expect(gw.posts.map(({ url, form }) => [url, form.get('client_id'), form.get('client_secret')])).toEqual([
      [`${AUTH_URL}/oauth2/token`, 'id', 'a secret'],
      [`${AUTH_URL}/oauth2/token`, 'id', 'a new secret'],
    ]);
  });

  describe('if the keychain fails while it stores the item,', () => {
    const MAYBE = 'the credentials may be stored; to remove them, run: gwtoken logout --region eu';
    const failToSet = () => {
      const set = async (name: string, value: string) => {
        gw.items.set(name, value);
        throw new GwtokenError('keychain', 'the keychain did not answer within 60 s');
      };
      gw.own = { keychain: { ...gw.keychain, set } };
    };

    test('says that the credentials may be stored, and how to remove them', async () => {
      failToSet();
      const { code, stderr } = await login();
      expect([code, stderr]).toEqual([
        5,
        `gwtoken: error: the keychain did not answer within 60 s\nhint: ${MAYBE}\n`,
      ]);
      gw.own = {};
      expect((await gw.cli(['logout', '--region', 'eu', '--yes'])).code).toBe(0);
      expect(gw.items.size).toBe(0);
    });

    test('tells the same after a signal', async () => {
      gw.own = { keychain: { ...gw.keychain, set: gw.interrupt } };
      expect(await login()).toMatchObject({ code: 130, stderr: `Cancelled, but ${MAYBE}\n` });
    });
  });
});

describe('with prompts, login', () => {
  const login = (...flags: string[]) => gw.cli(['login', '--auth-url', AUTH_URL, ...flags]);

  test('checks that it can write the config file before it prompts', async () => {
    gw.typed = [];
    const fail = () => Promise.reject(new GwtokenError('local', 'it cannot be used'));
    gw.own = { config: { read: () => readConfig('/none', MACHINE), checkWritable: fail } as never };
    expect((await login()).stderr).toBe('gwtoken: error: it cannot be used\n');
  });

  test('stores the credentials that are accepted after two refusals', async () => {
    gw.typed = ['us', 'first', 'one', 'second', 'two', 'third', 'three'];
    gw.answer = (post) =>
      post === 3 ? tokenReply(post) : { status: 401, body: { error: 'invalid_client' } };
    expect((await login()).code).toBe(0);
    const item = JSON.parse(gw.items.get('default:production:us') ?? 'null');
    expect(item).toMatchObject({ client_id: 'third', client_secret: 'three' });
  });

  test('never sends credentials that are too long for an item', async () => {
    gw.typed = ['us', 'id', 'secret', 'id', 's'.repeat(2600)];
    gw.answer = () => ({ status: 401, body: { error: 'invalid_client' } });
    expect((await login()).stderr).toContain('error: the credentials are too long');
    expect(gw.posts).toHaveLength(1);
  });
});
