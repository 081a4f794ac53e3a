/** The answers of the quick path, and what it leaves to the CLI; that both agree is the differential's. */
import { beforeEach, expect, test } from 'vitest';
import { type Inside, inside } from '../harness/homes/in-process';

let gw: Inside;
beforeEach(async () => {
  gw = inside();
  await gw.get();
});

test.each([
  'get',
  'get --region eu',
  'get --region=eu',
  'get -r eu',
  'get --no-sandbox',
  'get --format token',
  'get --output -',
])('%s prints the cached token', async (line) => {
  expect(await gw.quick(line.split(' '))).toBe('token-1\n');
});

test('env is answered, in its formats and with its prefix', async () => {
  expect(await gw.quick(['env'])).toMatch(/^GWTOKEN_ACCESS_TOKEN='token-1';/);
  expect(await gw.quick(['env', '--format=fish', '--prefix', 'EU_'])).toMatch(/^set -gx EU_ACCESS_TOKEN /);
});

test('an unknown config key is left to the CLI, which names it', async () => {
  gw.configure({ regoin: 'us' });
  expect(await gw.quick(['get'])).toBeUndefined();
  expect((await gw.cli(['get'])).stderr).toContain('unknown config key "regoin"');
});

test.each([
  'status',
  'get --fresh',
  'get --verbose',
  'get -v',
  'get --no-cache',
  'get --cache',
  'get --region us',
  'get --region',
  'get --no-region eu',
  'get -r=eu',
  'get --sandbox=true',
  'get --no-fresh',
  'get --unknown',
  'get word',
  'get --format unknown',
  'get --min-ttl 2h',
  'get --output file',
  'env --unset',
  'env --format github-env',
])('%s is left to the CLI', async (line) => {
  expect(await gw.quick(line.split(' '))).toBeUndefined();
});
