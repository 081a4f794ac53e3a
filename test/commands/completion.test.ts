/** What the completion scripts ask for: the words that may stand at the cursor. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { COMMANDS } from '../../src/commands/grammar';
import { GET_FORMATS } from '../../src/formats/get-formats';
import { configKeys } from '../../src/settings/table';
import { typed } from '../documents/grammar';
import { type Inside, inside } from '../harness/homes/in-process';

let gw: Inside;
beforeEach(() => {
  gw = inside();
  gw.configure({ profiles: { acme: { region: 'eu' }, zulu: { region: 'us' } } });
});

/** The lines for a command line up to the cursor, where the words are separated by one space each. */
async function completed(line: string): Promise<string[]> {
  const { code, stdout, stderr } = await gw.cli(['complete', '--', ...line.split(' ')]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.split('\n').slice(0, -1);
}
const words = async (line: string) => (await completed(line)).map((each) => each.split('\t')[0]);

test('every command and its flags are offered, and all formats and keys', async () => {
  expect(await words('')).toEqual(COMMANDS.map(({ name }) => name));
  for (const command of COMMANDS.filter(({ flags }) => flags.length > 0))
    expect(await words(`${command.name} --`)).toEqual(expect.arrayContaining(command.flags.map(typed)));
  expect(await words('get --format ')).toEqual(GET_FORMATS);
  expect(await words('config get ')).toEqual(configKeys());
});

test.each<[line: string, offered: readonly string[]]>([
  ['help ex', ['exec', 'exit-codes']],
  ['config l', ['list\tlist the settings in the config file']],
  ['get --no-s', ['--no-sandbox\tuse production even if the settings say sandbox']],
  ['get --format=j', ['--format=json']],
  ['get -r ', ['eu', 'us']],
  ['login --sandbox --region u', ['us']],
  ['status --profile ', ['acme', 'default', 'zulu']],
  ['config set region ', ['eu', 'us']],
  ['config set cache o', ['on', 'off']],
  ['completion ', ['bash', 'zsh', 'fish', 'powershell']],
  // Files and programs, which the shell knows.
  ['get --ca-file ', [':files']],
  ['get --ca-file=', [':files']],
  ['exec -- gi', [':commands']],
  ['exec -v gi', [':commands']],
  ['exec --auth-url https://a.test ', [':commands']],
  ['exec -- git x', [':files']],
  ['exec -p acme git ', [':files']],
  ['exec -p acme git -p a', [':files']],
  // What an option takes is no argument, even where nobody knows what it can be.
  ['get --auth-url https://a.test --fr', ['--fresh\trequest a new token instead of using a cached one']],
  ['config set -p acme region ', ['eu', 'us']],
  ['get --auth-url ', []],
  ['get --auth-url=', []],
  ['get --fresh=', []],
  ['get --format json ', []],
  ['get -- -', []],
  ['config set retries ', []],
  ['config set constructor ', []],
])('gwtoken %s at Tab: %j', async (line, offered) => {
  expect(await completed(line)).toEqual(offered);
});

test('PowerShell passes a space for an empty word', async () => {
  const { stdout } = await gw.cli(['complete', '--', 'get', '--region', ' ']);
  expect(stdout).toBe('eu\nus\n');
});

test('only valid profile names are offered, whatever stands in the files', async () => {
  const names = ['fine.1_a-b', 'a b', '$(id)', 'x\ny', ':files', 'Up', '', '-rf', 'a'.repeat(65)];
  gw.configure({ profiles: Object.fromEntries(names.map((name) => [name, {}])) });
  const entry = { client_id: 'id', auth_url: 'https://a.test' };
  const stored = ['stored', '$(id)', 'a\nb'].map((name) => [`${name}:sandbox:us`, entry]);
  const text = JSON.stringify(Object.fromEntries(stored));
  writeFileSync(join(gw.config, 'clients.json'), text, { mode: 0o600 });
  expect(await words('get --profile ')).toEqual(['default', 'fine.1_a-b', 'stored']);
  gw.configure('{');
  expect(await words('get --profile ')).toEqual(['default', 'stored']);
});

test('completion powershell and pwsh print the same script', async () => {
  const powershell = await gw.cli(['completion', 'powershell']);
  const stdout = expect.stringContaining("\n    gwtoken complete '--' @words 2>$null | ");
  expect(powershell).toEqual({ code: 0, stdout, stderr: '' });
  expect(await gw.cli(['completion', 'pwsh'])).toEqual(powershell);
});
