/** The API URL, which `gwtoken curl /PATH` uses. Its errors are in test/sessions/text/curl.txt. */
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
      words = args;
      return { code: 0, signal: null };
    },
  };
});

describe('gwtoken curl', () => {
  const curl = async (...args: string[]) => {
    const { code, stderr } = await gw.cli(['curl', ...args]);
    return code === 0 ? words : { code, stderr };
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

  const LATE = "hint: a path below the API URL comes first: gwtoken curl /PATH [curl's arguments]";
  const HTTP = "hint: begin the URL with https://, or put a loopback URL before curl's options";
  test.each<[code: number, typed: readonly string[], hint: string | undefined]>([
    [6, ['-XPOST', '/a'], LATE],
    [3, ['get', '/a'], LATE],
    [6, ['orders'], LATE],
    [6, ['orders/5?a=b.c', '-sS'], LATE],
    [6, ['other.test/orders'], undefined],
    [6, ['https://other.test', '-o', '/tmp/a'], undefined],
    [22, ['-f', 'other.test', '-o', '/tmp/a'], undefined],
    [1, ['-XPOST', 'http://other.test'], HTTP],
  ])(
    'exit code %i of curl for %j is explained if gwtoken’s rules may be the cause',
    async (code, typed, hint) => {
      gw.own = { runProgram: async () => ({ code, signal: null }) };
      const stderr = hint === undefined ? '' : `gwtoken: ${hint}\n`;
      expect(await gw.cli(['curl', ...typed])).toEqual({ code, stdout: '', stderr });
    },
  );

  test('hints at --cacert if curl does not trust the gateway and gwtoken uses a CA file', async () => {
    const end = { code: 60, signal: null };
    gw.own = { runProgram: async () => end };
    const hintsOf = async (...args: string[]) => (await gw.cli(['curl', ...args])).stderr;
    expect(await hintsOf('https://other.test')).toBe('');
    gw.env['GWTOKEN_CA_FILE'] = '/a b.pem';
    const hint = "hint: curl does not use gwtoken's CA file; to use it, add: --cacert '/a b.pem'";
    expect(await hintsOf('https://other.test')).toBe(`gwtoken: ${hint}\n`);
    expect(await hintsOf('https://other.test', '--cacert', 'b.pem')).toBe('');
    end.code = 22;
    expect(await hintsOf('https://other.test')).toBe('');
  });
});
