/** `gwtoken get`: whose credentials it takes, and which command lines the quick path leaves to the CLI. */
import { beforeEach, expect, test } from 'vitest';
import { type Inside, inside } from '../harness/homes/in-process';

let gw: Inside;
beforeEach(() => {
  gw = inside();
});

test('a profile that a variable names takes credentials from variables, and one of a flag does not', async () => {
  gw.env['GWTOKEN_PROFILE'] = 'acme';
  expect(await gw.get()).toBe('token-1');
  expect(gw.posts[0]?.form.get('client_id')).toBe(gw.env['GWTOKEN_CLIENT_ID']);
  const { code, stderr } = await gw.cli(['get', '--profile', 'other']);
  expect(code).toBe(4);
  expect(stderr).toContain('GWTOKEN_CLIENT_ID is ignored because of --profile');
});

test('the sandbox never takes the keychain item of production', async () => {
  const { GWTOKEN_AUTH_URL: authUrl = '' } = gw.env;
  gw.env = { GWTOKEN_REGION: 'eu', GWTOKEN_AUTH_URL: authUrl };
  await gw.login({ authUrl, flags: ['--no-verify'] });
  expect((await gw.cli(['get', '--sandbox'])).code).toBe(4);
  expect(gw.posts).toEqual([]);
});

test('the quick path leaves an unknown config key to the CLI, which names it', async () => {
  await gw.get();
  expect(await gw.quick(['get'])).toBe('token-1\n');
  gw.configure({ regoin: 'us' });
  expect(await gw.quick(['get'])).toBeUndefined();
  expect((await gw.cli(['get'])).stderr).toContain('unknown config key "regoin"');
});
