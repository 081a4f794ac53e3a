/** The man page, as mandoc and man show it. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TOPICS } from '../../src/cli/topics';
import { CLIENT_FLAGS, FETCH_FLAGS, VERBOSE } from '../../src/commands/flags';
import { COMMANDS } from '../../src/commands/grammar';
import { EXIT_CODES } from '../../src/exit-codes';
import { ROOT } from '../harness/root';
import { allCommands } from './grammar';

const { man, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const page = join(ROOT, man[0]);
const MANDOC = '/usr/bin/mandoc';

const shown = (): string =>
  execFileSync(MANDOC, ['-Tascii', '-O', 'width=80', page], { encoding: 'utf8' }).replace(/.[\b]/g, '');

describe('the man page', () => {
  test('has nothing that mandoc warns of', ({ needs }) => {
    needs('mandoc');
    execFileSync(MANDOC, ['-Tlint', '-W', 'warning', page], { encoding: 'utf8' });
  });

  test('has the sections that every man page has, in their order', ({ needs }) => {
    needs('mandoc');
    expect(shown().match(/^[A-Z][A-Z ]+$/gm)).toEqual(
      `NAME SYNOPSIS DESCRIPTION COMMANDS OPTIONS ENVIRONMENT FILES EXIT-STATUS EXAMPLES SECURITY SEE-ALSO`
        .split(' ')
        .map((name) => name.replace('-', ' ')),
    );
  });

  test('has every command with its flags, each once, its examples, and names every topic', ({ needs }) => {
    needs('mandoc');
    const text = shown();
    const words = text.replace(/\s+/g, ' ');
    expect(words).toContain(`gwtoken ${version}`);
    for (const { path, command } of allCommands(COMMANDS)) {
      expect(text).toMatch(new RegExp(`^   gwtoken ${path.join(' ')}( |$)`, 'm'));
      for (const { help } of command.flags) expect(words).toContain(help);
      for (const line of command.subcommands ? [] : Object.keys(command.examples))
        if (path.length === 1) expect(words).toContain(line);
    }
    for (const { help } of [...CLIENT_FLAGS, ...FETCH_FLAGS, VERBOSE])
      expect(words.split(help), help).toHaveLength(2);
    for (const [name, { summary }] of Object.entries(TOPICS)) expect(words).toContain(`${name} ${summary}`);
    for (const name of ['GWTOKEN_AUTH_URL[_EU|_US]', 'GWTOKEN_SANDBOX_CLIENT_SECRET_FILE', 'HTTPS_PROXY'])
      expect(words).toContain(name);
    for (const code of Object.values(EXIT_CODES)) expect(text).toMatch(new RegExp(`^ +${code}  `, 'm'));
    // Code keeps its line ends, tables have become lists, and no Markdown is left.
    expect(text).toMatch(/^ +gwtoken config list\n +gwtoken config get region$/m);
    expect(text).not.toMatch(/\|--|`|\*\*|^ *#/m);
  });
});
