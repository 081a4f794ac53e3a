/** Everything that there is, is documented: commands, flags, variables, keys, formats and exit codes. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TOPICS } from '../../src/cli/topics';
import { REGIONS } from '../../src/client';
import { COMMANDS } from '../../src/commands/grammar';
import { credentialVariableNames } from '../../src/credentials/variables';
import { EXEC_FAILED, EXIT_CODES } from '../../src/exit-codes';
import { DEFAULT_PREFIX, tokenVariableNames as tokenVariables } from '../../src/formats/format';
import { allKeys, configKeys, SETTINGS, variableOf } from '../../src/settings/table';
import { ROOT } from '../harness/root';
import { allCommands, codeLines, parsed, shellLine, typed } from './grammar';

const FOLDER = join(ROOT, 'src', 'cli', 'topics');
const topics = Object.fromEntries(
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.md'))
    .map((name) => [name.replace('.md', ''), readFileSync(join(FOLDER, name), 'utf8')]),
);
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
const texts = { README: readme, ...topics };
const all = Object.values(texts).join('\n');
const documents = Object.entries(texts);

/** Every variable of ours that the code reads or sets. */
const variables = new Set([
  ...Object.values(SETTINGS).flatMap((row) => allKeys(row).flatMap((key) => variableOf(row, key) ?? [])),
  ...REGIONS.flatMap((region) =>
    credentialVariableNames({ profile: 'default', environment: 'sandbox', region }),
  ),
  ...['GWTOKEN_CONFIG_DIR', 'GWTOKEN_CACHE_DIR'],
]);
/** What `env` and `exec` set. */
const SET = [...tokenVariables(DEFAULT_PREFIX), `${DEFAULT_PREFIX}TOKEN_FILE`];

const flags = new Set([
  '--help',
  '--version',
  ...allCommands(COMMANDS).flatMap(({ command }) => command.flags.map(typed)),
]);

describe('the topics', () => {
  test('are those of gwtoken help', () => {
    expect(Object.keys(TOPICS).sort()).toEqual(Object.keys(topics).sort());
  });
});

describe('what there is, is documented', () => {
  test('every variable, in the topic settings', () => {
    expect(variables.size).toBeGreaterThan(30);
    const sandbox = /^GWTOKEN_SANDBOX_CLIENT_\w+_(EU|US)$/;
    for (const name of variables) {
      // Said once for all of them: "each with _EU or _US".
      const said = sandbox.test(name) ? name.replace(/_(EU|US)$/, '') : name;
      expect(topics['settings'], name).toMatch(new RegExp(`\`${said}\``));
    }
  });

  test('every config key, in the topic settings', () => {
    for (const key of configKeys()) expect(topics['settings']).toContain(`\`${key}\``);
  });

  test('every flag, in the README or a topic', () => {
    const documented = [...flags].filter((flag) => !new RegExp(`${flag}(?![\\w-])`).test(all));
    expect(documented.filter((flag) => !['--help', '--version'].includes(flag))).toEqual([]);
  });

  test('every exit code, in the topic exit-codes', () => {
    const rows = [...topics['exit-codes']!.matchAll(/^\| (\d+) /gm)].map(([, code]) => Number(code));
    expect(rows).toEqual([0, ...Object.values(EXIT_CODES), EXEC_FAILED].sort((a, b) => a - b));
  });
});

describe.each(documents)('%s names nothing that there is not', (_, text) => {
  test('variables', () => {
    const named = [...text.matchAll(/\bGWTOKEN_[A-Z_]*[A-Z]\b/g)].map(([name]) => name);
    const known = new Set([...variables, ...SET]);
    const unknown = named.filter(
      (name) => !known.has(name) && ![...known].some((each) => each.startsWith(`${name}_`)),
    );
    expect(unknown).toEqual([]);
  });

  test('command lines', async () => {
    const lines = codeLines(text).flatMap(shellLine);
    expect(lines.length).toBeGreaterThan(2);
    const wrong: string[] = [];
    for (const words of lines) {
      if (words.length === 0 || /^(COMMAND|help TOPIC)\b/.test(words.join(' '))) continue;
      const command = await parsed(words);
      // Prose names a command without its arguments.
      if (command.includes('error: missing required argument')) continue;
      if (command.includes('error: ')) wrong.push(`${words.join(' ')}: ${command}`);
    }
    expect(wrong).toEqual([]);
  });
});
