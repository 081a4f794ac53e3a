import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { makeAuthority } from '../harness/endpoints/authority';
import { startTokenEndpoint, type TokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { inVariables, withoutVariables } from '../harness/homes/client';
import { type Home, openHome } from '../harness/homes/home';
import { inside } from '../harness/homes/in-process';
import { isRunning, until } from '../harness/programs/processes';
import { preloading } from '../harness/programs/program';
import { namespaceUnavailable } from '../system/keychain/namespaces';

const TOKEN = 'tok *\'t;$(touch PWNED)` \\ "~!#{a,b}';

let endpoint: TokenEndpoint;
let home: Home;
beforeEach(async () => {
  endpoint = await startTokenEndpoint(() => tokenReply(TOKEN, { scope: 'read write' }));
  home = openHome(inVariables(endpoint.authUrl));
});

const exec = (...args: string[]) => home.gwtoken(['exec', ...args]);
const sh = (script: string, ...flags: string[]) => exec(...flags, '--', 'sh', '-c', script);

describe('the environment of the command', () => {
  const variables = async (env: Record<string, string>, ...flags: string[]) => {
    const result = await home.gwtoken(['exec', ...flags, '--', 'env', '-0'], { env });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    return Object.fromEntries(
      result.stdout
        .split('\0')
        .filter((entry) => entry !== '')
        .map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
    );
  };

  test('has the token, and of ours nothing that is secret', async () => {
    const seen = await variables({
      GWTOKEN_CLIENT_ID_EU: 'client',
      GWTOKEN_CLIENT_SECRET_EU: 'the-secret',
      GWTOKEN_SANDBOX_CLIENT_ID: 'sandbox-client',
      GWTOKEN_SANDBOX_CLIENT_SECRET_FILE_US: '/nowhere',
      OTHER: 'kept',
      GWTOKEN_TOKEN_FILE: '/of/another/exec',
    });
    expect(seen).toEqual({
      ...withoutVariables(home.env),
      PATH: process.env['PATH'],
      OTHER: 'kept',
      GWTOKEN_ACCESS_TOKEN: TOKEN,
      GWTOKEN_TOKEN_TYPE: 'bearer',
      GWTOKEN_EXPIRES_AT: expect.stringMatching(/^\d{10}$/),
      GWTOKEN_SCOPE: 'read write',
    });
  });

  test('has the prefix asked for, and nothing of the client before', async () => {
    endpoint.answer = () => tokenReply('us-token', { expires_in: undefined });
    const before = { US_SCOPE: 'old', US_EXPIRES_AT: '1', EU_ACCESS_TOKEN: 'other', EU_SCOPE: 'other' };
    const seen = await variables(before, '--prefix', 'US_');
    expect(
      Object.keys(seen)
        .filter((name) => /^US_|^EU_|^GWTOKEN_A.*N$/.test(name))
        .sort(),
    ).toEqual(['EU_ACCESS_TOKEN', 'EU_SCOPE', 'US_ACCESS_TOKEN', 'US_TOKEN_TYPE']);
  });

  test.each([
    ['linux', ['EU_Scope', 'Gwtoken_Client_Id']],
    ['win32', []],
  ] as const)('has on %s no name that it tells no apart from ours or a secret’s', async (platform, kept) => {
    const gw = inside();
    const own = ['EU_Scope', 'EU_TOKEN_FILE', 'Gwtoken_Client_Id', 'GWTOKEN_SANDBOX_CLIENT_SECRET_US'];
    for (const name of own) gw.env[name] = 'own';
    let seen: string[] = [];
    gw.answer = () => tokenReply(TOKEN, { scope: 'read' });
    gw.own = {
      platform,
      prepareChild: async () => ({
        async run(_, __, env) {
          seen = Object.keys(env);
          return { code: 0, signal: null };
        },
        release() {},
      }),
    };
    expect((await gw.cli(['exec', '--prefix', 'EU_', '--', 'anything'])).code).toBe(0);
    const ours = ['EU_ACCESS_TOKEN', 'EU_TOKEN_TYPE', 'EU_EXPIRES_AT', 'EU_SCOPE'];
    expect(seen.filter((name) => /^EU_|CLIENT/i.test(name))).toEqual([...kept, ...ours]);
  });

  test.for([undefined, '0', '1'])('has NODE_TLS_REJECT_UNAUTHORIZED=%s as it was', async (value) => {
    const authority = makeAuthority();
    const { authUrl } = await startTokenEndpoint(() => tokenReply(TOKEN), authority.issue());
    // Out of the environment while gwtoken connects, or Node would warn.
    const own = value === undefined ? {} : { NODE_TLS_REJECT_UNAUTHORIZED: value };
    const env = { ...own, GWTOKEN_AUTH_URL: authUrl, GWTOKEN_CA_FILE: authority.caFile };
    const args = ['exec', '--', 'printenv', 'NODE_TLS_REJECT_UNAUTHORIZED'];
    const { code, stdout } = await home.gwtoken(args, { env });
    expect([code, stdout]).toEqual(value === undefined ? [1, ''] : [0, `${value}\n`]);
  });
});

describe('the streams of the command are gwtoken’s own', () => {
  test('a megabyte comes through, and stdin from a pipe', async () => {
    const bytes = Buffer.alloc(1024 * 1024, 'stdin and stdout ');
    const result = await home.gwtoken(['exec', '--', 'cat'], { stdin: bytes });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.stdout).toBe(bytes.toString());
  });

  test('its arguments are its own, with -- and without', async () => {
    for (const args of [
      ['--', 'printf', '%s|'],
      ['printf', '%s|'],
    ]) {
      const result = await exec('--region', 'eu', ...args, '--verbose', '-v', '--', '--help', '', 'a b');
      expect(result).toMatchObject({ code: 0, stdout: '--verbose|-v|--|--help||a b|', stderr: '' });
    }
  });
});

