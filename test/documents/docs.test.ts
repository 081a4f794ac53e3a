/** The documents name everything that gwtoken has, and nothing that it does not have. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { REPLACED } from '../../bin/build/bun.mjs';
import { TOPICS } from '../../src/cli/topics';
import { REGIONS } from '../../src/client';
import { COMMANDS } from '../../src/commands/grammar';
import { SECRET_LIMIT } from '../../src/credentials/credentials';
import { ITEM_LIMIT } from '../../src/credentials/keychain';
import { CREDENTIAL_VARIABLES } from '../../src/credentials/variables';
import { EXEC_FAILED, EXIT_CODES } from '../../src/errors';
import { DEFAULT_PREFIX, tokenVariables } from '../../src/formats/token-variables';
import { allKeys, configKeys, ROWS, SETTINGS, variableOf } from '../../src/settings/table';
import { MOST_RETRIES } from '../../src/settings/values';
import { ANSWER_WITHIN_MS } from '../../src/surroundings';
import { NOTICE_AFTER_MS } from '../../src/system/keychain/ask';
import { duration } from '../../src/text';
import { FIRST_WAIT_MS } from '../../src/token/fetch';
import { LEAST_DURING_OUTAGE_MS } from '../../src/token/get-token';
import { OVERALL_TIMEOUTS } from '../../src/token/query';
import { RETRIED_STATUSES } from '../../src/token/reply';
import { allCommands, codeLines, commandOf, gwtokenLines, longForm } from '../harness/command-lines';
import { ROOT } from '../harness/root';

const read = (...path: string[]): string => readFileSync(join(ROOT, ...path), 'utf8');
const FOLDER = join('src', 'cli', 'topics');
const topics = Object.fromEntries(
  readdirSync(join(ROOT, FOLDER))
    .filter((name) => name.endsWith('.md'))
    .map((name) => [name.replace('.md', ''), read(FOLDER, name)]),
);
const readme = read('README.md');
const texts = { README: readme, ...topics };
const { version, scripts } = JSON.parse(read('package.json')) as { version: string; scripts: object };

/** Every variable of gwtoken's that the code reads. */
const variables = new Set([
  ...ROWS.flatMap((row) => allKeys(row).flatMap((key) => variableOf(row, key) ?? [])),
  ...CREDENTIAL_VARIABLES,
  ...['GWTOKEN_CONFIG_DIR', 'GWTOKEN_CACHE_DIR'],
]);
/** The variables that `env` and `exec` set. */
const SET = [
  ...tokenVariables(undefined, { prefix: DEFAULT_PREFIX }).map(({ name }) => name),
  `${DEFAULT_PREFIX}TOKEN_FILE`,
];

describe('the documents name', () => {
  test('every topic of gwtoken help (README)', () => {
    expect(Object.keys(TOPICS).sort()).toEqual(Object.keys(topics).sort());
    for (const name of Object.keys(TOPICS)) expect(readme).toContain(`[${name}](src/cli/topics/${name}.md)`);
  });

  test('every variable and config key (topic settings)', () => {
    expect(variables.size).toBeGreaterThan(30);
    // One sentence covers the sandbox's variables of a region: "each with _EU or _US".
    const suffix = new RegExp(`(?<=^GWTOKEN_SANDBOX_CLIENT_\\w+)_(${REGIONS.join('|')})$`, 'i');
    const shown = [...variables].map((name) => name.replace(suffix, ''));
    for (const name of [...shown, ...configKeys()]) expect(topics['settings']).toContain(`\`${name}\``);
  });

  test('the flag, variable, config key and default of each setting (tables of the topic settings)', () => {
    const cells = topics['settings']!.match(/^\|.*/gm)!.map((line) => line.split(/ *\| */).slice(1, -1));
    const code = (name: string | undefined) => (name ? `\`${name}\`` : '');
    const names = ROWS.map((row) => {
      const [spec = ''] = Object.keys(row.flags ?? {});
      const flag = spec.replace(/ <.*/, '').split(', ').map(code).join(', ');
      return [flag, code(variableOf(row, row.key)), code(row.key)];
    });
    expect(cells.filter(({ length }) => length === 3).slice(2)).toEqual(names);
    for (const { name, key, fallback, show = String } of ROWS)
      if (fallback !== undefined) expect(cells).toContainEqual([name ?? key, show(fallback)]);
  });

  test('every flag (README or a topic)', () => {
    const all = Object.values(texts).join('\n');
    const flags = allCommands(COMMANDS).flatMap(({ command }) => command.flags.map(longForm));
    expect(flags.filter((flag) => !new RegExp(`${flag}(?![\\w-])`).test(all))).toEqual([]);
  });

  test('every exit code and retried status (topics exit-codes, network)', () => {
    const rows = [...topics['exit-codes']!.matchAll(/^\| (\d+) /gm)].map(([, code]) => Number(code));
    expect(rows).toEqual([0, ...Object.values(EXIT_CODES), EXEC_FAILED].sort((a, b) => a - b));
    const [, list = '', last = ''] = /HTTP ([\d, ]+) and (\d+)\./.exec(topics['network']!) ?? [];
    expect([...list.split(', '), last].map(Number)).toEqual(RETRIED_STATUSES);
  });

  test("every text that the build replaces in Bun's runtime (SECURITY)", () => {
    const security = read('.github', 'SECURITY.md');
    for (const replaced of Object.keys(REPLACED)) expect(security).toContain(`| \`${replaced}\` |`);
  });

  test('commands, settings and exit codes (man page, without warnings)', ({ needs }) => {
    needs('mandoc');
    const mandoc = (...args: string[]) =>
      execFileSync('mandoc', [...args, join(ROOT, 'dist', 'gwtoken.1')], { encoding: 'utf8' });
    mandoc('-Tlint', '-W', 'warning');
    const page = mandoc('-Tascii').replace(/.[\b]/g, '');
    const helps = allCommands(COMMANDS).map(({ path }) => `Usage: gwtoken ${path.join(' ')}`);
    for (const text of [`gwtoken ${version}`, ...helps, 'GWTOKEN_SANDBOX ', '| 125  | exec, curl:'])
      expect(page).toContain(text);
  });
});

