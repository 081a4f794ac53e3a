import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/commands/all';
import { ENV_FORMATS, GET_FORMATS, spellings } from '../../src/flags';
import { configKeys } from '../../src/settings/config-keys';
import { type Home, openHome } from '../harness/homes/home';
import { type Inside, inside } from '../harness/homes/in-process';
import { linkProgram, runCommand } from '../harness/programs/program';
import { openTerminal, type Terminal } from '../harness/programs/terminal';

const CONFIG = { profiles: { acme: { region: 'eu' }, zulu: { region: 'us' } } };

describe('gwtoken complete', () => {
  let gw: Inside;
  beforeEach(() => {
    gw = inside();
    gw.configure(CONFIG);
  });
  const printed = async (...words: string[]): Promise<string> => {
    const { code, stdout, stderr } = await gw.cli(['complete', '--', ...words]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout;
  };
  const completed = async (...words: string[]): Promise<string[]> =>
    (await printed(...words)).split('\n').flatMap((line) => (line === '' ? [] : [line.split('\t')[0]!]));
  /** Puts clients with these names into the list of stored ones. */
  const storeClients = (...names: string[]) => {
    const entry = { client_id: 'id', auth_url: 'https://a.test' };
    const text = JSON.stringify(Object.fromEntries(names.map((name) => [name, entry])));
    writeFileSync(join(gw.config, 'clients.json'), text, { mode: 0o600 });
  };

  test('knows every command, flag, format, region, profile and config key', async () => {
    expect(await completed('')).toEqual(COMMANDS.map(({ name }) => name));
    expect(await completed('help', 'e')).toEqual(['env', 'exec', 'environment', 'exit-codes']);
    for (const command of COMMANDS.filter(({ flags }) => flags.length > 0)) {
      const flags = await completed(command.name, '--');
      expect(flags).toEqual(expect.arrayContaining(command.flags.flatMap(spellings)));
    }
    expect(await completed('get', '--format', '')).toEqual(GET_FORMATS);
    expect(await completed('get', '--format=j')).toEqual(['--format=json']);
    expect(await completed('get', '-r', '')).toEqual(['eu', 'us']);
    expect(await completed('login', '--sandbox', '--region', 'u')).toEqual(['us']);
    expect(await completed('status', '--profile', '')).toEqual(['acme', 'default', 'zulu']);
    expect(await completed('config', '')).toEqual(['list', 'get', 'set', 'unset', 'path']);
    expect(await completed('config', 'get', '')).toEqual(configKeys());
    expect(await completed('config', 'set', 'sandbox.')).toEqual([
      'sandbox.auth-url',
      'sandbox.auth-url.eu',
      'sandbox.auth-url.us',
    ]);
    expect(await completed('config', 'set', 'region', '')).toEqual(['eu', 'us']);
    expect(await completed('config', 'set', 'cache', 'o')).toEqual(['on', 'off']);
    for (const key of ['retries', 'nothing', 'constructor'])
      expect(await completed('config', 'set', key, '')).toEqual([]);
    expect(await completed('help', '--format', '')).toEqual(['text', 'markdown']);
    expect(await completed('completion', '')).toEqual(['bash', 'zsh', 'fish', 'powershell']);
  });

  test('asks for files where a file is meant, and for nothing where only the user knows', async () => {
    expect(await completed('get', '--ca-file', '')).toEqual([':files']);
    expect(await completed('get', '--ca-file=')).toEqual([':files']);
    expect(await completed('get', '--auth-url=')).toEqual([]);
    expect(await completed('get', '--', 'x')).toEqual([':files']);
    expect(await completed('exec', '--', 'gi')).toEqual([':commands']);
    expect(await completed('exec', '-v', 'gi')).toEqual([':commands']);
    expect(await completed('exec', '--', 'git', 'x')).toEqual([':files']);
    for (const words of [[''], ['-'], ['-p', 'a'], ['commit', 'x']])
      expect([words, await completed('exec', '-p', 'acme', 'git', ...words)]).toEqual([words, [':files']]);
    expect(await completed('get', '--auth-url', '')).toEqual([]);
    expect(await completed('get', '--auth-url', 'https://a.test', '--fr')).toEqual(['--fresh']);
    expect(await completed('get', '--format', 'json', '')).toEqual([]);
  });

  test('offers names of profiles alone, whatever stands in the files', async () => {
    const names = [
      'fine.1_a-b',
      'a b',
      '$(id)',
      'x\ny',
      ':files',
      'Up',
      'tab\t',
      '',
      'ü',
      '-rf',
      'a'.repeat(65),
    ];
    gw.configure({ profiles: Object.fromEntries(names.map((name) => [name, {}])) });
    storeClients('stored:sandbox:us', 'fine.1_a-b:sandbox:us', '$(id):production:eu', 'a\nb:production:eu');
    expect(await completed('get', '--profile', '')).toEqual(['default', 'fine.1_a-b', 'stored']);
  });

  test('has the help beside each word, and takes a blank for a word that is empty', async () => {
    expect(await printed('config', 'l')).toBe('list\tlist the settings in the config file\n');
    expect(await printed('completion', '-')).toBe(
      '--verbose\tprint details to stderr\n--help\tshow this help\n--version\tprint the version\n',
    );
    expect(await printed('get', '--region', ' ')).toBe('eu\t\nus\t\n');
    expect(await printed('config', 'set', 'sandbox', '')).toBe('true\t\nfalse\t\n');
    const alone = (words: readonly string[]) => words.map((word) => `${word}\t\n`).join('');
    expect(await printed('env', '--format', '')).toBe(alone(ENV_FORMATS));
    expect(await printed('config', 'unset', '')).toBe(alone(configKeys()));
    expect(await printed('get', '--no-s')).toBe(
      '--no-sandbox\tuse production even if the settings say sandbox\n',
    );
    // What an option takes is no argument, even where nobody knows what it can be.
    expect(await printed('config', 'set', '-p', 'acme', 'region', '')).toBe(alone(['eu', 'us']));
    expect(await printed('exec', '--auth-url', 'https://a.test', '')).toBe(':commands\n');
    expect(await printed('get', '--fresh=')).toBe('');
  });

  test('says nothing of a config file that cannot be read', async () => {
    gw.configure('{');
    storeClients('stored:sandbox:us');
    expect(await completed('get', '--profile', '')).toEqual(['default', 'stored']);
  });

  test('has the script of PowerShell by both its names', async () => {
    const [powershell, pwsh] = [
      await gw.cli(['completion', 'powershell']),
      await gw.cli(['completion', 'pwsh']),
    ];
    // There is none here to run it in: whoever changes a word of it tries it on Windows.
    expect(powershell).toEqual({
      code: 0,
      stdout: `# PowerShell completion for gwtoken; in $PROFILE:
# gwtoken completion powershell | Out-String | Invoke-Expression

Register-ArgumentCompleter -Native -CommandName gwtoken -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.Extent.Text })
    $words += if ("$wordToComplete" -eq '') { ' ' } else { "$wordToComplete" }
    gwtoken complete '--' @words 2>$null | Where-Object { $_ -notlike ':*' } | ForEach-Object {
        $word, $help = $_ -split "\`t", 2
        if (-not $help) { $help = $word }
        [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $help)
    }
}
`,
      stderr: '',
    });
    expect(pwsh).toEqual(powershell);
  });

  test('has no script for another shell', async () => {
    for (const shell of ['tcsh', 'constructor'])
      expect(await gw.cli(['completion', shell])).toEqual({
        code: 2,
        stdout: '',
        stderr: `gwtoken: error: no completion for shell "${shell}"\nhint: use one of: bash, zsh, fish, powershell\n`,
      });
  });
});

let home: Home;
beforeEach(() => {
  home = openHome();
  home.configure(CONFIG);
});

/** A shell on a terminal, with gwtoken on its PATH and completed by what it prints. */
function open(shell: keyof typeof SHELLS, setUp: string = SHELLS[shell].setUp): Terminal {
  const bin = join(home.dir, 'bin');
  mkdirSync(bin);
  linkProgram(bin);
  for (const name of ['trusted-authority.pem', 'several.crt', 'several.pem', 'with blank.pem'])
    writeFileSync(join(home.dir, name), '');
  const env = { ...home.env, PATH: `${bin}${delimiter}${process.env['PATH']}`, LC_ALL: 'C.UTF-8' };
  const terminal = openTerminal([shell, ...SHELLS[shell].args], { env, cwd: home.dir, cols: 120 });
  terminal.type(`${setUp}; echo rea""dy\r`);
  return terminal;
}

const SHELLS = {
  bash: { args: ['--norc', '--noprofile'], setUp: 'eval "$(gwtoken completion bash)"' },
  zsh: { args: ['-f'], setUp: 'autoload -Uz compinit; compinit -u; eval "$(gwtoken completion zsh)"' },
  fish: { args: ['--no-config'], setUp: 'gwtoken completion fish | source' },
} as const;

const missing = (shell: string): boolean =>
  !(process.env['PATH'] ?? '').split(delimiter).some((dir) => existsSync(join(dir, shell)));

describe.each(['bash', 'zsh', 'fish'] as const)('%s, at a press of Tab', (shell) => {
  test.for([
    ['gwtoken g', 'gwtoken get'],
    ['gwtoken get --fr', 'gwtoken get --fresh'],
    ['gwtoken get --region e', 'gwtoken get --region eu'],
    ['gwtoken get --format h', 'gwtoken get --format header'],
    ['gwtoken get --format=h', 'gwtoken get --format=header'],
    ['gwtoken get --profile a', 'gwtoken get --profile acme'],
    ['gwtoken config get mi', 'gwtoken config get min-ttl'],
    ['gwtoken config set region e', 'gwtoken config set region eu'],
    ['gwtoken exec -- truste', 'gwtoken exec -- trusted-authority.pem'],
    ['gwtoken exec -- gwtok', 'gwtoken exec -- gwtoken'],
    ['gwtoken get --ca-file tr', 'gwtoken get --ca-file trusted-authority.pem'],
    ['gwtoken get --ca-file sev', 'gwtoken get --ca-file several.'],
    ['gwtoken get --ca-file=tr', 'gwtoken get --ca-file=trusted-authority.pem'],
    ['gwtoken get --ca-file wi', 'gwtoken get --ca-file with\\\\ blank.pem'],
  ])('%s becomes %s', async ([typed, whole], { skip }) => {
    skip(process.platform === 'win32', 'needs a POSIX system');
    skip(missing(shell), `needs Debian: ${shell}`);
    const opened = open(shell);
    await opened.waitFor('ready');
    // From the line's start: echo it, so that what stood on it comes back as a line of output.
    opened.type(`${typed}\t\x01echo "\x05"\r`);
    await opened.waitFor(new RegExp(`^${whole} *$`, 'm'));
  });

  test('completes the word at the cursor, whatever stands behind it', async ({ skip }) => {
    skip(process.platform === 'win32', 'needs a POSIX system');
    skip(missing(shell), `needs Debian: ${shell}`);
    const opened = open(shell);
    await opened.waitFor('ready');
    opened.type(
      'gwtoken get --fr --region eu\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\x02\t\x01echo "\x05"\r',
    );
    await opened.waitFor(/^gwtoken get --fresh +--region eu *$/m);
  });

  test('lists what there is, and runs nothing that stands on the line', async ({ skip }) => {
    skip(process.platform === 'win32', 'needs a POSIX system');
    skip(missing(shell), `needs Debian: ${shell}`);
    const opened = open(shell);
    await opened.waitFor('ready');
    opened.type('gwtoken get $(touch ran) >made --format \t\t');
    const shown = await opened.waitFor(/curl[\s\S]*json|json[\s\S]*curl/);
    expect(shown).toContain('header');
    // It announces a description with `--`: where there is none, words stand side by side.
    if (shell === 'zsh') await opened.waitFor(/^curl +header +json +token *$/m);
    // What is no file is no place for one.
    expect(opened.screen()).not.toContain('several');
    opened.type('\x15gwtoken config \t\t');
    const described = {
      bash: /list +path/,
      zsh: /list +-- list the settings/,
      fish: /list +\(list the settings/,
    };
    await opened.waitFor(described[shell]);
    expect(readdirSync(home.dir)).not.toContain('ran');
    expect(readdirSync(home.dir)).not.toContain('made');
    // With a version manager another Node is in use, or none: the line stays as it is.
    const program = join(home.dir, 'bin', 'gwtoken');
    rmSync(program);
    opened.type('\x15gwtoken get --fr\t\x01echo "\x05"\r');
    await opened.waitFor(/^gwtoken get --fr *$/m);
    writeFileSync(program, '#!/usr/bin/env no-such-node\n', { mode: 0o755 });
    opened.type('gwtoken get --re\t\x01echo "\x05"\r');
    const silent = await opened.waitFor(/^gwtoken get --re *$/m);
    expect(silent).not.toMatch(/not found|No such file|Unknown command/i);
  });
});

test('bash gets the whole word where "=" ends none, whatever its IFS is, which stays', async ({ skip }) => {
  skip(process.platform === 'win32', 'needs a POSIX system');
  skip(missing('bash'), 'needs Debian: bash');
  linkProgram(home.dir);
  const line = `eval "$(gwtoken completion bash)"; COMP_WORDBREAKS=' ' IFS=,
    COMP_LINE='gwtoken get --format=j'; COMP_POINT=\${#COMP_LINE}; _gwtoken; echo "\${COMPREPLY[@]}" "$IFS"`;
  const env = { ...home.env, PATH: `${home.dir}${delimiter}${process.env['PATH']}` };
  expect(await runCommand(['bash', '-c', line], { env })).toMatchObject({ stdout: '--format=json ,\n' });
});

test('bash says nothing of a compopt, which 3.2 does not have', async ({ skip }) => {
  skip(process.platform === 'win32', 'needs a POSIX system');
  skip(missing('bash'), 'needs Debian: bash');
  linkProgram(home.dir);
  const line = `eval "$(gwtoken completion bash)"; enable -n compopt
    COMP_LINE='gwtoken get --ca-file gwtok'; COMP_POINT=\${#COMP_LINE}; _gwtoken; echo "\${COMPREPLY[@]}"`;
  const env = { ...home.env, PATH: `${home.dir}${delimiter}${process.env['PATH']}` };
  expect(await runCommand(['bash', '-c', line], { env, cwd: home.dir })).toMatchObject({
    stdout: 'gwtoken\n',
    stderr: '',
  });
});

test('zsh completes at the first Tab also where the script is a file in its fpath', async ({ skip }) => {
  skip(process.platform === 'win32', 'needs a POSIX system');
  skip(missing('zsh'), 'needs Debian: zsh');
  const file = 'mkdir site; gwtoken completion zsh >site/_gwtoken; fpath=($PWD/site $fpath)';
  const opened = open('zsh', `${file}; autoload -Uz compinit; compinit -u`);
  await opened.waitFor('ready');
  // It reads quotes, which bash's script leaves as they are.
  opened.type('gwtoken config set "region" "e\t\x01echo \'\x05\'\r');
  await opened.waitFor(/^gwtoken config set "region" "eu" *$/m);
});
