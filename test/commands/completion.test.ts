/** What the completion scripts ask for: the words that may stand at the cursor. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/commands/grammar';
import { GET_FORMATS } from '../../src/formats/get-formats';
import { ENV_FORMATS } from '../../src/formats/names';
import { configKeys } from '../../src/settings/table';
import { typed } from '../documents/grammar';
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
  test('lists every command, flag, format, region, profile and config key', async () => {
    expect(await completed('')).toEqual(COMMANDS.map(({ name }) => name));
    expect(await completed('help', 'ex')).toEqual(['exec', 'exit-codes']);
    expect(await completed('help', 'ci', 'git')).toEqual(['github', 'gitlab']);
    for (const command of COMMANDS.filter(({ flags }) => flags.length > 0)) {
      const flags = await completed(command.name, '--');
      expect(flags).toEqual(expect.arrayContaining(command.flags.map(typed)));
    }
    expect(await completed('get', '--format', '')).toEqual(GET_FORMATS);
    expect(await completed('get', '--format=j')).toEqual(['--format=json']);
    expect(await completed('get', '-r', '')).toEqual(['eu', 'us']);
    expect(await completed('login', '--sandbox', '--region', 'u')).toEqual(['us']);
    expect(await completed('status', '--profile', '')).toEqual(['acme', 'default', 'zulu']);
    expect(await completed('config', 'get', '')).toEqual(configKeys());
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
    expect(await completed('get', '--', '-')).toEqual([]);
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
    const entry = { client_id: 'id', auth_url: 'https://a.test' };
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
    const stored = ['stored', 'fine.1_a-b', '$(id)', 'a\nb'].map((name) => [`${name}:sandbox:us`, entry]);
    writeFileSync(join(gw.config, 'clients.json'), JSON.stringify(Object.fromEntries(stored)), {
      mode: 0o600,
    });
    expect(await completed('get', '--profile', '')).toEqual(['default', 'fine.1_a-b', 'stored']);
    gw.configure('{');
    expect(await completed('get', '--profile', '')).toEqual(['default', 'fine.1_a-b', 'stored']);
  });

  test('prints the help beside each word, and takes a space for an empty word', async () => {
    expect(await printed('config', 'l')).toBe('list\tlist the settings in the config file\n');
    expect(await printed('get', '--region', ' ')).toBe('eu\nus\n');
    expect(await printed('config', 'set', 'sandbox', '')).toBe('true\nfalse\n');
    const alone = (words: readonly string[]) => words.map((word) => `${word}\n`).join('');
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

  test('completion powershell and pwsh print the same script', async () => {
    const powershell = await gw.cli(['completion', 'powershell']);
    const stdout = expect.stringContaining("\n    gwtoken complete '--' @words 2>$null | ");
    expect(powershell).toEqual({ code: 0, stdout, stderr: '' });
    expect(await gw.cli(['completion', 'pwsh'])).toEqual(powershell);
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
