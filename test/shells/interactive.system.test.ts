/** A failure at the prompt of an interactive shell. */
import { beforeAll, describe, expect, test } from 'vitest';
import { openTerminal } from '../harness/programs/terminal';
import { envCommand, openShellHome, type ShellHome } from './shell-home';
import { missing, SHELLS, type Shell } from './shells';

let home: ShellHome;
beforeAll(async () => {
  home = await openShellHome();
});

/** The next line that is typed, and its output in a living shell. The typed line itself must not match. */
const AFTER: Readonly<Record<Shell['format'], readonly [typed: string, shown: RegExp]>> = {
  sh: [`echo "alive $? $\{GWTOKEN_ACCESS_TOKEN-gone}"`, /alive 2 gone/],
  fish: ['echo alive $status (set -q GWTOKEN_ACCESS_TOKEN || echo gone)', /alive 2 gone/],
};

const INTERACTIVE: Readonly<Record<string, readonly string[]>> = {
  zsh: ['-f', '-i'],
  bash: ['--norc', '-i'],
};

describe('a failure of env', () => {
  for (const shell of SHELLS) {
    test(`keeps ${shell.name} running and removes the token`, async ({ needs }) => {
      needs(missing(shell));
      const flag = shell.format === 'sh' ? (INTERACTIVE[shell.name] ?? ['-i']) : [];
      const env = { ...home.env, GWTOKEN_ACCESS_TOKEN: 'stale', PS1: 'ready> ' };
      const terminal = openTerminal([shell.command, ...shell.args, ...flag], { env, cwd: home.dir });
      try {
        const [typed, shown] = AFTER[shell.format];
        const evaluate = Object.values(shell.contexts)[0]!;
        await terminal.waitFor(/ready>|[#>]/, 20_000);
        terminal.type(`${evaluate(envCommand(shell, '--regoin eu'))}\r`);
        await terminal.waitFor('unknown option', 20_000);
        terminal.type(`${typed}\r`);
        await terminal.waitFor(shown, 20_000);
        terminal.type('exit\r');
        await terminal.exit;
      } finally {
        await terminal.close();
      }
      expect(terminal.screen()).not.toContain('stale');
    });
  }
});
