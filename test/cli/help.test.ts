import { describe, expect, test } from 'vitest';
import { exitCodesOf, settingsOf } from '../../src/cli/help-text';
import { createProgram } from '../../src/cli/run';
import { VERBS } from '../../src/commands/all';
import type { Verb } from '../../src/commands/command';
import { TOPICS } from '../../src/topics/topics';
import { allVerbs, parsed, shellLine } from '../documents/grammar';
import { openSession } from '../harness/homes/session';

const verbs = allVerbs(VERBS);

/** The help as it is printed. */
async function helpOf(words: readonly string[]): Promise<string> {
  let text = '';
  const stdout = {
    // The help of a command whose output is evaluated goes to stderr elsewhere.
    isTTY: () => true,
    write: (more: string) => {
      text += more;
    },
  };
  const world = { version: '1.2.3', stdout } as unknown as Parameters<typeof createProgram>[1];
  const program = createProgram(VERBS, world, () => world);
  await program.parseAsync([...words], { from: 'user' }).catch((error) => {
    if (error.exitCode !== 0) throw error;
  });
  return text;
}

describe('the help of each command', () => {
  test.each(verbs.map(({ path, verb }) => [path.join(' '), path, verb] as const))(
    '%s',
    async (name, path, verb) => {
      const text = await helpOf([...path, '--help']);
      expect(await helpOf(['help', ...path])).toBe(text);
      expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
      const [usage, , about] = text.split('\n');
      expect(usage).toMatch(new RegExp(`^Usage: gwtoken ${name}( |$)`));
      expect(about).toMatch(/^[A-Z][^.]*\.$/);
      for (const flag of settingsOf(verb)) {
        expect(text).toContain(` ${flag.variable}`);
        expect(text).toContain(` ${flag.configKey}\n`);
      }
      expect(text).toMatch(/ {2}-h, --help +show this help\n/);
      if (verb.run === undefined) return;
      const codes = text.split('Exit codes')[1] ?? '';
      expect([...codes.matchAll(/^ {2}(\d+) /gm)].map(([, code]) => Number(code))).toEqual(exitCodesOf(verb));
    },
  );

  test.each(verbs.map(({ path, verb }) => [path.join(' '), verb] as const))(
    '%s has examples that parse',
    async (name, verb) => {
      const examples = verb.examples ?? [];
      expect(examples.length).toBeGreaterThan(0);
      for (const { line, does } of examples) {
        expect(does).toMatch(/^([a-z]|[A-Z]+_).*[^.]$/);
        const commands = shellLine(line);
        expect(commands, line).toHaveLength(1);
        const command = await parsed(commands[0]!);
        expect(command, line).toMatch(new RegExp(`^${name}( |$)`));
        expect(command, line).not.toContain('error: ');
      }
    },
  );
});

describe('gwtoken', () => {
  test('alone prints the help, grouped, on one screen', async () => {
    const session = openSession();
    try {
      const { code, stdout, stderr } = await session.gwtoken([]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(await session.gwtoken(['--help'])).toMatchObject({ stdout });
      expect(await session.gwtoken(['help'])).toMatchObject({ stdout });
      const lines = stdout.trimEnd().split('\n');
      // With the prompt below it, the height of a terminal.
      expect(lines.length).toBeLessThanOrEqual(23);
      expect(lines.filter((line) => line.length > 80)).toEqual([]);
      expect(stdout).toContain('gwtoken login');
      for (const { name } of VERBS) expect(stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'));
      expect(stdout).toContain(`\nTopics: ${Object.keys(TOPICS).join(', ')}.\n`);
      expect(await session.gwtoken(['help', 'help'])).toMatchObject({
        stdout: expect.stringMatching(/^ {2}exit-codes {3}what each exit code means/m),
      });
      // Every command has its place.
      expect(stdout).not.toContain('\nCommands:');
      expect(stdout).not.toContain('\x1b');
    } finally {
      session.remove();
    }
  });

  test.each([
    [['gte'], 'Did you mean get?'],
    [['get', '--regoin', 'eu'], 'Did you mean --region?'],
    [['config', 'sett'], 'Did you mean set?'],
    [['help', 'enviroment'], 'the topics are: environment'],
  ])('%j gets a suggestion', async (words, hint) => {
    const session = openSession();
    try {
      const { code, stdout, stderr } = await session.gwtoken(words);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(`hint: ${hint}`);
    } finally {
      session.remove();
    }
  });

  test('help takes what every command takes', async () => {
    expect(await helpOf(['help', '--version'])).toBe('1.2.3\n');
    expect(await helpOf(['help', '--help'])).toContain('Usage: gwtoken help [COMMAND|TOPIC]\n');
    expect(await helpOf(['help', '-v', 'get'])).toBe(await helpOf(['get', '--help']));
  });

  test.each(Object.keys(TOPICS))('help %s prints the topic', async (name) => {
    const session = openSession();
    try {
      const { code, stdout, stderr } = await session.gwtoken(['help', name]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toBe(await TOPICS[name]!.text());
    } finally {
      session.remove();
    }
  });
});

// A table that can be empty checks nothing.
test('there are the commands of the contract', () => {
  const names: (readonly [string, Verb])[] = verbs.map(({ path, verb }) => [path.join(' '), verb]);
  for (const name of ['get', 'login', 'status', 'config set', 'completion'])
    expect(names.map(([each]) => each)).toContain(name);
});
