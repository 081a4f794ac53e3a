/** What people type first who come from other tools: each gets the line that they mean, and that line is one. */
import { expect, test } from 'vitest';
import { createProgram } from '../../src/cli/program';
import { parsed, shellLine } from '../documents/grammar';
import { inside } from '../harness/homes/in-process';

const QUOTE = 'quote values that contain spaces';

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
  ['get --sandbox True', 'gwtoken get takes no arguments', 'get --sandbox'],
  ['get --sandbox=On', '--sandbox takes no value', 'get --sandbox'],
  ['get --sandbox yes', 'gwtoken get takes no arguments', 'get --sandbox'],
  ['get --sandbox=Off', '--sandbox takes no value', 'get --no-sandbox'],
  ['get --sandbox no', 'gwtoken get takes no arguments', 'get --no-sandbox'],
  ['status --json=1', '--json takes no value', 'status --json'],
  ['status --json=0', '--json takes no value', 'status'],
  ['get --no-cache=1', '--no-cache takes no value', 'get --no-cache'],
  ['get --no-cache=off', '--no-cache takes no value', 'get'],
  ['get --no-sandbox=false', '--no-sandbox takes no value', 'get --sandbox'],
  // Another command's option, which does take one.
  ['status --format=json', 'unknown option "--format"', 'status --json'],
  ['-v get', '-v must come after the command', 'get -v'],
  ['--region eu get --fresh', '--region must come after the command', 'get --region eu --fresh'],
  ['--profile env get', '--profile must come after the command', 'get --profile env'],
  ['-p env get', '-p must come after the command', 'get -p env'],
  ['-p acme config set region eu', '-p must come after the command', 'config set -p acme region eu'],
  ['-v exec -- env -v', '-v must come after the command', 'exec -v -- env -v'],
  ['exec --debug -- deploy --debug', 'unknown option "--debug"', 'exec --verbose -- deploy --debug'],
  ['--region eu', '--region must come after the command', 'get --region eu'],
  // Words for which gwtoken has flags.
  ['get eu', 'gwtoken get takes no arguments', 'get --region eu'],
  ['get US sandbox', 'gwtoken get takes no arguments', 'get --region us --sandbox'],
  ['get sandbox --region eu', 'gwtoken get takes no arguments', 'get --sandbox --region eu'],
  ['get -r eu sandbox', 'gwtoken get takes no arguments', 'get -r eu --sandbox'],
  ['get production', 'gwtoken get takes no arguments', 'get --no-sandbox'],
  ['get json', 'gwtoken get takes no arguments', 'get --format json'],
  ['get help', 'gwtoken get takes no arguments', 'get --help'],
  // Other tools' flags.
  ['--json', '--json must come after the command', 'get --format json'],
  ['get --json', 'unknown option "--json"', 'get --format json'],
  ['get -o json', 'unknown option "-o"', 'get --format json'],
  ['get --output=json', 'unknown option "--output"', 'get --format=json'],
  ['status -o json', 'unknown option "-o"', 'status --json'],
  [
    "get --url 'https://{region}.a.test'",
    'unknown option "--url"',
    "get --auth-url 'https://{region}.a.test'",
  ],
  ['doctor --output=json', 'unknown option "--output"', 'doctor --json'],
  // Other tools' commands.
  ['token', 'unknown command "token"', 'get'],
  ['token eu', 'unknown command "token"', 'get --region eu'],
  ['auth', 'unknown command "auth"', 'login'],
  ['-v auth login', '-v must come after the command', 'login -v'],
  ['config rm region', 'unknown command "rm"', 'config unset region'],
  // Typing errors.
  ['gte --region eu', 'unknown command "gte"', 'get --region eu'],
  ['get --fresj', 'unknown option "--fresj"', 'get --fresh'],
  ['get --retrie=3', 'unknown option "--retrie"', 'get --retries=3'],
  // As near to `set`, which begins with another letter.
  ['config uset region', 'unknown command "uset"', 'config unset region'],
  ['config fetch region', 'unknown command "fetch"', 'config get region'],
])('gwtoken %s: %s, gwtoken %s is meant', async (line, message, meant) => {
  const failure = await failureOf(line);
  expect(failure).toMatchObject({ message });
  expect(failure.hints[0]).toBe(`did you mean: gwtoken ${meant}`);
  expect(await parsed(shellLine(`gwtoken ${meant}`)[0] ?? [])).not.toContain('error: ');
});

