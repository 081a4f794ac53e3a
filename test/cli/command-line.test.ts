/** Which words of the command line are gwtoken's, and which are another program's. */
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Inside, inside } from '../harness/homes/in-process';

let gw: Inside;
/** The words of the programs that gwtoken has started. */
let started: string[][];
beforeEach(() => {
  gw = inside();
  started = [];
  gw.own = {
    async runProgram(command, args) {
      started.push([command, ...args]);
      return { code: 0, signal: null };
    },
  };
});

describe('the words of another program', () => {
  /** Words that gwtoken would read if they were its own. */
  const theirs = fc.constantFrom(
    ...'--help -h -V -v -vv --verbose --sandbox -r us -reu --region=mars -- --no-cache -region –r'.split(' '),
    ...'--format json --output=x --prefix get env exec help --bogus - __proto__ #'.split(' '),
    ...['', 'a b', '\n'],
  );
  // curl rejects a lone #, a comment that zsh has passed on, and gwtoken's flags, which stand before curl's.
  const rejected = ['#', '--sandbox', '-r', '-reu', '--region=mars', '--no-cache'];
  const curls = theirs.filter((word) => !rejected.includes(word));
  const own = fc.constantFrom(['-r', 'eu'], ['--region=eu'], ['-reu'], ['--no-sandbox'], ['-vr', 'eu']);
  const flags = fc.array(own, { maxLength: 2 }).map((each) => each.flat());

  test.each([
    { command: 'exec', first: ['cmd'], words: theirs, before: [] },
    { command: 'curl', first: ['https://gw.example.com', '-X'], words: curls, before: ['curl'] },
  ])('reach $command as they are behind their first word or --', async ({ command, first, ...row }) => {
    const words = fc.tuple(fc.constantFrom(...first), fc.array(row.words));
    const property = fc.asyncProperty(flags, flags, words, async (before, after, [word, more]) => {
      for (const program of [
        [word, ...more],
        ['--', word, ...more],
        ['--', ...more, word],
      ]) {
        const { code } = await gw.cli([...before, command, ...after, ...program]);
        const passed = program[0] === '--' ? program.slice(1) : program;
        expect([code, started.pop()]).toEqual([0, [...row.before, ...passed]]);
      }
    });
    await fc.assert(property, { numRuns: 30, seed: 1 });
  });

  test('may be 150,000', async () => {
    const words = Array.from({ length: 150_000 }, String);
    expect((await gw.cli(['exec', '--', 'cmd', ...words])).code).toBe(0);
    expect(started.pop()).toHaveLength(150_001);
  });
});

test('a word may have 10,000 switches', async () => {
  const { code, stderr } = await gw.cli(['get', `-${'v'.repeat(10_000)}`, '--bogus']);
  expect([code, stderr]).toEqual([2, expect.stringContaining("unknown option '--bogus'")]);
});

test.each([[['exec', '--token-file', '--', 'cat']], [['--token-file', '--', 'exec', 'cat']]])(
  '%j: a flag does not take -- for its value',
  async (argv) => {
    expect((await gw.cli(argv)).stderr).toContain("error: option '--token-file <FILE>' argument missing\n");
  },
);

test('an unknown flag between config and its subcommand names the flag that was meant', async () => {
  const { stderr } = await gw.cli(['config', '--prfile', 'acme', 'set', 'region', 'eu']);
  expect(stderr).toContain("error: unknown option '--prfile'\nhint: (Did you mean --profile?)\n");
});

describe('flags before the command', () => {
  test.each([
    [['-r', 'us', 'get', '--format', 'json'], 'us'],
    [['-rus', '--format=json', 'get'], 'us'],
    [['--region', 'us', 'get', '-r', 'eu', '--json'], 'eu'],
    [['--json', '--region=us', 'get', '--sandbox', '--no-sandbox'], 'us'],
  ])('%j counts as if they stood after it, the later one last', async (argv, region) => {
    expect(JSON.parse((await gw.cli(argv)).stdout)).toMatchObject({ region, environment: 'production' });
  });

  test('that the command does not take are refused', async () => {
    const { code, stderr } = await gw.cli(['--all', 'get']);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("unknown option '--all'\nhint: for help, run: gwtoken get "),
    ]);
  });

  test('may stand between config and its subcommand', async () => {
    expect((await gw.cli(['config', '-v', 'list'])).stderr).toMatch(/^gwtoken: version /);
  });
});

test.each([
  [['-r', 'mars', 'exec', '--', 'true']],
  [['exec', '--token-file', '--', 'cat']],
  [['curl', '-r', 'mars', 'https://gw.example.com']],
])('%j fails with 125 because gwtoken itself fails', async (argv) => {
  expect(await gw.cli(argv)).toMatchObject({ code: 125 });
  expect(started).toEqual([]);
});

test.each([
  [['--bogus', 'exec', 'deploy', '--help']],
  [['--bogus', 'curl', 'https://gw.example.com', '-V']],
  [['--bogus', 'env', '--help']],
])('%j fails, because its last word may be for another program', async (argv) => {
  const { code, stderr } = await gw.cli(argv);
  expect([code, stderr]).toEqual([2, expect.stringContaining("unknown option '--bogus'\n")]);
});
