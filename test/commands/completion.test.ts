/** What the completion scripts ask for: the words that may stand at the cursor. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/commands/all';
import { spellings } from '../../src/commands/flags';
import { GET_FORMATS } from '../../src/formats/get';
import { ENV_FORMATS } from '../../src/formats/table';
import { configKeys } from '../../src/settings/table';
import { type Inside, inside } from '../harness/homes/in-process';

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

  test('lists every command, flag, format, region, profile and config key', async () => {
    expect(await completed('')).toEqual(COMMANDS.map(({ name }) => name));
    expect(await completed('help', 'ex')).toEqual(['exec', 'exit-codes']);
    for (const command of COMMANDS.filter(({ flags }) => flags.length > 0)) {
      const flags = await completed(command.name, '--');
      expect(flags).toEqual(expect.arrayContaining(command.flags.flatMap(spellings)));
    }
    expect(await completed('get', '--format', '')).toEqual(GET_FORMATS);
    expect(await completed('get', '--format=j')).toEqual(['--format=json']);
    expect(await completed('get', '-r', '')).toEqual(['eu', 'us']);
    expect(await completed('login', '--sandbox', '--region', 'u')).toEqual(['us']);
    expect(await completed('status', '--profile', '')).toEqual(['acme', 'default', 'zulu']);
    const config = COMMANDS.find(({ name }) => name === 'config');
    expect(await completed('config', '')).toEqual(config?.subcommands?.map(({ name }) => name));
    expect(await completed('config', 'get', '')).toEqual(configKeys());
    expect(await completed('config', 'set', 'auth-url.')).toEqual(['auth-url.eu', 'auth-url.us']);
    expect(await completed('config', 'set', 'region', '')).toEqual(['eu', 'us']);
    expect(await completed('config', 'set', 'cache', 'o')).toEqual(['on', 'off']);
    for (const key of ['retries', 'nothing', 'constructor'])
      expect(await completed('config', 'set', key, '')).toEqual([]);
    expect(await completed('completion', '')).toEqual(['bash', 'zsh', 'fish', 'powershell']);
  });

  test('lists files where a file is meant, and nothing for free text', async () => {
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

  test('offers only valid profile names, whatever stands in the files', async () => {
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

  test('prints the help beside each word, and takes a space for an empty word', async () => {
    expect(await printed('config', 'l')).toBe('list\tlist the settings in the config file\n');
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

  test('ignores a config file that cannot be read', async () => {
    gw.configure('{');
    storeClients('stored:sandbox:us');
    expect(await completed('get', '--profile', '')).toEqual(['default', 'stored']);
  });

  test('completion powershell and pwsh print the same script', async () => {
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

  test('completion of another shell is refused with the four that there are', async () => {
    for (const shell of ['tcsh', 'constructor'])
      expect(await gw.cli(['completion', shell])).toEqual({
        code: 2,
        stdout: '',
        stderr: `gwtoken: error: no completion for shell "${shell}"\nhint: use one of: bash, zsh, fish, powershell\n`,
      });
  });
});
