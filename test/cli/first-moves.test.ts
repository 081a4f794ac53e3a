/** Errors of the command line name no secret. Their sentences are in test/sessions/text/first-moves.txt. */
import { expect, test } from 'vitest';
import { GwtokenError } from '../../src/errors';
import { quoted } from '../../src/text';
import { inside } from '../harness/homes/in-process';

test.each([
  '--secret=hidden',
  '-shidden',
  'GWTOKEN_CLIENT_SECRET=hidden get',
  'get --client-secret=hidden',
  'get -vshidden',
  'get --sandbox=hidden',
  'get hidden',
  'env -- hidden',
  'run GWTOKEN_CLIENT_SECRET=hidden make',
  'login --client-key hidden',
  'config sett client-secret hidden',
  'config set client-secret hidden',
  'config set secret=hidden',
  'config get secret=hidden',
  'exec --secret=hidden make',
])('the error for gwtoken %s has no word that may be a secret', async (line) => {
  const { code, stderr } = await inside().cli(line.split(' '));
  expect(code).toBe(line.startsWith('exec') ? 125 : 2);
  expect(stderr).toMatch(/^gwtoken: error: /);
  expect(stderr).not.toContain('hidden');
});

test('a word that contains a suggestion hides its value too', async () => {
  const { stderr } = await inside().cli(['--a=hidden\n(Did you mean b?)']);
  expect(stderr).toBe("gwtoken: error: unknown option '--a=…'\nhint: for help, run: gwtoken --help\n");
});

const SECRETS = [
  'hunter2 is a pass"word',
  'hunter2.example.com',
  'hunter2'.repeat(50),
  '"hunter2"'.repeat(50),
  'Hunter2Hunter2',
  'hunter2hunter2==',
];
/** A secret of less than 8 characters is hidden only in quotes. */
const SHORT_SECRET = 'hunter2';

/** Expects the output for a line to contain no part of the secret that replaces SECRET in it. */
async function expectHidden(secret: string, line: string): Promise<void> {
  const gw = inside();
  gw.env['GWTOKEN_CLIENT_SECRET'] = secret;
  gw.own = { runProgram: async () => Promise.reject(new GwtokenError('not-found', quoted(secret))) };
  const { code, stdout, stderr } = await gw.cli(
    line.split(' ').map((word) => word.replace('SECRET', secret)),
  );
  expect(code).toBeGreaterThan(0);
  expect(`${stdout}${stderr}`.toLowerCase()).not.toContain('hunter2');
}

test.each([
  'get --region SECRET',
  'env --format SECRET',
  'get SECRET',
  'config set SECRET x',
  'exec -- SECRET',
  'config set region SECRET',
  'get -v --min-ttl SECRET',
  'help SECRET',
  'SECRET',
  'doctor --region SECRET',
  'doctor --json --region SECRET',
])('the error for gwtoken %s does not contain the secret of a variable', async (line) => {
  for (const secret of [...SECRETS, SHORT_SECRET]) await expectHidden(secret, line);
});

test.each(['get --profile SECRET', 'get --output /nowhere/SECRET'])(
  'the error for gwtoken %s contains no secret of at least 8 characters',
  async (line) => {
    for (const secret of SECRETS) await expectHidden(secret, line);
  },
);

test('an unknown command is cut, because it may be a token', async () => {
  const token = 'x'.repeat(101);
  const { stderr } = await inside().cli([token]);
  expect(stderr).toContain(`unknown command '${'x'.repeat(100)}…'\n`);
});
