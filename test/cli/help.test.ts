/** The help of the program, its commands and topics: its common parts, and one screen as it is laid out. */
import { describe, expect, test } from 'vitest';
import { TOPICS } from '../../src/cli/topics';
import { CLIENT_FLAGS, FETCH_FLAGS, type Flag } from '../../src/commands/flags';
import { COMMANDS } from '../../src/commands/grammar';
import { allCommands, parsed, shellLine, typed } from '../documents/grammar';
import { inside } from '../harness/homes/in-process';

const commands = allCommands(COMMANDS);

/** The help as it is printed. */
async function helpOf(words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await inside().cli(words);
  expect(code).toBe(0);
  return stdout + stderr;
}

describe('the help of each command', () => {
  test.each(commands.map(({ path, command }) => [path.join(' '), path, command] as const))(
    '%s',
    async (name, path, command) => {
      const text = await helpOf([...path, '--help']);
      expect(await helpOf(['help', ...path])).toBe(text);
      expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
      const [usage, , about] = text.split('\n');
      expect(usage).toMatch(new RegExp(`^Usage: gwtoken ${name}( |$)`));
      expect(about).toMatch(/^[A-Z][^.]*\.$/);
      // Examples first, and short: what many commands share is a topic.
      expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(48);
      expect(text.indexOf('\nExamples:\n')).toBeLessThan(
        text.search(/\n(Client|Output|General|Commands):\n/),
      );
      for (const [line, does] of Object.entries(command.examples)) {
        expect(text).toContain(`\n  ${line}`);
        expect(text).toContain(` ${does}\n`);
      }
      for (const flag of command.flags) {
        const said = text.replace(/\n {10,}/g, ' ');
        expect(said).toContain(typed(flag));
        expect(said).toContain(flag.help);
      }
      // None of the parser's own.
      const [, below = ''] = text.split('\nCommands:\n');
      expect([...below.matchAll(/^ {2}(\S+)/gm)].map(([, each]) => each)).toEqual(
        (command.subcommands ?? []).map((each) => each.name),
      );
      expect(text).toMatch(/ {2}-h, --help +show this help\n/);
      expect(text).toMatch(/\nExit codes: gwtoken help exit-codes\n$/);
    },
  );

  test('of logout is laid out like this', async () => {
    expect(await helpOf(['logout', '--help'])).toBe(`Usage: gwtoken logout [options]

Remove a client's stored credentials and cached token.

Examples:
  gwtoken logout --region us  remove the US client
  gwtoken logout --all --yes  remove all stored clients without asking

Client:
  -r, --region <eu|us>  region of the client
  --sandbox             use the sandbox instead of production
  --no-sandbox          use production even if the settings say sandbox
  -p, --profile <NAME>  profile (a named set of clients)
  --all                 remove all stored clients

General:
  -y, --yes             skip the confirmation
  -v, --verbose         print details to stderr
  -V, --version         print the version
  -h, --help            show this help

Variables and config keys: gwtoken help settings
Exit codes: gwtoken help exit-codes
`);
  });

  test.each(commands.map(({ path, command }) => [path.join(' '), command] as const))(
    '%s has examples that parse',
    async (name, command) => {
      const examples = Object.entries(command.examples);
      expect(examples.length).toBeGreaterThan(0);
      for (const [line, does] of examples) {
        expect(does).toMatch(/^([a-z]|[A-Z]+_).*[^.]$/);
        const lines = shellLine(line);
        expect(lines, line).toHaveLength(1);
        const ran = await parsed(lines[0]!);
        expect(ran, line).toMatch(new RegExp(`^${name}( |$)`));
        expect(ran, line).not.toContain('error: ');
      }
    },
  );
});

describe('gwtoken', () => {
  test('alone prints the help, grouped, on one screen', async () => {
    const { code, stdout, stderr } = await inside().cli([]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const word of ['--help', 'help']) expect(await inside().cli([word])).toMatchObject({ stdout });
    const lines = stdout.trimEnd().split('\n');
    // With the prompt below it, the height of a terminal.
    expect(lines.length).toBeLessThanOrEqual(23);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(stdout).toContain('gwtoken login');
    expect(stdout).toContain('gwtoken help TOPIC');
    for (const { name } of COMMANDS.filter((each) => each.name !== 'help'))
      expect(stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'));
    expect(stdout).toContain(` Topics:\n  ${Object.keys(TOPICS).join(', ')}\n`);
    // Every command has its place.
    expect(stdout).not.toContain('\nCommands:');
    expect(stdout).toMatch(/^[\n -~]+$/);
  });

  test.each(Object.keys(TOPICS))('help %s prints the topic as text', async (name) => {
    const markdown = await TOPICS[name]!.text();
    const { code, stdout, stderr } = await inside().cli(['help', name]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).not.toContain('\x1b');
    expect(stdout).not.toMatch(/^(#|```)|\*\*/m);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    const unmarked = (text: string) =>
      text
        .replace(/^```\w*$/gm, '')
        .replace(/[\s`*|#-]/g, '')
        .toLowerCase();
    expect(unmarked(stdout)).toBe(unmarked(markdown));
  });

  test('help of what there is not names all its words, and what there is', async () => {
    const commandNames = COMMANDS.map(({ name }) => name).join(', ');
    for (const words of ['nothing', 'get eu', 'config sett', 'constructor'])
      expect(await inside().cli(['help', ...words.split(' ')])).toEqual({
        code: 2,
        stdout: '',
        stderr: `gwtoken: error: unknown command or topic "${words}"
hint: commands: ${commandNames}
hint: topics: ${Object.keys(TOPICS).join(', ')}
`,
      });
  });

  test('help ci SYSTEM prints that section only, and names all if there is none', async () => {
    const gw = inside();
    gw.env['FORCE_COLOR'] = '1';
    const { stdout } = await gw.cli(['help', 'ci', 'gitlab']);
    expect(stdout.split('\n')[0]).toBe('\x1b[1mGITLAB CI\x1b[22m');
    expect(stdout).not.toContain('Jenkins');
    expect(await inside().cli(['help', 'ci', 'travis'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^gwtoken: error: no section "travis" in topic ci\nhint: sections: .*, GitLab CI, .*\n$/,
      ),
    });
  });
});

test('there are these commands, and those that fetch a token take every setting of the request', () => {
  expect(commands.map(({ path }) => path.join(' '))).toEqual([
    ...['get', 'env', 'exec', 'curl', 'login', 'logout', 'status', 'doctor', 'config'],
    ...['list', 'get', 'set', 'unset', 'path'].map((name) => `config ${name}`),
    ...['completion', 'help'],
  ]);
  const taking = (flags: readonly Flag[]) =>
    commands
      .filter(({ command }) => flags.every((flag) => command.flags.includes(flag)))
      .map(({ path }) => path[0]);
  expect(taking(CLIENT_FLAGS)).toEqual(['get', 'env', 'exec', 'curl', 'login', 'doctor']);
  expect(taking(FETCH_FLAGS)).toEqual(['get', 'env', 'exec', 'curl', 'doctor']);
});
