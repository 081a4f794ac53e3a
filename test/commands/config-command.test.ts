/** config: what it writes, reads and says, in this process, of real files. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { inVariables } from '../harness/homes/client';
import { type Inside, inside } from '../harness/homes/in-process';

const A = 'https://a.example.com';
const GENERAL = { region: 'eu', sandbox: 'false', 'auth-url': 'https://{region}.id.example.com' };

let gw: Inside;
let file: string;
beforeEach(() => {
  gw = inside();
  gw.env = {};
  file = join(gw.config, 'config.json');
});

/** Runs it and expects success without a word on stderr; resolves with stdout. */
async function config(...args: string[]): Promise<string> {
  const result = await gw.cli(['config', ...args]);
  expect(result).toMatchObject({ code: 0, stderr: '' });
  return result.stdout;
}
/** What it says on stderr, with the exit code. */
async function said(...args: string[]): Promise<[code: number, stderr: string]> {
  const { code, stdout, stderr } = await gw.cli(['config', ...args]);
  expect(stdout).toBe('');
  return [code, stderr];
}

test('config set, get, list and unset work on general and profile values', async () => {
  for (const [key, value] of Object.entries(GENERAL)) await config('set', key, value);
  await config('set', 'timeout', '20s', '--profile', 'acme');
  await config('set', 'region', 'us', '-p', 'acme');

  expect(await config('get', 'region')).toBe('eu\n');
  expect(await config('get', 'region', '--profile', 'acme')).toBe('us\n');
  expect(await config('get', 'sandbox', '--profile', 'acme')).toBe('false\n');
  const acme = '[profile acme]\ntimeout = 20s\nregion = us\n';
  expect(await config('list')).toBe(
    `region = eu\nsandbox = false\nauth-url = https://{region}.id.example.com\n\n${acme}`,
  );
  expect(await config('list', '--profile', 'acme')).toBe(acme);
  const profiles = { acme: { timeout: '20s', region: 'us' } };
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ ...GENERAL, profiles });

  await config('unset', 'timeout', '-p', 'acme');
  for (const key of ['auth-url', 'sandbox', 'sandbox']) await config('unset', key);
  expect(await config('list')).toBe('region = eu\n\n[profile acme]\nregion = us\n');
  await config('unset', 'region', '-p', 'acme');
  expect(readFileSync(file, 'utf8')).toBe('{\n  "region": "eu"\n}\n');
});

test('config unset removes a key that is no more, which is an error everywhere else', async () => {
  gw.configure({ 'sandbox.auth-url.eu': A, profiles: { acme: { retries: 5 } } });
  const { code, stderr } = await gw.cli(['get']);
  expect(code).toBe(2);
  expect(stderr).toContain('to remove it, run: gwtoken config unset sandbox.auth-url.eu\n');
  await config('unset', 'sandbox.auth-url.eu');
  // What is not there needs nothing done; a key that every object has is none.
  await config('unset', 'retries', '--profile', 'other');
  expect((await said('unset', 'constructor'))[1]).toMatch(
    /^gwtoken: error: unknown config key "constructor" /,
  );
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ profiles: { acme: { retries: 5 } } });
});

test('config takes a profile named like a property of every object', async () => {
  await config('set', 'region', 'us', '-p', 'constructor');
  expect(await config('get', 'region', '-p', 'constructor')).toBe('us\n');
  expect(await said('get', 'region', '-p', 'tostring')).toEqual([
    2,
    `gwtoken: error: region is not set in ${file}\nhint: to set it, run: gwtoken config set region VALUE --profile tostring\n`,
  ]);
  await config('unset', 'region', '-p', 'constructor');
  const none = 'Profile constructor has no settings of its own.\n';
  expect(await said('list', '-p', 'constructor')).toEqual([0, none]);
  expect((await said('unset', 'retries', '-p', 'Acme'))[1]).toMatch(/error: invalid profile name "Acme"/);
  expect(await said('list')).toEqual([0, `Nothing is set in ${file}\n`]);
});

test('config get and set are of the general value, whatever the profile in use', async () => {
  gw.configure({ retries: 1, profiles: { acme: { retries: 5 } } });
  gw.env = { GWTOKEN_PROFILE: 'acme' };
  await config('set', 'retries', '2');
  expect(await config('get', 'retries')).toBe('2\n');
  expect(await config('get', 'retries', '-p', 'acme')).toBe('5\n');
});

test('a ca-file is stored by its absolute path', async () => {
  await config('set', 'ca-file', 'my.pem');
  expect(await config('get', 'ca-file')).toBe(`${join(process.cwd(), 'my.pem')}\n`);
});

test('config set and unset credential-command drop the cached tokens, with --profile those of that profile', async () => {
  gw.env = inVariables(A);
  await gw.get();
  await gw.get('--region', 'us');
  // Its name in a file's looks as if there were more of it.
  gw.env['GWTOKEN_PROFILE'] = 'acme-sandbox-eu';
  await gw.get();
  const left = () => readdirSync(gw.cache).filter((file) => file.endsWith('.json'));
  expect(left().length).toBe(3);
  const set = ['config', 'set', 'credential-command', 'true'];
  expect(await gw.cli([...set, '--profile', 'acme-sandbox-eu'])).toMatchObject({ code: 0 });
  expect(left()).toEqual(['default-production-eu.token.json', 'default-production-us.token.json']);
  expect(await gw.cli(set)).toMatchObject({ code: 0 });
  expect(left()).toEqual([]);
  await gw.get();
  for (const key of ['retries', 'credential-command']) {
    expect(left()).toEqual(['acme-sandbox-eu-production-eu.token.json']);
    gw.configure({ retries: 1, 'credential-command': 'true' });
    expect(await gw.cli(['config', 'unset', key])).toMatchObject({ code: 0 });
  }
  expect(left()).toEqual([]);
});