describe('the exit code', () => {
  test.for([0, 1, 7, 125, 255])('%i of the command is gwtoken’s', async (code) => {
    expect(await sh(`exit ${code}`)).toMatchObject({ code, signal: null, stdout: '', stderr: '' });
  });

  // PIPE is ignored by Node, USR1 opens its debugger, SEGV and ABRT dump core, KILL cannot be caught.
  test.for(['TERM', 'INT', 'HUP', 'QUIT', 'KILL', 'PIPE', 'USR1', 'USR2', 'ALRM', 'SEGV', 'ABRT', 'VTALRM'])(
    'a command that dies of SIG%s: gwtoken dies of it',
    async (signal) => {
      const result = await sh(`ulimit -c 0; kill -${signal} $$`);
      expect(result).toMatchObject({ code: null, signal: `SIG${signal}`, stdout: '', stderr: '' });
    },
  );

  test('tells the signal also where gwtoken is the first process of a container, which it cannot end by one', async ({
    skip,
  }) => {
    skip(namespaceUnavailable() !== undefined, namespaceUnavailable());
    const wrapper = ['unshare', '--pid', '--fork', '--kill-child', '--'];
    const args = ['exec', '--', 'sh', '-c', 'kill -TERM $$'];
    expect(await home.gwtoken(args, { wrapper })).toMatchObject({ code: 143, signal: null, stderr: '' });
  });

  test('is 127 for a command that is not there, with a hint', async () => {
    expect(await exec('--', 'no-such-command')).toMatchObject({ code: 127, stdout: '' });
    expect(await exec('--', '/no/such/command')).toMatchObject({ code: 127, stdout: '' });
    const line = await exec('--', 'curl -s https://example.com | jq .');
    expect(line).toMatchObject({ code: 127, stdout: '' });
    expect(line.stderr).toContain("to run a shell command line: gwtoken exec -- sh -c '…'");
    // With arguments of its own it is a name with a blank in it.
    const name = await exec('--', 'no such command', 'x');
    expect(name).toMatchObject({ code: 127, stdout: '' });
    expect(name.stderr).toContain(
      'hint: check the spelling and PATH; shell aliases and functions do not work here\n',
    );
  });

  test('is 126 for one that cannot be run', async () => {
    const script = join(home.dir, 'script');
    const because = async (problem: string, command = script) => {
      const result = await exec('--', command);
      const stderr = `gwtoken: error: cannot run ${JSON.stringify(command)}: it ${problem}\n`;
      expect(result).toMatchObject({ code: 126, stdout: '', stderr });
    };
    await because('is a directory', home.dir);
    writeFileSync(script, '#!/no/such/interpreter\n');
    await because('is not executable');
    chmodSync(script, 0o755);
    await because('has a #! line with an interpreter that does not exist');
  });

  test('is 125 when gwtoken fails, for whatever reason', async () => {
    for (const args of [[], ['--bogus'], ['--prefix', '1', '--', 'true'], ['-r', 'mars', '--', 'true']]) {
      expect(await exec(...args)).toMatchObject({
        code: 125,
        stdout: '',
        stderr: expect.stringMatching(/^gwtoken: error: /),
      });
    }
    endpoint.answer = () => ({ status: 401, body: { error: 'invalid_client' } });
    const refused = await sh('echo ran');
    expect(refused).toMatchObject({ code: 125, stdout: '' });
    expect(refused.stderr).toContain('rejected the credentials');
  });

  test.each([
    ['linux', 'GWTOKEN_SCOPE', { scope: 'x'.repeat(32 * 1024 + 1) }, 'is longer than 32 KiB'],
    [
      'win32',
      'GWTOKEN_ACCESS_TOKEN',
      { access_token: 'x'.repeat(32_767) },
      'is too long for a Windows environment variable',
    ],
  ] as const)(
    'is 125 on %s for a %s that the command would not get whole',
    async (platform, name, own, problem) => {
      const gw = inside();
      gw.own = { platform, prepareChild: () => Promise.reject(new Error('not on this way')) };
      gw.answer = () => tokenReply('token', own);
      expect(await gw.cli(['exec', '--', 'anything'])).toEqual({
        code: 125,
        stdout: '',
        stderr: `gwtoken: error: cannot pass ${name} unchanged: its value ${problem}\n`,
      });
    },
  );

  test('is 125 for a prefix that is none, before a token is asked for', async () => {
    const gw = inside();
    expect(await gw.cli(['exec', '--prefix', '1', '--', 'anything'])).toEqual({
      code: 125,
      stdout: '',
      stderr:
        'gwtoken: error: invalid prefix "1" (from --prefix)\nhint: use letters, digits and underscores, not starting with a digit, for example EU_\n',
    });
    expect(gw.posts).toEqual([]);
  });

  test('is 125 also when a bug crashes gwtoken', async () => {
    const preload = join(home.dir, 'fault.cjs');
    // As a promise that nobody waits for: what is thrown is tried with env, and Bun tells of each by an event of its own.
    writeFileSync(preload, "setTimeout(() => Promise.reject(new Error('a fault')), 600);\n");
    endpoint.delayMs = 5_000;
    const { code, stdout, stderr } = await home.gwtoken(['exec', '--', 'echo', 'ran'], preloading(preload));
    expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
    expect(stderr).toMatch(
      /^gwtoken: error: unexpected error \(a bug in gwtoken; please report it with the output of gwtoken doctor\)\nError: a fault\n {4}at /,
    );
  });
});

