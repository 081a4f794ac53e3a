/** What people type first who come from other tools: each gets the line that they mean, and that line is one. */
import { expect, test } from 'vitest';
import { createProgram } from '../../src/cli/program';
import { parsed, shellLine } from '../documents/grammar';
import { inside } from '../harness/homes/in-process';

async function failureOf(line: string): Promise<{ message: string; hints: readonly string[] }> {
  const stdout = { isTTY: () => true, write: () => {} };
  const terminal = { paint: () => Promise.reject(new Error('not on this way')) };
  const program = createProgram({ version: '', stdout, stderr: stdout, terminal }, async () => {});
  try {
    await program.parseAsync(shellLine(`gwtoken ${line}`)[0] ?? [], { from: 'user' });
  } catch (error) {
    return error as { message: string; hints: readonly string[] };
  }
  throw new Error(`${line} is no error`);
}

test.each([
  // A switch has no value, and options stand behind the command.
  ['get --sandbox=true', '--sandbox takes no value', 'get --sandbox'],
  ['get --sandbox=false', '--sandbox takes no value', 'get --no-sandbox'],
  ['get --sandbox true', 'gwtoken get takes no arguments', 'get --sandbox'],
  ['status --json=1', '--json takes no value', 'status --json'],
  ['status --json=0', '--json takes no value', 'status'],
  ['get --no-cache=1', '--no-cache takes no value', 'get --no-cache'],
  ['-v get', '-v must come after the command', 'get -v'],
  ['--region eu get --fresh', '--region must come after the command', 'get --region eu --fresh'],
  ['--profile get get', '--profile must come after the command', 'get --profile get'],
  ['-p acme config set region eu', '-p must come after the command', 'config set -p acme region eu'],
  ['-v exec -- env -v', '-v must come after the command', 'exec -v -- env -v'],
  ['exec --debug -- deploy --debug', 'unknown option "--debug"', 'exec --verbose -- deploy --debug'],
  ['--region eu', '--region must come after the command', 'get --region eu'],
  // Words for which gwtoken has flags.
  ['get eu', 'gwtoken get takes no arguments', 'get --region eu'],
  ['get US sandbox', 'gwtoken get takes no arguments', 'get --region us --sandbox'],
  ['get help', 'gwtoken get takes no arguments', 'get --help'],
  // Other tools' flags.
  ['--json', '--json must come after the command', 'get --format json'],
  ['get --json', 'unknown option "--json"', 'get --format json'],
  ['get -o json', 'unknown option "-o"', 'get --format json'],
  ['get --output=json', 'unknown option "--output"', 'get --format=json'],
  ['status -o json', 'unknown option "-o"', 'status --json'],
  ['doctor --output=json', 'unknown option "--output"', 'doctor --json'],
  ['env --shell fish', 'unknown option "--shell"', 'env --format fish'],
  // Other tools' commands.
  ['token', 'unknown command "token"', 'get'],
  ['token eu', 'unknown command "token"', 'get --region eu'],
  ['auth print-access-token', 'unknown command "auth"', 'get'],
  ['auth', 'unknown command "auth"', 'login'],
  ['setup', 'unknown command "setup"', 'login'],
  ['init', 'unknown command "init"', 'login'],
  ['whoami', 'unknown command "whoami"', 'status'],
  ['list', 'unknown command "list"', 'status'],
  ['version', 'unknown command "version"', '--version'],
  ['switch acme', 'unknown command "switch"', 'config set profile acme'],
  ['switch us', 'unknown command "switch"', 'config set region us'],
  ['config rm region', 'unknown command "rm"', 'config unset region'],
  // Typing errors.
  ['gte --region eu', 'unknown command "gte"', 'get --region eu'],
  ['get --fresj', 'unknown option "--fresj"', 'get --fresh'],
])('gwtoken %s: %s, gwtoken %s is meant', async (line, message, meant) => {
  const failure = await failureOf(line);
  expect(failure).toMatchObject({ message });
  expect(failure.hints[0]).toBe(`did you mean: gwtoken ${meant}`);
  expect(await parsed(shellLine(`gwtoken ${meant}`)[0] ?? [])).not.toContain('error: ');
});

test.each([
  ['switch', ['did you mean: gwtoken config set profile …']],
  ['env --shell', ['did you mean --format?']],
  // As near to one as to the other.
  ['logo', ['did you mean login or logout?']],
  // Neither far-fetched, nor what may be a secret.
  ['get --shelf', []],
  ['get eyJhbGciOi', []],
  ['get constructor', []],
  ['exec --scope x -- true', []],
  [
    'get --token x',
    ['secrets are never passed as flags: gwtoken login prompts for it, or use --secret-stdin'],
  ],
])('gwtoken %s gets %j', async (line, expected) => {
  const { hints } = await failureOf(line);
  expect(hints).toEqual([...expected, expect.stringMatching(/^for help, run: gwtoken (.* )?--help$/)]);
});

test('a region is taken in any case, wherever it is given', async () => {
  const gw = inside();
  gw.env['GWTOKEN_REGION'] = 'EU';
  expect(JSON.parse(await gw.get('--format', 'json'))).toMatchObject({ region: 'eu' });
  expect(JSON.parse(await gw.get('--format', 'json', '--region', 'Us'))).toMatchObject({ region: 'us' });
  gw.env['GWTOKEN_REGION'] = '';
  await gw.cli(['config', 'set', 'region', 'US']);
  expect(JSON.parse(await gw.get('--format', 'json'))).toMatchObject({ region: 'us' });
});
