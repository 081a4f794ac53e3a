/** The built program in real shells: in a script, the idioms of the help, and at an interactive prompt. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { envFormat, failureOutput } from '../../src/formats/env-formats';
import { printVariables } from '../../src/formats/format';
import { startTokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { openDirectory } from '../harness/homes/directory';
import { openHome } from '../harness/homes/home';
import { executable, linkProgram, runCommand } from '../harness/programs/program';
import { openTerminal } from '../harness/programs/terminal';
import { makeHostileDirectory } from './hostile-directory';
import { missing, SHELLS, type Shell, savedEnvironment } from './shells';

const EU_TOKEN = 'eu *\'t;$(touch PWNED)` \\ "~!#{a,b}';
const US_TOKEN = 'us [a-z]* | & < > ? % ^ -n';

/** Opens a home with `gwtoken` on PATH, and the clients of both regions in variables. */
async function openShellHome() {
  const endpoint = await startTokenEndpoint((_, form) =>
    form.get('client_id') === 'eu-client'
      ? tokenReply(EU_TOKEN, { scope: 'read  write *' })
      : tokenReply(US_TOKEN),
  );
  const { dir, env } = openHome();
  const bin = join(dir, 'bin');
  linkProgram(bin, [executable()]);
  return {
    dir,
    env: {
      ...env,
      PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`,
      SCRATCH: join(dir, 'sourced'),
      GWTOKEN_AUTH_URL: endpoint.authUrl,
      GWTOKEN_CLIENT_ID_EU: 'eu-client',
      GWTOKEN_CLIENT_SECRET_EU: 'eu-secret',
      GWTOKEN_CLIENT_ID_US: 'us-client',
      GWTOKEN_CLIENT_SECRET_US: 'us-secret',
    },
  };
}

/** Returns the command line of `gwtoken env` for this shell. */
function envCommand(shell: Shell, flags: string): string {
  return `gwtoken env${shell.format === 'sh' ? '' : ` --format ${shell.format}`} ${flags}`;
}

/** Runs a script in the shell. */
function runScript(
  shell: Shell,
  lines: readonly string[],
  more: { cwd?: string; env: Record<string, string> },
) {
  const script = join(home.dir, `script-${shell.name}`);
  writeFileSync(script, `${lines.join('\n')}\n`);
  return runCommand([shell.command, ...shell.args, script], {
    cwd: more.cwd ?? home.dir,
    env: { ...home.env, SCRATCH: join(home.dir, `sourced-${shell.name}`), ...more.env },
  });
}

let home: Awaited<ReturnType<typeof openShellHome>>;
beforeAll(async () => {
  home = await openShellHome();
});

/** Returns the token variables in an environment that `shell.save` wrote. */
const tokenVariablesIn = (path: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(savedEnvironment(path)).filter(([name]) =>
      /^(EU|US|GWTOKEN)_(ACCESS_TOKEN|TOKEN_TYPE|EXPIRES_AT|SCOPE)$/.test(name),
    ),
  );

/** One shell of each format. The others get the same texts, which encoding.system.test.ts evaluates in all shells. */
const ONE_OF_EACH = SHELLS.filter(
  ({ name, format }) => SHELLS.find((each) => each.format === format)?.name === name,
);

test.for(ONE_OF_EACH)(
  '$name holds two clients by prefix, and a failure of env ends the script with 2',
  async (shell, { needs }) => {
    needs(missing(shell));
    const hostile = join(home.dir, `hostile-${shell.name}`);
    const output = printVariables(
      [
        { name: 'EU_ACCESS_TOKEN', value: EU_TOKEN },
        { name: 'US_ACCESS_TOKEN', value: US_TOKEN },
        { name: 'EU_SCOPE', value: 'read  write *' },
      ],
      envFormat(shell.format),
    );
    const createdFiles = makeHostileDirectory(hostile, [output]);
    const [evaluate] = Object.values(shell.contexts);
    const env = (flags: string) => evaluate!(envCommand(shell, flags));
    const saved = (step: string): string => join(home.dir, `${shell.name}-${step}`);
    const lines = [
      // env succeeds after a command that failed.
      'false',
      env('--region eu --prefix EU_'),
      `test ${shell.format === 'sh' ? '$?' : '$status'} = 0 || exit 9`,
      env('--region us --prefix US_'),
      shell.save(saved('both')),
      env('--region us --prefix EU_'),
      shell.save(saved('replaced')),
      env('--unset --prefix EU_'),
      shell.save(saved('unset')),
      env('--regoin eu'),
      ...shell.keepStatus(shell.save(saved('failed'))),
    ];
    const stale = { GWTOKEN_ACCESS_TOKEN: 'stale', GWTOKEN_SCOPE: 'stale' };
    const result = await runScript(shell, lines, { cwd: hostile, env: stale });

    expect(result).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/^gwtoken: error: /) });
    const expiry = expect.stringMatching(/^\d{10}$/);
    const us = { US_ACCESS_TOKEN: US_TOKEN, US_TOKEN_TYPE: 'bearer', US_EXPIRES_AT: expiry };
    const eu = { EU_TOKEN_TYPE: 'bearer', EU_EXPIRES_AT: expiry };
    const both = { ...stale, ...us, ...eu, EU_ACCESS_TOKEN: EU_TOKEN, EU_SCOPE: 'read  write *' };
    expect(tokenVariablesIn(saved('both'))).toEqual(both);
    const replaced = { ...stale, ...us, ...eu, EU_ACCESS_TOKEN: US_TOKEN };
    expect(tokenVariablesIn(saved('replaced'))).toEqual(replaced);
    expect(tokenVariablesIn(saved('unset'))).toEqual({ ...stale, ...us });
    expect(tokenVariablesIn(saved('failed'))).toEqual(us);
    expect(createdFiles()).toEqual([]);
  },
);

/** The idioms of `gwtoken help shells` for scripts. */
const IDIOMS: Readonly<Record<string, readonly string[]>> = {
  'with a check of the variable': [
    'unset GWTOKEN_ACCESS_TOKEN',
    'eval $(gwtoken env --region eu)',
    `: "$\{GWTOKEN_ACCESS_TOKEN:?}"`,
  ],
  'in two steps under set -e': ['set -e', 'o=$(gwtoken env --region eu)', 'eval "$o"'],
  'a token in a variable': ['T=$(gwtoken get --region eu) || exit; export T'],
};

describe('the idioms of gwtoken help shells', () => {
  let paths: readonly string[];
  /** Puts a program on PATH that prints what a failing env prints. The other PATH has no gwtoken. */
  beforeAll(() => {
    const [bin, output] = [openDirectory(), join(openDirectory(), 'output')];
    writeFileSync(output, failureOutput({}, 4));
    const lines = ['#!/bin/sh', `[ "$1" = env ] && cat '${output}'`, 'exit 4', ''];
    writeFileSync(join(bin, 'gwtoken'), lines.join('\n'), { mode: 0o755 });
    paths = [`${bin}:/usr/bin:/bin`, '/usr/bin:/bin'];
  });

  const posixShells = SHELLS.filter(({ format }) => format === 'sh');
  test.for(posixShells)('stop a script of $name after a failure', async (shell, { needs }) => {
    needs(missing(shell));
    for (const [name, lines] of Object.entries(IDIOMS)) {
      for (const PATH of paths) {
        const script = [...lines, 'echo "the script goes on"'];
        const env = { GWTOKEN_ACCESS_TOKEN: 'stale', PATH };
        const result = await runScript(shell, script, { env });
        expect([name, result.stdout]).toEqual([name, '']);
        expect(result.code).not.toBe(0);
      }
    }
  });
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
      const [typed, shown] = AFTER[shell.format];
      const evaluate = Object.values(shell.contexts)[0]!;
      await terminal.waitFor(/ready>|[#>]/);
      terminal.type(`${evaluate(envCommand(shell, '--regoin eu'))}\r`);
      await terminal.waitFor('unknown option');
      terminal.type(`${typed}\r`);
      await terminal.waitFor(shown);
      terminal.type('exit\r');
      await terminal.exit;
      expect(terminal.screen()).not.toContain('stale');
    });
  }
});