describe('a signal to gwtoken', () => {
  /** A command that tells its process id and waits. */
  const start = async (script: string) => {
    const pidFile = join(home.dir, 'pid');
    const args = [
      'exec',
      '--',
      'sh',
      '-c',
      `${script}; echo $$ > '${pidFile}.new'; mv '${pidFile}.new' '${pidFile}'; while :; do sleep 0.05; done`,
    ];
    const program = home.start(args, { detached: true });
    await until('the command runs', () => existsSync(pidFile));
    return { ...program, child: Number(readFileSync(pidFile, 'utf8')) };
  };

  test.for(['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const)(
    '%s ends the command, and then gwtoken of the same',
    async (signal) => {
      const { kill, result, child } = await start('ulimit -c 0');
      kill(signal);
      expect(await result).toMatchObject({ code: null, signal, stdout: '', stderr: '' });
      expect(isRunning(child)).toBe(false);
    },
  );

  test('is for the command to deal with', async () => {
    const { kill, result, child } = await start("trap 'echo got TERM; exit 9' TERM; trap '' INT HUP");
    kill('SIGINT');
    kill('SIGHUP');
    await new Promise((done) => setTimeout(done, 200));
    expect(isRunning(child)).toBe(true);
    kill('SIGTERM');
    expect(await result).toMatchObject({ code: 9, signal: null, stdout: 'got TERM\n', stderr: '' });
  });
});
