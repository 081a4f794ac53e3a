import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/commands/all';
import { TOPICS } from '../../src/topics/topics';
import { ROOT } from '../harness/root';
import { allCommands } from './grammar';

const { man, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const page = join(ROOT, man[0]);
const MANDOC = '/usr/bin/mandoc';

const shown = (): string =>
  execFileSync(MANDOC, ['-Tascii', '-O', 'width=80', page], { encoding: 'utf8' }).replace(/.[\b]/g, '');

describe('the man page', () => {
  test('has nothing that mandoc warns of', ({ skip }) => {
    skip(!existsSync(MANDOC), 'needs Debian: mandoc');
    // Exit code 2 is a warning, and the text then says which.
    execFileSync(MANDOC, ['-Tlint', '-W', 'warning', page], { encoding: 'utf8' });
    const broken = `${readFileSync(page, 'utf8')}\n.SH\n.XX\n`;
    expect(() =>
      execFileSync(MANDOC, ['-Tlint', '-W', 'warning'], { input: broken, stdio: 'pipe' }),
    ).toThrow();
  });

  test('has every command with its flags and examples, and every topic', async ({ skip }) => {
    skip(!existsSync(MANDOC), 'needs Debian: mandoc');
    const text = shown();
    const words = text.replace(/\s+/g, ' ');
    expect(words).toContain(`gwtoken ${version}`);
    for (const { path, command } of allCommands(COMMANDS)) {
      expect(text).toMatch(new RegExp(`^   gwtoken ${path.join(' ')}( |$)`, 'm'));
      for (const { help } of command.flags) expect(words).toContain(help);
      for (const { line } of command.subcommands ? [] : (command.examples ?? []))
        expect(words).toContain(line);
    }
    for (const topic of Object.values(TOPICS)) {
      const [title = ''] = (await topic.text()).split('\n');
      expect(text).toContain(`\n${title.replace('# ', '').toUpperCase()}\n`);
    }
    expect(words).toContain('GWTOKEN_SANDBOX_CLIENT_SECRET_FILE');
    // Code keeps its line ends, and tables have become lists.
    expect(text).toMatch(/^ +esac$/m);
    expect(text).not.toContain('|--');
  });
});
