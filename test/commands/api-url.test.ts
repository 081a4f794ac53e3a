/** The API URL: paths of `gwtoken curl` below it, other hosts refused, and where it is shown. */
import { beforeEach, describe, expect, test } from 'vitest';
import { type Inside, inside } from '../harness/homes/in-process';

let gw: Inside;
let words: readonly string[];
beforeEach(() => {
  gw = inside();
  words = [];
  gw.configure({ region: 'eu', 'api-url': 'https://gw.{region}.example.com/v1/' });
  gw.own = {
    async runProgram(_, args) {
      words = args.slice(2);
      return { code: 0, signal: null };
    },
  };
});

describe('gwtoken curl', () => {
  const curl = async (...args: string[]) => {
    const { code, stderr } = await gw.cli(['curl', ...args]);
    return code === 0 ? words : { code, stderr };
  };

  test('takes a path below the API URL of the region', async () => {
    expect(await curl('/orders?page=2')).toEqual(['https://gw.eu.example.com/v1/orders?page=2']);
    expect(await curl('--region', 'us', '/orders')).toEqual(['https://gw.us.example.com/v1/orders']);
  });

  test.each([
    [
      ['--', '-sS', '/a'],
      ['-sS', 'https://gw.eu.example.com/v1/a'],
    ],
    [
      ['/a', '-o', '/tmp/a', '/b'],
      ['https://gw.eu.example.com/v1/a', '-o', '/tmp/a', 'https://gw.eu.example.com/v1/b'],
    ],
    [
      ['/a', '--url', '/b'],
      ['https://gw.eu.example.com/v1/a', '--url', 'https://gw.eu.example.com/v1/b'],
    ],
    [
      ['/a', '-e', 'https://other.test'],
      ['https://gw.eu.example.com/v1/a', '-e', 'https://other.test'],
    ],
    [['https://gw.eu.example.com/v2'], ['https://gw.eu.example.com/v2']],
  ])('%j asks for %j', async (typed, asked) => {
    expect(await curl(...typed)).toEqual(asked);
  });

  test.each(['https://gw.us.example.com/v1', 'gw.us.example.com', 'HTTPS://GW.US.EXAMPLE.COM'])(
    'refuses %s, which is another host, with both names',
    async (url) => {
      expect(await curl(url)).toMatchObject({
        code: 125,
        stderr: expect.stringContaining(
          'the URL is for gw.us.example.com, but the API URL is for gw.eu.example.com (from api-url in',
        ),
      });
      expect(gw.posts).toEqual([]);
    },
  );

  test('says how to set it for a path without one', async () => {
    gw.configure({ region: 'eu' });
    expect(await curl('/orders')).toMatchObject({
      code: 125,
      stderr: expect.stringContaining('gwtoken config set api-url.eu https://YOUR-GATEWAY'),
    });
  });
});

test('status and doctor show it, and doctor does not call it', async () => {
  const { stdout } = await gw.cli(['status']);
  expect(stdout).toMatch(/AUTH URL +API URL\n/);
  expect(stdout).toContain('https://gw.eu.example.com/v1');
  const { clients } = JSON.parse((await gw.cli(['status', '--json'])).stdout);
  expect(clients).toMatchObject([{ api_url: 'https://gw.eu.example.com/v1' }]);
  expect((await gw.cli(['doctor', '--verbose'])).stdout).toMatch(
    /API URL +https:\/\/gw.eu.example.com\/v1 \(api-url in .*\), not called/,
  );
});

test('one that is no URL is the error of the commands that use it, and of no other', async () => {
  gw.configure({ region: 'eu', 'api-url': 'gw.example.com' });
  expect(await gw.get()).toBe('token-1');
  expect((await gw.cli(['curl', '/a'])).stderr).toContain('API URL "gw.example.com" (from api-url in');
  expect((await gw.cli(['status'])).stdout).toContain('invalid');
});
