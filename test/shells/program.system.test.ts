/** The built program in real shells: in a script, the idioms of the help, and at an interactive prompt. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { startTokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { openHome } from '../harness/homes/home';
import { executable, linkProgram, runCommand } from '../harness/programs/program';
import { openTerminal } from '../harness/programs/terminal';
import { SHELLS, type Shell, savedEnvironment } from './shells';

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
function runScript(shell: Shell, lines: readonly string[], env: Record<string, string>) {
  const script = join(home.dir, `script-${shell.name}`);
  writeFileSync(script, `${lines.join('\n')}\n`);
  return runCommand([shell.command, ...shell.args, script], {
    cwd: home.dir,
    env: { ...home.env, ...env },
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
    needs('posix', shell.debian);
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
    const result = await runScript(shell, lines, stale);

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
  },
);

/** The idioms of `gwtoken help shells` for scripts. */
const IDIOMS: Readonly<Record<string, readonly string[]>> = {
  'with a check of the variable': [
    'unset GWTOKEN_ACCESS_TOKEN',
    'eval $(gwtoken env --region mars)',
    `: "$\{GWTOKEN_ACCESS_TOKEN:?}"`,
  ],
  'in two steps under set -e': ['set -e', 'o=$(gwtoken env --region mars)', 'eval "$o"'],
  'a token in a variable': ['T=$(gwtoken get --region mars) || exit; export T'],
};

const POSIX = SHELLS.filter(({ format }) => format === 'sh');
test.for(POSIX)('the idioms of help shells stop a script of $name', async (shell, { needs }) => {
  needs('posix', shell.debian);
  // In the first PATH gwtoken fails, and the second one has no gwtoken.
  for (const PATH of [home.env.PATH, '/usr/bin:/bin'])
    for (const [name, lines] of Object.entries(IDIOMS)) {
      const script = [...lines, 'echo "the script goes on"'];
      const result = await runScript(shell, script, { GWTOKEN_ACCESS_TOKEN: 'stale', PATH });
      expect([name, result.stdout]).toEqual([name, '']);
      expect(result.code).not.toBe(0);
    }
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

test.for(SHELLS)('a failure of env keeps $name running and removes the token', async (shell, { needs }) => {
  needs('posix', shell.debian);
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
