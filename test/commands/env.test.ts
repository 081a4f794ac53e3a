/** `gwtoken env` on a terminal, its help, and bugs and signals. The rest is in test/sessions/text/env.txt. */
import { readdirSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { startTokenEndpoint, type TokenEndpoint } from '../harness/endpoints/token-endpoint';
import { inVariables } from '../harness/homes/client';
import { type Home, openHome } from '../harness/homes/home';
import { type Inside, inside } from '../harness/homes/in-process';
import { preloading } from '../harness/programs/program';

const UNSET = ['ACCESS_TOKEN', 'TOKEN_TYPE', 'EXPIRES_AT', 'SCOPE'].map((name) => `unset GWTOKEN_${name};\n`);
const failing = (code: number) => `${UNSET.join('')}sh -c "exit ${code}";\n`;
let gw: Inside;
beforeEach(() => {
  gw = inside();
});

describe('gwtoken env on a terminal', () => {
  /** Runs `gwtoken env` with a terminal as stdout. */
  async function env(...args: string[]) {
    let stdout = '';
    gw.own = { stdout: { isTTY: () => true, write: (text) => (stdout += text) } };
    return { ...(await gw.cli(['env', ...args])), stdout };
  }

  test.each([
    ['/bin/bash', ['-r', 'us', '--prefix', 'US_'], 'eval $(…)'],
    ['/usr/bin/fish', ['--unset'], '… --format fish | source'],
    ['/usr/bin/fish', ['--format', 'ksh'], 'eval $(…)'],
    ['', ['--format', 'PWSH'], '… | Out-String | Invoke-Expression'],
  ])('with SHELL=%s and %j says how to evaluate the output', async (shell, args, line) => {
    gw.env['SHELL'] = shell;
    const { stderr } = await env(...args);
    const what = args.includes('--unset') ? 'unset' : 'set';
    const others = args.includes('--format') ? '' : ' (or see: gwtoken help shells)';
    expect(stderr).toBe(`hint: nothing was ${what} yet; wrap it: ${line}${others}\n`);
  });

  test('prints no hint into a pipe or a file, or in the format JSON', async () => {
    expect(await gw.cli(['env', '--unset'])).toMatchObject({ code: 0, stderr: '' });
    for (const to of [
      ['--output', `${gw.dir}/file`],
      ['--format', 'json'],
    ])
      expect(await env(...to)).toMatchObject({ code: 0, stderr: '' });
  });

  test('prints no failing statement, because nothing evaluates it', async () => {
    const failed = await env('--region', 'mars');
    expect(failed).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/error: /) });
  });
});

test('env --help prints to stderr, so that eval runs nothing', async () => {
  const { code, stdout, stderr } = await gw.cli(['env', '--help']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  expect(stderr).toContain('Usage: gwtoken env');
});

test('help that nothing evaluates is printed to stdout', async () => {
  for (const line of [
    ['help', 'env'],
    ['get', '--help'],
  ])
    expect(await gw.cli(line)).toMatchObject({ stdout: expect.stringContaining('Usage: '), stderr: '' });
});

describe('gwtoken env prints a failing statement on stdout', () => {
  let endpoint: TokenEndpoint;
  let home: Home;
  beforeEach(async () => {
    endpoint = await startTokenEndpoint();
    home = openHome(inVariables(endpoint.authUrl));
  });

  test('for a bug', async () => {
    // Throws outside the program's promises, as a broken library may.
    endpoint.delayMs = 5_000;
    const { code, stdout, stderr } = await home.gwtoken(['env'], preloading("throw new Error('a fault');"));
    expect({ code, stdout }).toEqual({ code: 1, stdout: failing(1) });
    expect(stderr).toContain('a fault');
  });

  test('for a signal that ends gwtoken', async ({ needs }) => {
    needs('posix');
    const command = `echo '{"client_id":"id","client_secret":"secret"}'`;
    // With a credential command there is no spinner, which also handles signals.
    home = openHome({ GWTOKEN_REGION: 'eu' });
    home.configure({ 'auth-url': endpoint.authUrl, 'credential-command': command });
    endpoint.hold();
    const program = home.start(['env']);
    await endpoint.arrived(1);
    program.kill('SIGTERM');
    expect(await program.result).toMatchObject({
      code: null,
      signal: 'SIGTERM',
      stdout: failing(143),
      stderr: '',
    });
    expect(readdirSync(home.cache)).toEqual([]);
  });
});
