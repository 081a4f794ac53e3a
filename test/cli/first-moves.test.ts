/** The first moves of people who know other tools: what is not taken leads to what is. */
import { expect, test } from 'vitest';
import { failure, GwtokenError } from '../../src/errors';
import { quoted } from '../../src/text';
import type { Keychain } from '../../src/world';
import { shellLine } from '../documents/grammar';
import { inside } from '../harness/homes/in-process';

/** What the program says of a line that it refuses: the error, and the hints behind it. */
async function refusal(line: string): Promise<string[]> {
  const [argv = []] = shellLine(`gwtoken ${line}`);
  const { code, stderr } = await inside().cli(argv);
  expect([line, code]).toEqual([line, argv[0] === 'exec' ? 125 : 2]);
  const [, ...said] = stderr.trimEnd().split(/\ngwtoken: |\nhint: |^gwtoken: error: /);
  return said;
}

test.each([
  ...['--secret=hidden', '--client-secret hidden', '-shidden', 'GWTOKEN_CLIENT_SECRET=hidden get'],
  ...['get --client-secret=hidden', 'get --client-secret hidden', 'get -shidden', 'get -vshidden'],
  ...['get --regoin=hidden', 'get --sandbox=hidden', 'get hidden', 'logout hidden', 'env -- hidden'],
  ...['run GWTOKEN_CLIENT_SECRET=hidden make', 'set client-secret hidden', 'login --client-key hidden'],
  ...['config sett client-secret hidden', 'config set client-secret hidden', 'config set timeout 5 hidden'],
  ...['config set secret=hidden', 'config get secret=hidden', 'config unset secret=hidden'],
  ...['exec --secret=hidden make', 'exec -shidden make'],
])('gwtoken %s is refused without a word that may be a secret', async (line) => {
  expect((await refusal(line)).join('\n')).not.toContain('hidden');
});

const many = (command: string) => `too many arguments for "${command}". Expected 0 arguments but got 1.`;
const REGION = 'did you mean: --region eu';
const PROMPTED = 'secrets are never passed as flags: gwtoken login prompts for it';
const NO_FLAG = `${PROMPTED}, or use --secret-stdin`;
const FIRST = 'put options after the command: gwtoken COMMAND [options]';
test.each<[line: string, message: string, hint: string | undefined, command: string]>([
  // Other tools' words.
  ['whoami', 'unknown command "whoami"', 'did you mean: gwtoken status', ''],
  ['auth login --region eu', 'unknown command "auth"', 'did you mean: gwtoken login', ''],
  ['list', 'unknown command "list"', 'did you mean: gwtoken status', ''],
  ['api /orders', 'unknown command "api"', 'did you mean: gwtoken curl', ''],
  ['token', 'unknown command "token"', 'did you mean: gwtoken get', ''],
  ['version', 'unknown command "version"', 'did you mean: gwtoken --version', ''],
  ['get EU', many('get'), REGION, 'get'],
  ['login --client-secret=x', 'unknown option "--client-secret"', NO_FLAG, 'login'],
  ['login --token x', 'unknown option "--token"', NO_FLAG, 'login'],
  ['get --token', 'unknown option "--token"', undefined, 'get'],
  ['get --secret x', 'unknown option "--secret"', PROMPTED, 'get'],
  ['get -o json', 'unknown option "-o"', 'for JSON, use --json', 'get'],
  ['env --json', 'unknown option "--json"', 'for JSON, use --format json', 'env'],
  ['status --format json', 'unknown option "--format"', 'for JSON, use --json', 'status'],
  ['config list --json', 'unknown option "--json"', undefined, 'config list'],
  ['env --shell fish', 'unknown option "--shell"', 'did you mean: --format', 'env'],
  ['get --cacert F', 'unknown option "--cacert"', 'did you mean: --ca-file', 'get'],
  ['get --environment sandbox', 'unknown option "--environment"', 'did you mean: --sandbox', 'get'],
  ['--region eu get', 'unknown option "--region"', FIRST, ''],
  ['-v', 'unknown option "-v"', 'did you mean: gwtoken --version', ''],
  ['get --sandbox=true', '--sandbox takes no value', undefined, 'get'],
  // What the completion scripts call is no command without what they add.
  ['complete zsh', 'unknown command "complete"', 'did you mean: completion', ''],
  ['"x\ny"', 'unknown command "x\\ny"', undefined, ''],
  // Typing errors.
  ['gte --region eu', 'unknown command "gte"', 'did you mean: get', ''],
  ['logo', 'unknown command "logo"', 'did you mean: login, logout', ''],
  ['get --regoin eu', 'unknown option "--regoin"', 'did you mean: --region', 'get'],
  ['config show', 'unknown command "show"', undefined, 'config'],
  ['env fish', many('env'), 'did you mean: --format fish', 'env'],
  ['get sandbox', many('get'), 'did you mean: --sandbox', 'get'],
  ['get region', many('get'), 'did you mean: --region', 'get'],
  ['get --sandbox false', many('get'), undefined, 'get'],
  ['get -region us', many('get'), 'did you mean: --region us', 'get'],
  ['get --refresh', 'unknown option "--refresh"', 'did you mean: --fresh', 'get'],
  ['config uset region', 'unknown command "uset"', 'did you mean: set, unset', 'config'],
  ['get -qr eu', 'unknown option "-q"', undefined, 'get'],
  ['get --a$$=hunter2', 'unknown option "--a$$"', undefined, 'get'],
  [
    'config set region=eu',
    'missing required argument "VALUE"',
    'put a space between KEY and VALUE',
    'config set',
  ],
  ['config set token', 'missing required argument "VALUE"', undefined, 'config set'],
  ['env -p', 'option "-p, --profile <NAME>" argument missing', undefined, 'env'],
])('gwtoken %s: %s, hint %s', async (line, message, hint, command) => {
  const help = `for help, run: ${['gwtoken', command, '--help'].filter(Boolean).join(' ')}`;
  expect(await refusal(line)).toEqual([message, ...(hint === undefined ? [] : [hint]), help]);
});

