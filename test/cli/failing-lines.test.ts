/** Each line that a shell may evaluate prints statements that fail. test/shells shows what shells do with them. */
import { expect, test } from 'vitest';
import { inside } from '../harness/homes/in-process';

/** Each has a fault at another place. */
const FAILING_LINES = [
  // Flags before the command
  '-r mars env',
  '-r us env',
  '--bogus env',
  '--bogus value env',
  '--bogus env --help',
  '--all env',
  '–region eu env',
  '--profile env',
  '--profil get env',
  // The command
  '',
  '--',
  '-v',
  '-- env',
  'envv',
  'en v',
  'environment',
  'foo env',
  'export',
  'exprot',
  // Flags and arguments after it
  'env -r mars',
  'env --bogus',
  'env bogus',
  'env # a comment',
  'env --format',
  'env --prefix 1',
  'env --sandbox=1',
  'env --min-ttl soon',
  // The client
  'env -r eu',
  'env -r eu -p acme',
  // No command
  '-r us',
  '--bogus foo env',
];

const NAMES = ['ACCESS_TOKEN', 'TOKEN_TYPE', 'EXPIRES_AT', 'SCOPE'].map((name) => `GWTOKEN_${name}`);

test.each(FAILING_LINES)('gwtoken %s fails in the shell that evaluates it', async (line) => {
  const gw = inside();
  gw.env = {};
  const argv = line.split(' ').filter(Boolean);
  const { code, stdout, stderr } = await gw.cli(argv);
  expect(code).toBeGreaterThan(0);
  const fail = `sh -c "exit ${code}";\n`;
  expect(stdout).toBe(NAMES.map((name) => `unset ${name};\n`).join('') + fail);
  expect(stderr).not.toBe('');
  const inFish = NAMES.map((name) => `set -eg ${name}; or true;\n`).join('') + fail;
  expect(await gw.cli(['--format', 'fish', ...argv])).toMatchObject({ code, stdout: inFish });
});

test.each([
  ...['get --bogus', '-r mars get', 'status extra', '-v logout', 'doctor --format json', 'config show'],
  ...['gte', 'tokn', 'whoami', 'version', '-r us whoami', 'foo --bogus', 'complete bash'],
])('gwtoken %s, whose output no shell evaluates, prints nothing on stdout', async (line) => {
  const gw = inside();
  gw.env = {};
  const { code, stdout } = await gw.cli(line.split(' '));
  expect([code > 0, stdout]).toEqual([true, '']);
});

test('the statements have the format and prefix of the flags, wherever they stand', async () => {
  const gw = inside();
  for (const argv of [
    '--format fish --prefix A_ envv',
    'envv --format=fish --prefix A_',
    '--format fish --prefix A_ env --format',
    '--bogus env --format json --format fish --prefix=A_',
  ])
    expect((await gw.cli(argv.split(' '))).stdout).toMatch(/^set -eg A_ACCESS_TOKEN; or true;\n/);
});
