/** The words that curl gets, and what gwtoken adds to its errors. See also test/sessions/text/curl.txt. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { TextOption } from '../../src/world';
import { type Inside, inside } from '../harness/homes/in-process';

/** Lines of `curl --help all`. */
const HELP = `Usage: curl [options...] <url>
 -h, --help <category>   Get help for commands
 -k, --insecure           Allow insecure server connections
 -q, --disable            Disable .curlrc
 -v, --verbose            Make the operation more talkative
 -V, --version            Show version number and quit
     --compressed         Request compressed response
 -d, --data <data>        HTTP POST data
 -o, --output <file>      Write to file instead of stdout
 -x, --proxy [protocol://]host[:port] Use this proxy
 -H, --header <header/@file> Pass custom header(s) to server
 -X, --request <method>   Specify request method to use
 -s, --silent             Silent mode
 -S, --show-error         Show error even when -s is used
`;

let gw: Inside;
/** The questions to curl. */
let asked: string[][] = [];
/** The text that curl reads. */
let text: TextOption | undefined;
beforeEach(() => {
  gw = inside();
  gw.configure({ region: 'eu', 'api-url': 'https://gw.{region}.example.com/v1/' });
});

describe('gwtoken curl', () => {
  /** Runs gwtoken curl. Returns the words that curl gets. */
  const curl = async (...args: string[]) => {
    let passed: readonly string[] = [];
    gw.own = {
      async programOutput(command, words) {
        asked.push([command, ...words]);
        return HELP;
      },
      async runProgram(_, words, options) {
        passed = words;
        text = options.text;
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
    [['-s', '/a']],
    [['-X', 'POST', '/a']],
    [['-XPOST', '/a', '--region', 'us']],
    [['-H', 'a: b', '/a', '-o', '/tmp/a']],
    [['-d', '@f', '/a', '--url', '/c']],
    [['-o', '/tmp/a', '/a']],
    [['-sSo', '/tmp/a', '--compressed', '/a', '/b']],
    [['-o/tmp/a', '/a']],
    [['--proxy', '/tmp/socket', '-d', '-o', '/a']],
    [['--data', '--silent', '/a']],
    [['-', '/a']],
  ])('puts the API URL before the path of %j', async (typed) => {
    const expected = typed.with(typed.lastIndexOf('/a'), 'https://gw.eu.example.com/v1/a');
    expect(await curl(...typed)).toEqual(expected);
  });

  test.each([
    [['-k', 'https://other.test']],
    [['https://other.test/a', '-o', '/tmp/a']],
    [['https://other.test/a', '--unknown', '/tmp/a']],
    [['//other.test/a']],
    [['https://other.test', '--fresh', '-r', 'us']],
  ])('changes no word of %j', async (typed) => {
    expect(await curl(...typed)).toEqual(typed);
  });

  test('asks curl about its options only if one stands before a word with a slash', async () => {
    asked = [];
    await curl('/a', '-o', '/tmp/a');
    await curl('-X', 'POST', '/a', '-o', '/tmp/a');
    expect(asked).toEqual([]);
    await curl('-s', '/a');
    expect(asked).toEqual([['curl', '--help', 'all']]);
  });

  test.each(['-q', '--disable'])('keeps a first %s before its own option', async (first) => {
    await curl(first, 'http://localhost/');
    expect(text).toMatchObject({ option: '-K', at: 1, content: expect.stringContaining('=http,https"') });
    await curl('https://other.test', first);
    expect(text).toMatchObject({ option: '-K', at: 0 });
  });

  test('puts its own option between -q and the rest of its word', async () => {
    const words = ['-q', '-so', '/tmp/a', 'https://gw.eu.example.com/v1/a'];
    expect(await curl('-qso', '/tmp/a', '/a')).toEqual(words);
    expect(text).toMatchObject({ option: '-K', at: 1 });
  });

  test('allows http only if each http URL is a loopback one', async () => {
    gw.configure({ region: 'eu', 'api-url': 'http://localhost:8080' });
    expect(await curl('-s', '/a')).toEqual(['-s', 'http://localhost:8080/a']);
    expect(text?.content).toContain('proto = "=http,https"\n');
    for (const other of [['http://other.test'], ['--url', 'HTTP://other.test']])
      for (const words of [
        ['-s', ...other, '/a'],
        ['/a', ...other],
      ]) {
        await curl(...words);
        expect(text?.content).toContain('proto = "=https"\n');
      }
  });

  test.each(['-vk', '-Vs', '-vvv', '-sS', '-hx'])(
    'passes combined curl options such as %s on unchanged',
    async (word) => {
      const path = 'https://gw.eu.example.com/v1/a';
      for (const flags of ['', '-r eu', '-reu', '--region=eu --no-cache', '--region eu', '--', '-r eu --'])
        expect(await curl(...flags.split(' ').filter(Boolean), word, '/a')).toEqual([word, path]);
      expect(await curl('/a', word)).toEqual([path, word]);
    },
  );
});

describe('gwtoken curl explains', () => {
  /** Runs gwtoken curl while curl fails with this exit code. Returns what gwtoken adds on stderr. */
  const explanation = async (code: number, ...args: string[]) => {
    gw.own = { programOutput: async () => '', runProgram: async () => ({ code, signal: null }) };
    const ended = await gw.cli(['curl', ...args]);
    expect(ended).toMatchObject({ code, stdout: '' });
    return ended.stderr;
  };

  test.each([
    [3, ['orders']],
    [6, ['orders/5?a=b.c', '-sS']],
  ])('exit code %i of curl for %j: a path has to begin with a slash', async (code, typed) => {
    expect(await explanation(code, ...typed)).toBe(
      'gwtoken: hint: begin the path with a slash: gwtoken curl /PATH\n',
    );
  });

  test('an http URL that is not a loopback URL before all options', async () => {
    expect(await explanation(1, '-XPOST', 'http://other.test')).toBe(
      'gwtoken: hint: begin the URL with https://; ' +
        'http:// needs a loopback URL first, and no other http:// word\n',
    );
  });

  test('a path that Git Bash has changed', async () => {
    const typed = ['C:/Program Files/Git/orders'];
    expect(await explanation(3, ...typed)).toBe('');
    gw.env['MSYSTEM'] = 'MINGW64';
    expect(await explanation(3, ...typed)).toBe(
      'gwtoken: hint: Git Bash changes words that begin with /: set MSYS_NO_PATHCONV=1, or type //PATH\n',
    );
  });

  test('a loopback address without a scheme, which gets https', async () => {
    expect(await explanation(35, 'localhost:17110/orders')).toBe(
      'gwtoken: hint: begin the URL with http:// if the server does not speak TLS\n',
    );
    expect(await explanation(35, 'https://localhost:17110')).toBe('');
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

describe('gwtoken curl without a command or token', () => {
  test('exits with 127 if curl is not installed', async ({ needs }) => {
    needs('posix');
    gw.env['PATH'] = gw.dir;
    expect(await gw.cli(['curl', 'https://other.test'])).toEqual({
      code: 127,
      stdout: '',
      stderr: 'gwtoken: error: command not found: "curl"\nhint: install it, or add its directory to PATH\n',
    });
  });

  test('exits with 125 and runs no curl if it gets no token', async () => {
    gw.answer = () => ({ status: 401, body: { error: 'invalid_client' } });
    gw.own = { runProgram: () => expect.unreachable() };
    expect((await gw.cli(['curl', 'https://other.test'])).code).toBe(125);
  });
});

test('gwtoken curl passes the header and the allowed protocols to curl through -K', async () => {
  const gw = inside();
  let ran: unknown[] = [];
  gw.own = {
    runProgram: async (command, args, { text }) => {
      ran = [command, ...args, text];
      return { code: 3, signal: null };
    },
  };
  gw.env['GITHUB_ACTIONS'] = 'true';
  const args = ['http://[::1]:8/x', '-d', '@file'];
  expect(await gw.cli(['curl', ...args])).toEqual({
    code: 3,
    stdout: '',
    stderr: '\n::add-mask::token-1\n',
  });
  const config = 'header = "Authorization: Bearer token-1"\nproto-default = "https"\n';
  const local = 'proto = "=http,https"\nnoproxy = "*"\n';
  expect(ran).toEqual(['curl', ...args, { option: '-K', at: 0, content: config + local }]);
  // 127.999.0.1 is not an IP address: DNS may resolve it to any host.
  await gw.cli(['curl', 'http://127.999.0.1/']);
  expect(ran.at(-1)).toMatchObject({ content: expect.stringContaining('proto = "=https"\n') });
});