test('before the first login an error says only that, unless variables or CI have the say', async () => {
  const gw = inside();
  gw.env = {};
  for (const line of ['get', 'env', 'exec true', 'curl /orders'])
    expect((await gw.cli(line.split(' '))).stderr).toBe(
      'gwtoken: error: no client stored yet\nhint: run: gwtoken login\n',
    );
  for (const name of ['CI', 'GWTOKEN_CLIENT_ID']) {
    gw.env = { [name]: '1' };
    expect((await gw.cli(['get'])).stderr).toMatch(/^gwtoken: error: no region set/);
  }
  gw.env = {};
  await gw.login({ authUrl: 'https://a.example.com', flags: ['--no-verify'] });
  await gw.cli(['config', 'unset', 'region']);
  expect((await gw.cli(['get'])).stderr).toMatch(/^gwtoken: error: no region set/);
});

test('the first of all hints needs no "or": without a keychain there is one', async () => {
  const gw = inside();
  gw.env = { GWTOKEN_REGION: 'eu', GWTOKEN_AUTH_URL: 'https://a.example.com' };
  gw.own = {
    keychain: { get: () => Promise.reject(new GwtokenError('keychain', 'none here')) } as never as Keychain,
  };
  expect((await gw.cli(['get'])).stderr).toBe(
    'gwtoken: error: none here\n' +
      'hint: set GWTOKEN_CLIENT_ID_EU and GWTOKEN_CLIENT_SECRET_EU (gwtoken help keychain)\n',
  );
});

test.each([
  ...['get --region SECRET', 'env --format SECRET', 'get SECRET', 'config set SECRET x', 'exec -- SECRET'],
  ...['config set region SECRET', 'get -v --min-ttl SECRET', 'help SECRET', 'get --profile SECRET', 'SECRET'],
  ...[
    'doctor --region SECRET',
    'doctor -r eu --auth-url SECRET',
    'doctor --json --region SECRET',
    'get --output /nowhere/SECRET',
  ],
])('gwtoken %s: no error names the secret of a variable', async (line) => {
  // A short one is hidden where it is a value, and not in the middle of a path.
  const secrets = [
    ...['hunter2 is a pass"word', 'hunter2.example.com', 'hunter2'.repeat(50), '"hunter2"'.repeat(50)],
    ...['Hunter2Hunter2', 'hunter2hunter2=='],
    ...(/[/]|profile/.test(line) ? [] : ['hunter2']),
  ];
  for (const secret of secrets) {
    const gw = inside();
    gw.env['GWTOKEN_CLIENT_SECRET'] = secret;
    gw.own = { runProgram: async () => Promise.reject(failure('not-found', quoted(secret))) };
    const { code, stdout, stderr } = await gw.cli(
      line.split(' ').map((word) => word.replace('SECRET', secret)),
    );
    expect(code).toBeGreaterThan(0);
    expect(`${stdout}${stderr}`.toLowerCase()).not.toContain('hunter2');
  }
});
