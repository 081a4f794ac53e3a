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

  test('has every section, command, flag, example, topic and exit code', ({ needs }) => {
    needs('mandoc');
    const text = shown();
    expect(text.match(/^[A-Z][A-Z ]+$/gm)).toEqual(
      'NAME SYNOPSIS DESCRIPTION COMMANDS OPTIONS EXIT-STATUS EXAMPLES SEE-ALSO'
        .split(' ')
        .map((name) => name.replace('-', ' ')),
    );
    const words = text.replace(/\s+/g, ' ');
    expect(words).toContain(`gwtoken ${version}`);
    for (const { path, command } of allCommands(COMMANDS)) {
      expect(text).toMatch(new RegExp(`^   gwtoken ${path.join(' ')}( |$)`, 'm'));
      for (const { help } of command.flags) expect(words).toContain(help);
      for (const line of path.length === 1 ? Object.keys(command.examples) : [])
        expect(words).toContain(line);
    }
    for (const { help } of [...CLIENT_FLAGS, ...FETCH_FLAGS, VERBOSE])
      expect(words.split(help), help).toHaveLength(2);
    for (const [name, { summary }] of Object.entries(TOPICS)) expect(words).toContain(`${name} ${summary}`);
    expect(words).toContain('GWTOKEN_AUTH_URL[_EU|_US]');
    for (const code of Object.values(EXIT_CODES)) expect(text).toMatch(new RegExp(`^ +${code}  `, 'm'));
    expect(words).toContain('125 exec, curl: gwtoken itself failed');
  });
});
