/** The first moves of people who know other tools: done if they can only mean one thing, else named. */
import { expect, test } from 'vitest';
import { createProgram } from '../../src/cli/program';
import { plainSpelling } from '../../src/cli/spelling';
import { parsed, shellLine } from '../documents/grammar';
import { inside } from '../harness/homes/in-process';

const words = (line: string): string[] => shellLine(`gwtoken ${line}`)[0] ?? [];

async function failureOf(line: string): Promise<{ message: string; hints: readonly string[] }> {
  const stdout = { isTTY: () => true, write: () => {} };
  const terminal = { paint: () => Promise.reject(new Error('not on this way')) };
  const program = createProgram({ version: '', stdout, stderr: stdout, terminal }, async () => {});
  try {
    await program.parseAsync([...plainSpelling(words(line))], { from: 'user' });
  } catch (error) {
    return error as { message: string; hints: readonly string[] };
  }
  throw new Error(`${line} is no error`);
}

test.each([
  ['get --sandbox=true', 'get --sandbox'],
  ['get --sandbox=0', 'get --no-sandbox'],
  ['get --no-cache=1', 'get --no-cache'],
  ['status --json=1', 'status --json'],
  ['--region us get', 'get --region us'],
  ['-p acme config set region eu', 'config set -p acme region eu'],
  ['-v exec -- env -v --json', 'exec -v -- env -v --json'],
  ['get --json', 'get --format json'],
  ['status --json', 'status --json'],
  ['--help get', 'get --help'],
  ['version', '--version'],
  ['-v get', 'get -v'],
  ['completion', 'completion --help'],
  ['config', 'config --help'],
  ['config set region=eu', 'config set region eu'],
  ['config set auth-url=https://a.test/?a=b', 'config set auth-url https://a.test/?a=b'],
  // Another program's words, or a value.
  ['exec git --sandbox=true', 'exec git --sandbox=true'],
  ['exec -- git -V', 'exec -- git -V'],
  ['get --profile --json', 'get --profile --json'],
  ['get --sandbox=maybe', 'get --sandbox=maybe'],
  ['get --format=1', 'get --format=1'],
  ["get ''", "get ''"],
  ['config get a=b', 'config get a=b'],
  ['-- get', '-- get'],
])('gwtoken %s is gwtoken %s', (line, plain) => {
  expect(plainSpelling(words(line))).toEqual(words(plain));
});

test.each([
  // Other tools' words.
  ['whoami', 'unknown command "whoami"', 'status'],
  ['token --region eu', 'unknown command "token"', 'get --region eu'],
  // The word behind it may be a secret, and is no argument here.
  ['token eu', 'unknown command "token"', 'get'],
  ['auth login --region eu', 'unknown command "auth"', 'login --region eu'],
  ['set region eu', 'unknown command "set"', 'config set region eu'],
  ['refresh', 'unknown command "refresh"', 'get --fresh'],
  ['auth logout', 'unknown command "auth"', 'logout'],
  ['auth status', 'unknown command "auth"', 'status'],
  ['auth token', 'unknown command "auth"', 'get'],
  ['auth', 'unknown command "auth"', 'login'],
  ['export', 'unknown command "export"', 'env'],
  ['init', 'unknown command "init"', 'login'],
  ['configure', 'unknown command "configure"', 'login'],
  ['list', 'unknown command "list"', 'status'],
  ['ls', 'unknown command "ls"', 'status'],
  ['unset region', 'unknown command "unset"', 'config unset region'],
  ['get -o json', 'unknown option "-o"', 'get --format json'],
  ['login --url https://a.test', 'unknown option "--url"', 'login --auth-url …'],
  // Nor does a hint repeat a word that gwtoken does not know.
  ['run -- make --debug', 'unknown command "run"', 'exec -- … …'],
  ['run GWTOKEN_CLIENT_SECRET=hidden make', 'unknown command "run"', 'exec … …'],
  ['set client-secret hidden', 'unknown command "set"', 'config set … …'],
  ['config sett client-secret hidden', 'unknown command "sett"', 'config set … …'],
  ['login --client-key hidden -p work', 'unknown option "--client-key"', 'login --client-id … -p work'],
  ['login --client-key=hidden', 'unknown option "--client-key"', 'login --client-id=…'],
  ['env --output=json', 'unknown option "--output"', 'env --format=json'],
  ['exec --debug -- deploy --debug', 'unknown option "--debug"', 'exec --verbose -- … …'],
  ['get eu', 'gwtoken get takes no arguments', 'get --region eu'],
  ['status US', 'gwtoken status takes no arguments', 'status --region us'],
  // Typing errors.
  ['gte --region eu', 'unknown command "gte"', 'get --region eu'],
  ['get --retrie=3', 'unknown option "--retrie"', 'get --retries=…'],
  ['config uset region', 'unknown command "uset"', 'config unset region'],
  ['--region eu', 'missing COMMAND: gwtoken COMMAND [options]', 'get --region eu'],
])('gwtoken %s: %s, gwtoken %s is meant', async (line, message, meant) => {
  const failure = await failureOf(line);
  expect(failure).toMatchObject({ message });
  expect(failure.hints[0]).toBe(`did you mean: gwtoken ${meant}`);
  expect(await parsed(plainSpelling(words(meant)))).not.toContain('error: ');
});

const QUOTE = 'quote values that contain spaces';
const NO_FLAG = 'secrets are never passed as flags: gwtoken login prompts for it, or use --secret-stdin';
test.each<[line: string, message: string, hints: readonly string[], command: string]>([
  // As near to one as to the other.
  ['logo', 'unknown command "logo"', ['login', 'logout'].map((name) => `did you mean: gwtoken ${name}`), ''],
  // No line that works, far-fetched, or what may be a secret.
  ['env --shell', 'unknown option "--shell"', [], 'env'],
  ['get --sandbox=maybe', '--sandbox takes no value', [], 'get'],
  ['get eyJhbGciOi', 'gwtoken get takes no arguments', [], 'get'],
  ['constructor', 'unknown command "constructor"', [], ''],
  ['gte --auth-url https://u:hidden@a.test', 'unknown command "gte"', [], ''],
  ['get --token x', 'unknown option "--token"', [NO_FLAG], 'get'],
  ['config set timeout 5 m', 'too many arguments: gwtoken config set KEY VALUE', [QUOTE], 'config set'],
  ['exec', 'missing COMMAND: gwtoken exec -- COMMAND', [], 'exec'],
  ['config set timeout', 'missing VALUE: gwtoken config set KEY VALUE', [], 'config set'],
  ['env -p', '--profile needs a value', [], 'env'],
  ['get -qr eu', 'unknown option "-q"', [], 'get'],
  ['--nonsense', 'unknown option "--nonsense"', [], ''],
])('gwtoken %s: %s, hints %j', async (line, message, hints, command) => {
  const help = `for help, run: ${['gwtoken', command, '--help'].filter(Boolean).join(' ')}`;
  expect(await failureOf(line)).toMatchObject({ kind: 'usage', message, hints: [...hints, help] });
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
