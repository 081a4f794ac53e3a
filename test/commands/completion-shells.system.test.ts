/** Presses Tab in real shells with the completion scripts. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openHome } from '../harness/homes/home';
import { missing } from '../harness/needs';
import { executable, linkProgram, runCommand } from '../harness/programs/program';
import { openTerminal, type Terminal } from '../harness/programs/terminal';

const CONFIG = { profiles: { acme: { region: 'eu' }, zulu: { region: 'us' } } };

/** Opens a home with gwtoken on PATH. */
function openConfigured() {
  const home = openHome();
  home.configure(CONFIG);
  const PATH = linkProgram(join(home.dir, 'bin'), [executable()]);
  return { dir: home.dir, env: { ...home.env, PATH, LC_ALL: 'C.UTF-8' } };
}

/** Opens a shell on a terminal, with its completion script. Resolves when it reads keys. */
async function open(shell: keyof typeof SHELLS) {
  const { dir, env } = openConfigured();
  for (const name of ['trusted-authority.pem', 'several.crt', 'several.pem', 'with blank.pem'])
    writeFileSync(join(dir, name), '');
  const terminal = openTerminal([shell, ...SHELLS[shell].args], { env, cwd: dir, cols: 120 });
  terminal.type(`${SHELLS[shell].setUp}; echo rea""dy\r`);
  await terminal.waitFor('ready');
  return { dir, terminal };
}

const [CTRL_A, CTRL_B, CTRL_E, CTRL_U] = ['\x01', '\x02', '\x05', '\x15'];

/** Types the line, presses Tab, and lets echo print the completed line: Ctrl-A and Ctrl-E jump to its ends. */
function typeTab({ type }: Terminal, line: string, quote = '"'): void {
  type(`${line}\t${CTRL_A}echo ${quote}${CTRL_E}${quote}\r`);
}

const SHELLS = {
  bash: { args: ['--norc', '--noprofile'], setUp: 'eval "$(gwtoken completion bash)"' },
  zsh: {
    args: ['-f'],
    setUp: `mkdir site; gwtoken completion zsh >site/_gwtoken; fpath=($PWD/site $fpath)
      autoload -Uz compinit; compinit -u`,
  },
  fish: { args: ['--no-config'], setUp: 'gwtoken completion fish | source' },
} as const;

/** The tests of a shell share its terminal and run in this order: the last one breaks the program. */
describe.each(['bash', 'zsh', 'fish'] as const)('%s, at a press of Tab', (shell) => {
  let dir: string;
  let terminal: Terminal;
  beforeAll(async () => {
    if (missing('posix', shell) === undefined) ({ dir, terminal } = await open(shell));
  });
  beforeEach(({ needs }) => needs('posix', shell));

  // zsh reads the script from a file in fpath at the first Tab.
  test('completes at the first Tab', async () => {
    typeTab(terminal, 'gwtoken g');
    await terminal.waitFor(/^gwtoken get *$/m);
  });

  test('lists all candidates and runs nothing on the line', async () => {
    terminal.type('gwtoken get $(touch ran) >made --format \t\t');
    await terminal.waitFor(/curl[\s\S]*json|json[\s\S]*curl/);
    // zsh shows a `--` only before a description; without descriptions words stand side by side.
    if (shell === 'zsh') await terminal.waitFor(/\bjson +token\b/);
    // Completes no file names where no file is expected.
    expect(terminal.screen()).not.toContain('several');
    terminal.type(`${CTRL_U}gwtoken config \t\t`);
    const described = {
      bash: /list +path/,
      zsh: /list +-- list the settings/,
      fish: /list +\(list the settings/,
    };
    await terminal.waitFor(described[shell]);
    if (shell === 'fish') {
      typeTab(terminal, `${CTRL_U}gwtoken exec -- (touch ran)`, "'");
      await terminal.waitFor(/^gwtoken exec -- \(touch ran\)/m);
    }
    expect(readdirSync(dir)).not.toContain('ran');
    expect(readdirSync(dir)).not.toContain('made');
  });

  test('completes values, programs and files', async () => {
    for (const [typed, whole] of [
      ['gwtoken config set region e', 'gwtoken config set region eu'],
      ['gwtoken exec -- truste', 'gwtoken exec -- trusted-authority.pem'],
      ['gwtoken exec -- gwtok', 'gwtoken exec -- gwtoken'],
      ['gwtoken get --ca-file sev', 'gwtoken get --ca-file several.'],
      ['gwtoken get --ca-file wi', 'gwtoken get --ca-file with\\\\ blank.pem'],
    ] as const) {
      typeTab(terminal, CTRL_U + typed);
      await terminal.waitFor(new RegExp(`^${whole} *$`, 'm'));
    }
  });

  test('completes the word at the cursor, with words after it', async () => {
    const after = ' --region eu';
    typeTab(terminal, `gwtoken get --fr${after}${CTRL_B.repeat(after.length)}`);
    await terminal.waitFor(/^gwtoken get --fresh +--region eu *$/m);
  });

  if (shell === 'zsh') {
    test('completes by a script in an eval', async () => {
      const forget = 'compdef -d gwtoken; unfunction _gwtoken';
      terminal.type(`${CTRL_U}${forget}; eval "$(gwtoken completion zsh)"; echo evalu""ated\r`);
      await terminal.waitFor('evaluated');
      // zsh's script parses quotes; bash's script does not.
      typeTab(terminal, 'gwtoken config set "region" "e', "'");
      await terminal.waitFor(/^gwtoken config set "region" "eu" *$/m);
    });
  }

  // A version manager may switch Node off.
  test('leaves the line unchanged without a message if gwtoken cannot start', async () => {
    const program = join(dir, 'bin', 'gwtoken');
    rmSync(program);
    typeTab(terminal, 'gwtoken get --fr');
    await terminal.waitFor(/^gwtoken get --fr *$/m);
    writeFileSync(program, '#!/usr/bin/env no-such-node\n', { mode: 0o755 });
    typeTab(terminal, 'gwtoken get --re');
    const silent = await terminal.waitFor(/^gwtoken get --re *$/m);
    expect(silent).not.toMatch(/not found|No such file|Unknown command/i);
  });
});

test('zsh that has not loaded its completion completes by a script in an eval', async ({ needs }) => {
  needs('posix', 'zsh');
  const { dir, env } = openConfigured();
  const terminal = openTerminal(['zsh', '-f'], { env, cwd: dir, cols: 120 });
  terminal.type('eval "$(gwtoken completion zsh)"; echo rea""dy\r');
  expect(await terminal.waitFor('ready')).not.toContain('command not found');
  typeTab(terminal, 'gwtoken g');
  await terminal.waitFor(/^gwtoken get *$/m);
});

// bash 3.2 has no compopt.
test('bash completes a file without compopt, whatever IFS is', async ({ needs }) => {
  needs('posix', 'bash');
  const line = `eval "$(gwtoken completion bash)"; enable -n compopt; IFS=,
    COMP_LINE='gwtoken get --ca-file bi'; COMP_POINT=\${#COMP_LINE}; _gwtoken; echo "\${COMPREPLY[@]}" "$IFS"`;
  const { dir, env } = openConfigured();
  const completed = { stdout: 'bin ,\n', stderr: '' };
  expect(await runCommand(['bash', '-c', line], { env, cwd: dir })).toMatchObject(completed);
});