describe.each(Object.entries(texts))('%s', (_, text) => {
  test('names only existing variables', () => {
    const named = [...text.matchAll(/\bGWTOKEN_[A-Z_]*[A-Z]\b/g)].map(([name]) => name);
    const known = [...variables, ...SET];
    const unknown = named.filter((name) => !known.some((each) => `${each}_`.startsWith(`${name}_`)));
    expect(unknown).toEqual([]);
  });

  test('contains no line with a character that zsh expands outside quotes', () => {
    const inline = [...text.matchAll(/`((?:gwtoken|eval|npm) [^`\n]+)`/g)].map(([, line = '']) => line);
    const bare = inline.map((line) => line.replace(/'[^']*'|"[^"]*"/g, ''));
    expect(bare.filter((line) => /[?*[{#~]| =/.test(line))).toEqual([]);
  });

  test('contains only valid command lines', () => {
    const lines = codeLines(text).flatMap(gwtokenLines);
    expect(lines.length).toBeGreaterThan(2);
    const wrong: string[] = [];
    for (const words of lines) {
      if (words.length === 0 || /^(COMMAND|help TOPIC)\b/.test(words.join(' '))) continue;
      try {
        commandOf(words);
      } catch (error) {
        // Prose may name a command without its arguments.
        if (!String(error).includes('missing required argument')) wrong.push(`${words.join(' ')}: ${error}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

const NUMBERS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

const [person, nobody] = [ANSWER_WITHIN_MS.person, ANSWER_WITHIN_MS.nobody].map(duration);
const timeout = duration(SETTINGS.timeoutMs.fallback);
const together = `${NUMBERS[OVERALL_TIMEOUTS]} times`;
const retries = SETTINGS.retries.fallback;

/** Phrases with the figures of each document, and of the help of the flags. */
const FIGURES: Readonly<Record<string, readonly string[]>> = {
  README: [`room for ${NUMBERS[REGIONS.length * 2]} clients`],
  ci: [`may take ${person} if stderr is a terminal, otherwise ${nobody}`, `${SECRET_LIMIT / 1024} KiB`],
  keychain: [
    `says so after ${duration(NOTICE_AFTER_MS)}`,
    `waits ${person} if stderr is a terminal and there is a desktop, otherwise ${nobody},`,
    `at most ${ITEM_LIMIT.toLocaleString('en')} bytes`,
  ],
  network: [
    `takes at most ${timeout}`,
    `together ${together} that`,
    `valid for ${duration(LEAST_DURING_OUTAGE_MS)} more`,
    `retries ${retries === 2 ? 'twice' : `${retries} times`}`,
    `0 to ${MOST_RETRIES}`,
    `up to ${duration(FIRST_WAIT_MS)}, then ${duration(2 * FIRST_WAIT_MS)}, ${duration(4 * FIRST_WAIT_MS)} and`,
  ],
  recipes: [`${together} \`--timeout\``],
  settings: [`${person} on a desktop terminal, else ${nobody}`, `0 to ${MOST_RETRIES}`],
  shells: [`with ${EXEC_FAILED} to ${EXIT_CODES['not-found']}`],
  flags: [`together: ${together} that`, `default: ${retries}`],
};

test.each(Object.entries(FIGURES))('%s: the figures are those of the code', (name, phrases) => {
  const flags = ROWS.flatMap((row) => Object.values(row.flags ?? {})).join('\n');
  const text = { ...texts, flags }[name]!.replace(/\s+/g, ' ');
  expect(phrases.filter((phrase) => !text.includes(phrase))).toEqual([]);
});

test.each(['README.md', '.github/CONTRIBUTING.md'])('%s names only existing files and scripts', (file) => {
  const text = read(file);
  const paths = text.match(/(?<![\w./~-])(?:src|test|bin|\.ci|\.github)\/[\w./-]*\w/g) ?? [];
  expect(paths.length).toBeGreaterThan(5);
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  const named = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, script]) => script!);
  expect(named.filter((script) => !Object.hasOwn(scripts, script))).toEqual([]);
});
