/** The first moves of people who know other tools: what is not taken leads to what is. */
import { expect, test } from 'vitest';
import type { Keychain } from '../../src/world';
import { PLAIN, shellLine } from '../documents/grammar';
import { inside } from '../harness/homes/in-process';

/** What the program says of a line that it refuses: the error, and the hints behind it. */
async function refusal(line: string): Promise<string[]> {
  const [argv = []] = shellLine(`gwtoken ${line}`);
  const { code, stderr } = await inside().cli(argv);
  expect([line, code]).toEqual([line, argv[0] === 'exec' ? 125 : 2]);
  return stderr
    .trimEnd()
    .split(/\ngwtoken: |\nhint: |^gwtoken: error: /)
    .slice(1);
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

const REGION = 'did you mean: --region eu';
const NO_FLAG = 'secrets are never passed as flags: gwtoken login prompts for it, or use --secret-stdin';
const FIRST = 'options follow the command: gwtoken COMMAND [options]';
test.each<[line: string, message: string, hint: string | undefined, command: string]>([
  // Other tools' words.
  ['whoami', 'unknown command "whoami"', 'did you mean: gwtoken status', ''],
  ['auth login --region eu', 'unknown command "auth"', 'did you mean: gwtoken login', ''],
  ['version', 'unknown command "version"', 'did you mean: gwtoken --version', ''],
  ['eu', 'unknown command "eu"', REGION, ''],
  ['get EU', 'too many arguments for "get". Expected 0 arguments but got 1.', REGION, 'get'],
  ['login --client-secret=x', 'unknown option "--client-secret"', NO_FLAG, 'login'],
  ['get --token x', 'unknown option "--token"', NO_FLAG, 'get'],
  ['--region eu get', 'unknown option "--region"', FIRST, ''],
  ['get --sandbox=true', 'unknown option "--sandbox"', '--sandbox takes no value', 'get'],
  // Typing errors.
  ['gte --region eu', 'unknown command "gte"', 'did you mean: get', ''],
  ['logo', 'unknown command "logo"', 'did you mean: login, logout', ''],
  ['get --regoin eu', 'unknown option "--regoin"', 'did you mean: --region', 'get'],
  ['config show', 'unknown command "show"', undefined, 'config'],
  ['config uset region', 'unknown command "uset"', 'did you mean: set, unset', 'config'],
  ['constructor', 'unknown command "constructor"', undefined, ''],
  ['get -qr eu', 'unknown option "-q"', undefined, 'get'],
  ['config set region=eu', 'missing required argument "value"', undefined, 'config set'],
  ['config set token', 'missing required argument "value"', undefined, 'config set'],
  ['env -p', 'option "-p, --profile <NAME>" argument missing', undefined, 'env'],
])('gwtoken %s: %s, hint %s', async (line, message, hint, command) => {
  const help = `for help, run: ${['gwtoken', command, '--help'].filter(Boolean).join(' ')}`;
  expect(await refusal(line)).toEqual([message, ...(hint === undefined ? [] : [hint]), help]);
});

test('login on a terminal judges --auth-url before the keychain, and before it prompts', async () => {
  const gw = inside();
  gw.env = {};
  gw.own = { terminal: { ...PLAIN, noPrompt: () => undefined } as never, keychain: {} as Keychain };
  const { code, stderr } = await gw.cli(['login', '--auth-url', 'foo']);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^gwtoken: error: auth URL "foo" \(from --auth-url\) is not an https:/);
});
