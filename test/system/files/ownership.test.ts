/** Owners and modes: what is trusted, and what gwtoken never writes into. */
import { readdirSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { withoutVariables } from '../../harness/homes/client';
import { type Inside, inside } from '../../harness/homes/in-process';

/** Whose a cached token is, and when it is dropped. */
let gw: Inside;
beforeEach(() => {
  gw = inside();
});

describe('a token belongs to its credentials and address', () => {
  test('variables and the keychain never get each other’s, and a warm call opens no keychain', async () => {
    await gw.get();
    const item = { client_id: 'stored', client_secret: 's', auth_url: 'https://a.example.com' };
    gw.items.set('default:production:eu', JSON.stringify(item));
    const { env } = gw;
    gw.env = withoutVariables(env);
    expect(await gw.get()).toBe('token-2');
    expect(gw.keychainCalls).toBe(1);
    expect(await gw.get()).toBe('token-2');
    expect(gw.keychainCalls).toBe(1);
    gw.env = env;
    expect(await gw.get()).toBe('token-3');
    expect(gw.posts.map(({ form }) => form.get('client_id'))).toEqual(['client', 'stored', 'client']);
  });

  test('a login that could not reach the cache leaves no token of the client before', async () => {
    const keychainOnly = withoutVariables(gw.env);
    gw.env = keychainOnly;
    const login = ['login', '--client-id', 'first', '--secret-stdin', '--auth-url', 'https://a.example.com'];
    gw.stdin = 'one';
    expect(await gw.cli(login)).toMatchObject({ code: 0 });
    expect(await gw.get()).toBe('token-1');
    gw.env = { ...keychainOnly, GWTOKEN_CACHE_DIR: `${gw.cache}-of-another-shell` };
    gw.stdin = 'two';
    expect(await gw.cli(login.with(2, 'second'))).toMatchObject({ code: 0 });
    gw.env = keychainOnly;
    expect(await gw.quick(['get'])).toBeUndefined();
    expect((await gw.cli(['status', '--json'])).stdout).not.toContain('expires_at');
    expect(await gw.get()).toBe('token-3');
    expect(await gw.quick(['get'])).toBe('token-3\n');
    expect(gw.posts.at(-1)?.form.get('client_id')).toBe('second');
  });

  test('config set and unset credential-command drop them, with --profile those of that profile', async () => {
    await gw.get();
    await gw.get('--region', 'us');
    // Its name in a file's looks as if there were more of it.
    gw.env['GWTOKEN_PROFILE'] = 'acme-sandbox-eu';
    await gw.get();
    const left = () => readdirSync(gw.cache).filter((file) => file.endsWith('.json'));
    expect(left().length).toBe(3);
    const set = ['config', 'set', 'credential-command', 'true'];
    expect(await gw.cli([...set, '--profile', 'acme-sandbox-eu'])).toMatchObject({ code: 0 });
    expect(left()).toEqual(['token-default-production-eu.json', 'token-default-production-us.json']);
    expect(await gw.cli(set)).toMatchObject({ code: 0 });
    expect(left()).toEqual([]);
    await gw.get();
    for (const key of ['retries', 'credential-command']) {
      expect(left()).toEqual(['token-acme-sandbox-eu-production-eu.json']);
      gw.configure({ retries: 1, 'credential-command': 'true' });
      expect(await gw.cli(['config', 'unset', key])).toMatchObject({ code: 0 });
    }
    expect(left()).toEqual([]);
  });
});