/** Every word of other tools that gwtoken knows, by the line of its own that each of them means. */
const SAME: Readonly<Record<string, readonly string[]>> = {
  get: ['token', 'fetch', 'access-token', 'print-access-token', 'auth token', 'auth print-access-token'],
  'get --fresh': ['refresh', 'renew', 'get --refresh'],
  env: ['export'],
  'exec -- make': ['run -- make'],
  login: ['auth', 'auth login', 'signin', 'log-in', 'setup', 'configure', 'init', 'add'],
  logout: ['auth logout', 'signout', 'log-out', 'remove'],
  status: ['auth status', 'whoami', 'list', 'ls', 'show', 'profiles', 'clients'],
  doctor: ['check', 'diagnose'],
  'config list': ['config show', 'config ls', 'config view', 'settings'],
  'config set region eu': ['config add region eu', 'set region eu', 'switch eu', 'use eu'],
  'config set region us': ['switch us', 'use us'],
  'config set profile acme': ['switch acme', 'use acme'],
  'config unset region': ['config rm region', 'config remove region', 'config delete region', 'unset region'],
  'completion zsh': ['completions zsh'],
  'help ci': ['man ci'],
  '--version': ['version', '-V'],
  'get --format json': ['get --json', 'get -o json', 'get -f json', 'get --output json'],
  'get --format header': ['get -o header'],
  'env --format fish': ['env --shell fish'],
  'status --json': ['status --output json', 'status --format json', 'status --format=json'],
  'get --verbose': ['get --debug'],
  'get --auth-url https://a.test': ['get --url https://a.test'],
  'get --no-sandbox': ['get --production', 'get --prod'],
  'env --unset': ['env --clear'],
  'login --secret-stdin': ['login --stdin'],
  'logout --yes': ['logout --force'],
};

test.each(Object.entries(SAME))('gwtoken %s is meant by %j', async (meant, lines) => {
  for (const line of lines) {
    const { hints } = await failureOf(line);
    expect([line, hints[0]]).toEqual([line, `did you mean: gwtoken ${meant}`]);
  }
  expect(await parsed(shellLine(`gwtoken ${meant}`)[0] ?? [])).not.toContain('error: ');
});

test.each<[string, string[]]>([
  ['switch', ['did you mean: gwtoken config set profile …']],
  // Of two words, or of the second alone.
  ['config add', ['did you mean: gwtoken config set …']],
  ['config use', ['did you mean: gwtoken config set profile …']],
  ['env --shell', ['did you mean --format?']],
  // As near to one as to the other.
  ['logo', ['did you mean login or logout?']],
  // Alone it is no line.
  ['confg', ['did you mean config?']],
  // Neither far-fetched, nor what may be a secret.
  ['get --shelf', []],
  ['get --sandbox=maybe', []],
  ['get --token-file x', []],
  ['get eyJhbGciOi', []],
  ['get constructor', []],
  ['exec --scope x -- true', []],
  ['help --nonsense', []],
  ['config set timeout 5 m', ['quote values that contain spaces']],
  ['config set cache on x', ['quote values that contain spaces']],
  ...['get --token x', 'get --access-token=x', 'login --Password x', 'login --client-secret=x'].map(
    (line): [string, string[]] => [
      line,
      ['secrets are never passed as flags: gwtoken login prompts for it, or use --secret-stdin'],
    ],
  ),
])('gwtoken %s gets %j', async (line, expected) => {
  const { hints } = await failureOf(line);
  expect(hints).toEqual([...expected, expect.stringMatching(/^for help, run: gwtoken (.* )?--help$/)]);
});

test.each([
  ['exec', 'missing COMMAND: gwtoken exec -- COMMAND', [], 'exec'],
  ['completion', 'missing SHELL: gwtoken completion SHELL', [], 'completion'],
  ['config set timeout', 'missing VALUE: gwtoken config set KEY VALUE', [], 'config set'],
  ['config get a b', 'too many arguments: gwtoken config get KEY', [QUOTE], 'config get'],
  ['login id', 'gwtoken login takes no arguments', [], 'login'],
  ['config', 'missing subcommand: list, get, set, unset or path', [], 'config'],
  ['env -p', '--profile needs a value', [], 'env'],
  ['exec --min-ttl', '--min-ttl needs a value', [], 'exec'],
  ['get -q', 'unknown option "-q"', [], 'get'],
  ['--nonsense', 'unknown option "--nonsense"', [], ''],
  ['get -qr eu', 'unknown option "-q"', [], 'get'],
  ['nonsense', 'unknown command "nonsense"', [], ''],
])('gwtoken %s: %s', async (line, message, hints, command) => {
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
