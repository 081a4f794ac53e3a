/** The help of the program, its commands and topics: its common parts, and one screen in full. */
import { describe, expect, test } from 'vitest';
import { manPage } from '../../bin/build/man-page';
import { MANIFEST, pageOf } from '../../bin/build/package.mjs';
import { TOPICS } from '../../src/cli/topics';
import { CLIENT_FLAGS, FETCH_FLAGS, type Flag } from '../../src/commands/flags';
import { COMMANDS } from '../../src/commands/grammar';
import { allCommands, commandOf, gwtokenLines } from '../harness/command-lines';
import { inside } from '../harness/homes/in-process';

const commands = allCommands(COMMANDS);
/** Tools that people ask for. */
const TOOLS = [
  ...['postman', 'newman', 'bruno', 'httpie', 'npm', 'pnpm', 'ansible', 'terraform', 'rclone', 'git'],
  ...['jupyter', 'k6', 'cron', 'tox', 'turbo', 'pm2', 'direnv', 'kubernetes', 'docker', '1password'],
];

/** Returns what gwtoken prints for these words. */
async function helpOf(words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await inside().cli(words);
  expect(code).toBe(0);
  return stdout + stderr;
}

describe('the help of each command', () => {
  test.each(commands.map(({ path, command }) => [path.join(' '), command] as const))(
    '%s has usage, described flags and examples that parse',
    async (name, { examples }) => {
      const text = await helpOf([...name.split(' '), '--help']);
      expect(await helpOf(['help', ...name.split(' ')])).toBe(text);
      const lines = text.trimEnd().split('\n');
      expect(lines.filter((line) => line.length > 79)).toEqual([]);
      // Each flag says what it does.
      expect(lines.filter((line) => /^ {2}-/.test(line) && !/\S {2,}\S/.test(line))).toEqual([]);
      // Text that many commands share belongs in a topic.
      expect(lines.length).toBeLessThanOrEqual(48);
      expect(text).toMatch(new RegExp(`^Usage: gwtoken ${name}( .*)?\\n\\n[A-Z][^.]*\\.\\n\\nExamples:\\n`));
      expect(Object.keys(examples).length).toBeGreaterThan(0);
      for (const [line, does] of Object.entries(examples)) {
        expect(does).toMatch(/^([a-z]|[A-Z]+_).*[^.]$/);
        expect(text).toContain(`\n  ${line}`);
        expect(text).toContain(` ${does}\n`);
        // zsh expands these outside quotes.
        expect(line.replace(/'[^']*'|"[^"]*"/g, '')).not.toMatch(/[?*[{#~]/);
        // The line parses as this command.
        const [words, ...more] = gwtokenLines(line);
        const ran = commandOf(words!);
        expect([ran, more], line).toEqual([expect.stringMatching(new RegExp(`^${name}( |$)`)), []]);
      }
    },
  );

  test('the help of config unset has usage, examples, flags and topics', async () => {
    expect(await helpOf(['config', 'unset', '--help'])).toBe(`Usage: gwtoken config unset [options] <KEY>

Remove a setting (with --profile: from that profile only).

Examples:
  gwtoken config unset min-ttl --profile acme
      use the general value again

Client:
  -p, --profile <NAME>  settings of this profile

General:
  -v, --verbose         print details to stderr
  -V, --version         print the version
  -h, --help            show this help

Exit codes: gwtoken help exit-codes
`);
  });
});

describe('gwtoken', () => {
  test('prints the grouped help on one screen', async () => {
    const { code, stdout, stderr } = await inside().cli(['--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(await inside().cli(['help'])).toEqual({ code, stdout, stderr });
    const lines = stdout.trimEnd().split('\n');
    // With the prompt below, the help fits on a terminal of 24 lines.
    expect(lines.length).toBeLessThanOrEqual(23);
    expect(lines.filter((line) => line.length > 79)).toEqual([]);
    for (const { name } of COMMANDS) expect(stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'));
    for (const flag of ['--help', '--version', '--verbose']) expect(stdout).toContain(flag);
    expect(stdout).toContain(` help:\n  ${Object.keys(TOPICS).join(', ')}\n`);
    // The heading of commands without a group.
    expect(stdout).not.toContain('\nCommands:');
  });

  test('ends its help, also in the man page, with the repository of package.json', async () => {
    const repository = pageOf({ url: 'git+https://git.example/owner/gwtoken.git' });
    const line = 'Releases and bugs: https://git.example/owner/gwtoken\n';
    const gw = inside();
    gw.own = { repository };
    expect((await gw.cli(['--help'])).stdout.endsWith(`security\n${line}`)).toBe(true);
    expect(manPage({ ...MANIFEST, repository }, new Date(0))).toContain(line);
    expect(pageOf(undefined)).toBeNull();
    expect(await helpOf(['--help'])).not.toContain('Releases');
  });

  test('prints its version for -V and --version after each command', async () => {
    const version = await helpOf(['--version']);
    expect(version).toMatch(/^\d+\.\d+\.\d+\n$/);
    for (const { path } of commands)
      for (const flag of ['-V', '--version'])
        expect([path, await helpOf([...path, flag])]).toEqual([path, version]);
  });

  test.each(['', 'config', 'completion'])(
    '%s shows its help on a terminal, and otherwise fails with it on stderr',
    async (name) => {
      const words = name === '' ? [] : [name];
      const help = await helpOf([...words, '--help']);
      const gw = inside();
      for (const argv of [words, [...words, '--'], [...words, '-v']]) {
        const ended = await gw.cli(argv);
        expect(ended).toMatchObject({ code: 2, stderr: help });
        if (name !== '') expect(ended.stdout).toBe('');
      }
      const shown: string[] = [];
      gw.own = { stdout: { isTTY: () => true, write: (text: string) => void shown.push(text) } };
      expect((await gw.cli(words)).code).toBe(0);
      expect(await gw.cli([...words, '-v'])).toMatchObject({ code: 2, stderr: help });
      expect(shown).toEqual([help]);
    },
  );

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

  test.each(['nothing', 'get eu', 'config sett', 'constructor', '-- --region'])(
    'help %s is an error that leads to the list of topics',
    async (words) => {
      expect(await inside().cli(['help', ...words.split(' ')])).toEqual({
        code: 2,
        stdout: '',
        stderr: `gwtoken: error: unknown command or topic "${words.replace('-- ', '')}"\nhint: for all commands and topics, run: gwtoken help\n`,
      });
    },
  );

  test.each([
    ['github', '## GitHub Actions'],
    ['proxy', '## Proxies'],
    ['exit', '# Exit codes'],
    ['Docker', '## Docker'],
    ['variables', '# Settings: flags, variables, config keys'],
    ['self-signed', '## TLS certificates'],
    ['vault', '## Credentials from a command: Vault, 1Password, AWS, pass, age'],
  ])('help %s begins with the title %s of any topic', async (word, title) => {
    const { code, stdout } = await inside().cli(['help', word]);
    expect([code, stdout.startsWith(title.replace(/^#+ /, '').toUpperCase())]).toEqual([0, true]);
  });

  test.each(TOOLS)('help %s begins with a section about it', async (tool) => {
    const { code, stdout } = await inside().cli(['help', tool]);
    expect([code, stdout.split('\n')[0]]).toEqual([0, expect.stringContaining(tool.toUpperCase())]);
  });

  test('help ci SYSTEM prints one section', async () => {
    const gw = inside();
    gw.env['FORCE_COLOR'] = '1';
    const { stdout } = await gw.cli(['help', 'ci', 'gitlab', 'ci']);
    expect([stdout.split('\n')[0], stdout.match(/\n*$/)?.[0]]).toEqual(['\x1b[1mGITLAB CI\x1b[22m', '\n']);
    expect(stdout).not.toContain('Jenkins');
  });
});

test('commands that fetch a token take every setting of the request', () => {
  const taking = (flags: readonly Flag[]) =>
    commands
      .filter(({ command }) => flags.every((flag) => command.flags.includes(flag)))
      .map(({ path }) => path[0]);
  expect(taking(CLIENT_FLAGS)).toEqual(['get', 'env', 'exec', 'curl', 'login', 'doctor']);
  expect(taking(FETCH_FLAGS)).toEqual(['get', 'env', 'exec', 'curl']);
});
