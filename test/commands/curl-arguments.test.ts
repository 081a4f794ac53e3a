/** The words that curl gets, and what gwtoken adds to its errors. See also test/sessions/text/curl.txt. */
import { beforeEach, describe, expect, test } from 'vitest';
import { type Inside, inside } from '../harness/homes/in-process';

let gw: Inside;
beforeEach(() => {
  gw = inside();
  gw.configure({ region: 'eu', 'api-url': 'https://gw.{region}.example.com/v1/' });
});

describe('gwtoken curl', () => {
  /** Runs gwtoken curl. Returns the words that curl gets. */
  const curl = async (...args: string[]) => {
    let passed: readonly string[] = [];
    gw.own = {
      async runProgram(_, words) {
        passed = words;
        return { code: 0, signal: null };
      },
    };
    expect(await gw.cli(['curl', ...args])).toEqual({ code: 0, stdout: '', stderr: '' });
    return passed;
  };

  test('puts the API URL of the region before a path', async () => {
    expect(await curl('/orders?page=2')).toEqual(['https://gw.eu.example.com/v1/orders?page=2']);
    expect(await curl('--region', 'us', '/orders')).toEqual(['https://gw.us.example.com/v1/orders']);
  });

  test.each([
    ['-XPOST', '/a', '--region', 'us'],
    ['-k', 'https://other.test'],
    ['https://other.test/a', '/b', '-o', '/tmp/a', '--url', '/c'],
  ])('changes only a path that is the first word: %j', async (...typed) => {
    expect(await curl(...typed)).toEqual(typed);
    expect(await curl('/a', ...typed)).toEqual(['https://gw.eu.example.com/v1/a', ...typed]);
  });

  test.each(['-vk', '-Vs', '-vvv', '-sS', '-hx'])(
    'passes combined curl options such as %s on unchanged',
    async (word) => {
      for (const flags of ['', '-r eu', '-reu', '--region=eu --no-cache', '--region eu', '--', '-r eu --'])
        expect(await curl(...flags.split(' ').filter(Boolean), word, '/a')).toEqual([word, '/a']);
      expect(await curl('/a', word)).toEqual(['https://gw.eu.example.com/v1/a', word]);
    },
  );
});

describe('gwtoken curl explains', () => {
  /** Runs gwtoken curl while curl fails with this exit code. Returns what gwtoken adds on stderr. */
  const explanation = async (code: number, ...args: string[]) => {
    gw.own = { runProgram: async () => ({ code, signal: null }) };
    const ended = await gw.cli(['curl', ...args]);
    expect(ended).toMatchObject({ code, stdout: '' });
    return ended.stderr;
  };

  test.each([
    [6, ['-XPOST', '/a']],
    [3, ['get', '/a']],
    [6, ['orders']],
    [6, ['orders/5?a=b.c', '-sS']],
  ])('exit code %i of curl for %j: a path has to come first', async (code, typed) => {
    expect(await explanation(code, ...typed)).toBe(
      "gwtoken: hint: a path below the API URL comes first: gwtoken curl /PATH [curl's arguments]\n",
    );
  });

  test('an http URL that is not a loopback URL before all options', async () => {
    expect(await explanation(1, '-XPOST', 'http://other.test')).toBe(
      "gwtoken: hint: begin the URL with https://, or put a loopback URL before curl's options\n",
    );
  });

  test('an untrusted gateway: curl does not use the CA file of gwtoken', async () => {
    gw.env['GWTOKEN_CA_FILE'] = '/a b.pem';
    const add = "to use it, add: --cacert '/a b.pem'";
    expect(await explanation(60, 'https://other.test')).toBe(
      `gwtoken: hint: curl does not use gwtoken's CA file; ${add}\n`,
    );
    expect(await explanation(60, 'https://other.test', '--cacert', 'b.pem')).toBe('');
    expect(await explanation(22, 'https://other.test')).toBe('');
  });

  test.each([
    [6, ['other.test/orders']],
    [6, ['https://other.test', '-o', '/tmp/a']],
    [22, ['-f', 'other.test', '-o', '/tmp/a']],
    [60, ['https://other.test']],
  ])('nothing if curl itself caused exit code %i for %j', async (code, typed) => {
    expect(await explanation(code, ...typed)).toBe('');
  });
});
