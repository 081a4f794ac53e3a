/** The words that curl gets, and what gwtoken adds to its errors. See also test/sessions/text/curl.txt. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { ProgramOptions } from '../../src/world';
import { type Inside, inside } from '../harness/homes/in-process';

/** Lines of `curl --help all`. */
const HELP = `Usage: curl [options...] <url>
 -h, --help <category>    Get help for commands
 -k, --insecure           Allow insecure server connections
 -q, --disable            Disable .curlrc
 -v, --verbose            Make the operation more talkative
 -V, --version            Show version number and quit
     --compressed         Request compressed response
     --disable-eprt       Inhibit using EPRT or LPRT
 -d, --data <data>        HTTP POST data
 -K, --config <file>      Read config from a file
 -:, --next               Make next URL use its separate set of options
 -o, --output <file>      Write to file instead of stdout
 -x, --proxy [protocol://]host[:port] Use this proxy
 -H, --header <header/@file> Pass custom header(s) to server
 -X, --request <method>   Specify request method to use
 -s, --silent             Silent mode
 -r, --range <range>      Retrieve only the bytes within RANGE
     --retries <num>      As in gwtoken; no curl has it yet
     --url <url>          URL to work with
 -S, --show-error         Show error even when -s is used
`;

let gw: Inside;
/** The questions to curl. */
let asked: string[][] = [];
/** The text that curl reads. */
let text: ProgramOptions['text'];
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
    [['--url', '/a']],
    [['--no-silent', '/a']],
    [['-K', '/tmp/options', '/a', '--next', '/c']],
    [['-s:', '/a']],
    [['-s', '--', '/a']],
    [['-H', 'a: b', '/a', '-o', '/tmp/a']],
    [['-d', '@f', '/a', '--url', '/c', '-']],
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
    [['https://other.test', '-d', '--fresh', '-r', '0-9', '-H', '--region=us']],
    [['--url=/a', 'https://other.test']],
    [['https://other.test', '--retries', '2']],
  ])('changes no word of %j', async (typed) => {
    expect(await curl(...typed)).toEqual(typed);
  });

  test('asks curl about its options only if a word is one', async () => {
    asked = [];
    await curl('/a', 'https://other.test');
    expect(asked).toEqual([]);
    await curl('/a', '-s');
    expect(asked).toEqual([['curl', '--help', 'all']]);
  });

  test.each([
    ['-qK', ['-q', '/a']],
    ['-qK', ['--disable', '/a']],
    ['-qK', ['-qso', '/tmp/a', '/a']],
    ['-K', ['https://other.test', '-q']],
    ['-K', ['--disable-eprt', '/a']],
  ])('passes its text by %s before the words %j', async (option, words) => {
    expect(await curl(...words)).toEqual(
      words.map((word) => word.replace(/^\/a/, 'https://gw.eu.example.com/v1/a')),
    );
    expect(text?.option).toBe(option);
  });

  test.each<[isAllowed: boolean, words: string[]]>([
    [true, ['-s', '/a']],
    [true, ['-sSo', 'http://other.test', 'http://127.0.0.1:1/x', '-H', 'a: {b}']],
    [true, ['--url', 'HTTP://LOCALHOST/', '--no-silent', 'http://[::1]']],
    [false, ['-s']],
    [false, ['-s', 'http://other.test', '/a']],
    [false, ['/a', '--url', 'HTTP://other.test']],
    [false, ['/a', 'https://other.test']],
    [false, ['/a', '{http}://other.test']],
    [false, ['http://localhost/{a,b}']],
    [false, ['http://localhost/[1-2]']],
    [false, ['http://127.0.0.00000000001/']],
    [false, ['http://127.999.0.1/']],
    [false, ['/a', '--unknown', 'http://other.test']],
    [false, ['/a', '--url=http://other.test']],
    [true, ['-s', '--', '/a']],
    [false, ['-s', '--', '/a', 'http://other.test']],
    [false, ['/a', '--', '-o', 'http://other.test']],
    [true, ['/a', '-d', '--', '-o', 'http://other.test']],
    [false, ['/a', '-K', 'urls']],
  ])('allows http: %j for %j', async (isAllowed, words) => {
    gw.configure({ region: 'eu', 'api-url': 'http://localhost:8080' });
    await curl(...words);
    expect(text?.content).toContain(isAllowed ? 'proto = "=http,https"\n' : 'proto = "=https"\n');
  });

  test.each([
    ['-r', ['/a', '-sr', 'EU']],
    ['-r', ['/a', '-reu']],
    ['--region, --sandbox', ['-XPOST', '/a', '--region', 'us', '-s', '--sandbox']],
    ['--profile', ['/a', '--profile=hidden']],
  ])('rejects a flag of gwtoken behind the words of curl, shows %s', async (shown, words) => {
    gw.own = { programOutput: async () => HELP, runProgram: () => expect.unreachable() };
    expect(await gw.cli(['curl', ...words])).toEqual({
      code: 2,
      stdout: '',
      stderr: `gwtoken: error: gwtoken's options stand before curl's: ${shown}\n`,
    });
    expect(gw.posts).toEqual([]);
  });
});

test('gwtoken curl explains a path that Git Bash has changed', async () => {
  gw.own = { runProgram: async () => ({ code: 3, signal: null }) };
  const typed = ['curl', 'C:/Program Files/Git/orders'];
  expect(await gw.cli(typed)).toEqual({ code: 3, stdout: '', stderr: '' });
  gw.env['MSYSTEM'] = 'MINGW64';
  expect((await gw.cli(typed)).stderr).toBe(
    'gwtoken: hint: Git Bash changes words that begin with /: set MSYS_NO_PATHCONV=1, or type //PATH\n',
  );
});

test('gwtoken curl exits with 127 if curl is not installed', async ({ needs }) => {
  needs('posix');
  gw.env['PATH'] = gw.dir;
  expect(await gw.cli(['curl', 'https://other.test'])).toEqual({
    code: 127,
    stdout: '',
    stderr: 'gwtoken: error: command not found: "curl"\nhint: install it, or add its directory to PATH\n',
  });
});

test('gwtoken curl passes the header and the allowed protocols to curl through -K', async () => {
  let ran: unknown[] = [];
  gw.own = {
    runProgram: async (command, args, { text }) => {
      ran = [command, ...args, text];
      return { code: 3, signal: null };
    },
  };
  gw.env['GITHUB_ACTIONS'] = 'true';
  const args = ['http://[::1]:8/x'];
  expect(await gw.cli(['curl', ...args])).toEqual({
    code: 3,
    stdout: '',
    stderr: '\n::add-mask::token-1\n',
  });
  const config = 'header = "Authorization: Bearer token-1"\nproto-default = "https"\n';
  const local = 'proto = "=http,https"\nnoproxy = "*"\n';
  expect(ran).toEqual(['curl', ...args, { option: '-K', content: config + local }]);
});
