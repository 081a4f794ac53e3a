import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { painter } from '../../src/system/terminal/capabilities';
import type { Terminal } from '../../src/world/streams';
import { startTokenEndpoint, type TokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { inVariables } from '../harness/homes/client';
import { type Home, openHome } from '../harness/homes/home';
import { inside } from '../harness/homes/in-process';
import { GWTOKEN_SH, preloading, runCommand } from '../harness/programs/program';
import { openTerminal } from '../harness/programs/terminal';

let endpoint: TokenEndpoint;
let home: Home;
beforeEach(async () => {
  endpoint = await startTokenEndpoint(() => tokenReply('the-token', { scope: 'read write' }));
  home = openHome(inVariables(endpoint.authUrl));
});

const NAMES = 'GWTOKEN_ACCESS_TOKEN GWTOKEN_TOKEN_TYPE GWTOKEN_EXPIRES_AT GWTOKEN_SCOPE';
const failing = (code: number) => `unset ${NAMES};sh -c "exit ${code}";\n`;
const gwtoken = (...args: string[]) => home.gwtoken(args);

describe('gwtoken env', () => {
  test('prints the four variables, and nothing on stderr', async () => {
    const before = Date.now() / 1000;
    const { code, stdout, stderr } = await gwtoken('env', '--format', 'json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const variables = JSON.parse(stdout) as Record<string, string>;
    expect(variables).toEqual({
      GWTOKEN_ACCESS_TOKEN: 'the-token',
      GWTOKEN_TOKEN_TYPE: 'bearer',
      GWTOKEN_EXPIRES_AT: expect.stringMatching(/^\d+$/),
      GWTOKEN_SCOPE: 'read write',
    });
    expect(Number(variables['GWTOKEN_EXPIRES_AT']) - before).toBeGreaterThan(3598);
    expect(Number(variables['GWTOKEN_EXPIRES_AT']) - before).toBeLessThan(3630);
  });

  test('removes what has no value this time', async () => {
    endpoint.answer = () => tokenReply('the-token', { expires_in: undefined });
    const { stdout, stderr } = await gwtoken('env');
    expect(stderr).toBe('');
    expect(stdout).toBe(
      [
        "GWTOKEN_ACCESS_TOKEN='the-token';export GWTOKEN_ACCESS_TOKEN;",
        "GWTOKEN_TOKEN_TYPE='bearer';export GWTOKEN_TOKEN_TYPE;",
        'unset GWTOKEN_EXPIRES_AT;',
        'unset GWTOKEN_SCOPE;',
        '',
      ].join('\n'),
    );
  });

  test('--unset needs no region, credentials, endpoint or readable config', async () => {
    const bare = openHome();
    bare.configure('not JSON');
    const { code, stdout, stderr } = await bare.gwtoken(['env', '--unset', '--prefix', 'EU_']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(`unset ${NAMES.replaceAll('GWTOKEN_', 'EU_')};\n`);
  });

  test('a value that the format cannot carry is refused before anything is printed', async () => {
    endpoint.answer = () => tokenReply('plain', { scope: 'a&b' });
    const { code, stdout, stderr } = await gwtoken('env', '--format', 'cmd');
    expect(code).toBe(2);
    expect(stdout).toMatch(/^(SET "GWTOKEN_\w+="\n){4}cmd \/d \/c exit 2\n$/);
    expect(stderr).toContain(
      'cannot pass GWTOKEN_SCOPE unchanged: its value contains a character that cmd.exe may alter',
    );
    expect(stderr).not.toContain('a&b');
  });

  test('--help goes to stderr unless stdout is a terminal, for the sake of eval', async () => {
    const { code, stdout, stderr } = await gwtoken('env', '--help');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain('Usage: gwtoken env');
    const other = await gwtoken('get', '--help');
    expect(other.stdout).toContain('Usage: gwtoken get');

    // In 80 columns also where there are more.
    const line = `${GWTOKEN_SH} env --help 2>/dev/null`;
    const terminal = openTerminal(['sh', '-c', line], { env: home.env, cols: 200 });
    await terminal.exit;
    expect(terminal.screen()).toBe(stderr);
  });

  test('on a terminal it says how to use it, with the flags that were given', async () => {
    for (const [args, hint] of [
      [['-r', 'us', '--format', 'fish'], 'gwtoken env --region us --format fish | source'],
      [['--no-sandbox', '--prefix', 'EU_'], 'eval $(gwtoken env --no-sandbox --prefix EU_)'],
      [['--unset', '--format', 'csh'], 'eval `gwtoken env --format csh --unset`'],
      [['--format', 'powershell'], 'gwtoken env --format powershell | Out-String | Invoke-Expression'],
      [['--unset', '--ca-file', "it's"], "eval $(gwtoken env --ca-file 'it'\\''s' --unset)"],
      [
        ['--unset', '--format', 'powershell', '--ca-file', "C:\\it's a.pem"],
        "gwtoken env --ca-file 'C:\\it''s a.pem' --format powershell --unset | Out-String | Invoke-Expression",
      ],
      [
        ['--unset', '--format', 'cmd', '--ca-file', "C:\\it's a.pem"],
        `FOR /F "delims=" %i IN ('gwtoken env --ca-file "C:\\it's a.pem" --format cmd --unset') DO @%i`,
      ],
    ] as const) {
      const terminal = home.terminal(['env', ...args], { cols: 200 });
      expect(await terminal.exit).toEqual({ code: 0, signal: null });
      const what = args.includes('--unset' as never) ? 'unset' : 'set';
      expect(terminal.screen()).toContain(
        `hint: nothing was ${what} yet; to ${what} the variables, run: ${hint}\n`,
      );
    }
    const terminal = home.terminal(['env', '--format', 'json']);
    await terminal.exit;
    expect(terminal.screen()).not.toContain('hint:');
  });
});

test('gwtoken env colours its hint as stderr can, and says none where stdout is no terminal', async () => {
  const gw = inside();
  let [stderr, out, err] = ['', true, true];
  const paint = (stream: string) => painter({}, stream === 'stderr' && err);
  const spin: Terminal['spin'] = (_, work) => work();
  gw.own = {
    stdout: { isTTY: () => out, write() {} },
    stderr: { isTTY: () => err, write: (text) => (stderr += text) },
    terminal: { paint, spin } as never,
  };
  const hint = 'nothing was unset yet; to unset the variables, run: eval $(gwtoken env --unset)\n';
  for (const said of [`\x1b[36mhint:\x1b[39m ${hint}`, `hint: ${hint}`, '']) {
    stderr = '';
    expect((await gw.cli(['env', '--unset'])).code).toBe(0);
    expect(stderr).toBe(said);
    if (!err) out = false;
    err = false;
  }
});

test.each([200, 401])('gwtoken env hears signals until the endpoint has answered %i', async (status) => {
  const gw = inside();
  const told: string[] = [];
  gw.answer = () => {
    told.push('asked');
    return { ...tokenReply('token'), status };
  };
  gw.own = {
    onSignals(signals) {
      told.push(...signals);
      return () => told.push('stopped');
    },
  };
  await gw.cli(['env']);
  expect(told).toEqual(['SIGHUP', 'SIGINT', 'SIGTERM', 'asked', 'stopped']);
});

describe('a failure of gwtoken env is a failing statement on stdout', () => {
  test('for every kind of error', async () => {
    const usage = [['--regoin', 'eu'], ['--format', 'yaml'], ['--prefix', '1'], ['extra'], ['--region']];
    for (const args of [...usage, ['--region', 'mars'], ['--auth-url', 'ftp://x']]) {
      const { code, stdout, stderr } = await gwtoken('env', ...args);
      expect([args, code, stdout]).toEqual([args, 2, failing(2)]);
      expect(stderr).toMatch(/^gwtoken: error: /);
    }
    endpoint.answer = () => ({ status: 401, body: { error: 'invalid_client' } });
    expect(await gwtoken('env')).toMatchObject({ code: 3, stdout: failing(3) });
    endpoint.answer = () => ({ body: { access_token: 'a\nb', token_type: 'bearer' } });
    expect(await gwtoken('env', '--retries', '0')).toMatchObject({ code: 7, stdout: failing(7) });
    expect(await gwtoken('env', '--auth-url', 'http://127.0.0.1:1', '--retries', '0')).toMatchObject({
      code: 6,
      stdout: failing(6),
    });
  });

  test('also when stderr is closed', async () => {
    const line = `${GWTOKEN_SH} env --regoin eu 2>&-; echo "code $?"`;
    expect(await runCommand(['sh', '-c', line], home)).toMatchObject({ stdout: `${failing(2)}code 2\n` });
  });

  test('also when a bug crashes it, wherever that is', async () => {
    // A fault from outside the program's own promises, as a broken library would raise it.
    const preload = join(home.dir, 'fault.cjs');
    writeFileSync(preload, "setTimeout(() => { throw new Error('a fault'); }, 600);\n");
    endpoint.delayMs = 5_000;
    const { code, stdout, stderr } = await home.gwtoken(['env'], preloading(preload));
    expect({ code, stdout }).toEqual({ code: 1, stdout: failing(1) });
    expect(stderr).toContain('a fault');
  });

  test.for(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('also when %s ends it', async (signal) => {
    endpoint.delayMs = 10_000;
    const program = home.start(['env']);
    await endpoint.arrived(1);
    program.kill(signal);
    const result = await program.result;
    expect(result).toMatchObject({ code: null, signal, stderr: '' });
    expect(result.stdout).toBe(failing({ SIGHUP: 129, SIGINT: 130, SIGTERM: 143 }[signal]));
  });

  test('and never of another command', async () => {
    for (const args of [
      ['get', '--regoin'],
      ['get', '--profile', 'env', '--bogus'],
      ['envv'],
      ['help', 'envv'],
    ]) {
      expect([args, (await gwtoken(...args)).stdout]).toEqual([args, '']);
    }
  });
});

test('gwtoken help shells is the topic, and help of a command its help', async () => {
  const topic = await gwtoken('help', 'shells');
  expect(topic).toMatchObject({ code: 0, stderr: '' });
  expect(topic.stdout).toContain('eval $(gwtoken env)');
  expect(topic.stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  expect((await gwtoken('help', 'env')).stderr).toContain('Usage: gwtoken env');
  expect((await gwtoken('help', 'get')).stdout).toContain('Usage: gwtoken get');
  expect((await gwtoken('help')).stdout).toContain('shells');
  const unknown = await gwtoken('help', 'shels');
  expect(unknown).toMatchObject({ code: 2, stdout: '' });
  expect(unknown.stderr).toContain('unknown command or topic "shels"');
});
