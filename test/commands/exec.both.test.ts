/** `gwtoken exec`: the environment, arguments and exit code of its command. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { tokenReply } from '../harness/endpoints/token-endpoint';
import { withoutVariables } from '../harness/homes/client';
import { type ClientHome, startClientHome } from '../harness/homes/home';
import { inside } from '../harness/homes/in-process';
import { isRunning, shellWait, until } from '../harness/programs/processes';
import { preloading } from '../harness/programs/program';

const TOKEN = 'tok *\'t;$(touch PWNED)` \\ "~!#{a,b}';

let home: ClientHome;
beforeEach(async ({ needs }) => {
  needs('posix');
  home = await startClientHome(() => tokenReply(TOKEN, { scope: 'read write' }));
});

const exec = (...args: string[]) => home.gwtoken(['exec', ...args]);

describe('the environment of the command', () => {
  test('has the token and none of gwtoken’s secrets', async () => {
    const env = {
      GWTOKEN_CLIENT_ID_EU: 'client',
      GWTOKEN_CLIENT_SECRET_EU: 'the-secret',
      GWTOKEN_SANDBOX_CLIENT_SECRET_FILE_US: '/nowhere',
      OTHER: 'kept',
      GWTOKEN_TOKEN_FILE: '/of/another/exec',
    };
    const result = await home.gwtoken(['exec', '--', 'env', '-0'], { env });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    // macOS adds __CF_USER_TEXT_ENCODING.
    const entries = result.stdout.split('\0').filter((entry) => entry !== '' && !entry.startsWith('__CF_'));
    expect(Object.fromEntries(entries.map((entry) => entry.split(/=(.*)/s).slice(0, 2)))).toEqual({
      ...withoutVariables(home.env),
      PATH: process.env['PATH'],
      OTHER: 'kept',
      GWTOKEN_ACCESS_TOKEN: TOKEN,
      GWTOKEN_TOKEN_TYPE: 'bearer',
      GWTOKEN_EXPIRES_AT: expect.stringMatching(/^\d{10}$/),
      GWTOKEN_SCOPE: 'read write',
    });
  });

  test.each([
    ['linux', ['EU_Scope', 'US_SCOPE']],
    ['win32', ['US_SCOPE']],
  ] as const)('on %s has only new values under its prefix and no credentials', async (platform, kept) => {
    const gw = inside();
    const old = ['EU_Scope', 'EU_TOKEN_FILE', 'EU_EXPIRES_AT', 'Gwtoken_Client_Id', 'US_SCOPE'];
    for (const name of old) gw.env[name] = 'old';
    let seen: string[] = [];
    gw.answer = () => tokenReply(TOKEN, { scope: 'read', expires_in: undefined });
    gw.own = {
      platform,
      async runProgram(_, __, { env }) {
        seen = Object.keys(env);
        return { code: 0, signal: null };
      },
    };
    expect((await gw.cli(['exec', '--prefix', 'EU_', '--', 'anything'])).code).toBe(0);
    const added = ['EU_ACCESS_TOKEN', 'EU_TOKEN_TYPE', 'EU_SCOPE'];
    expect(seen.filter((name) => /^(EU|US)_|CLIENT/i.test(name))).toEqual([...kept, ...added]);
  });
});

describe('the exit code', () => {
  // PIPE is ignored by Node, USR1 opens its debugger, KILL cannot be caught.
  test.for(['KILL', 'PIPE', 'USR1'])('is that of SIG%s if it killed the command', async (signal) => {
    const result = await exec('--', 'sh', '-c', `ulimit -c 0; kill -${signal} $$`);
    expect(result).toMatchObject({ code: null, signal: `SIG${signal}`, stdout: '', stderr: '' });
  });

  test('replaces a signal that would write a core file', async () => {
    expect(await exec('--', 'sh', '-c', 'ulimit -c 0; kill -SEGV $$')).toMatchObject({ code: 139 });
  });

  test('is 138 if SIGUSR1 killed the command of a container’s first process', async ({ needs }) => {
    needs('namespace');
    const wrapper = ['unshare', '--pid', '--fork', '--kill-child', '--'];
    // With its timers running, gwtoken would live on until the next renewal.
    const args = ['exec', '--token-file', join(home.dir, 'token'), '--', 'sh', '-c', 'kill -USR1 $$'];
    const result = await home.gwtoken(args, { wrapper, timeoutMs: 15_000 });
    expect(result).toMatchObject({ code: 138, signal: null, stderr: '' });
  });

  test('is 125 for a bug in gwtoken', async () => {
    // Rejects a promise that nothing awaits. The tests of env throw instead: Bun has another event for each.
    const fault = preloading("Promise.reject(new Error('a fault'));");
    home.endpoint.delayMs = 5_000;
    const { code, stdout, stderr } = await home.gwtoken(['exec', '--', 'echo', 'ran'], fault);
    expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
    expect(stderr).toMatch(/^gwtoken: error: unexpected error [^\n]*\nError: a fault\n {4}at /);
  });
});

describe('a signal to gwtoken', () => {
  /** Starts a command that runs `script`, writes its process ID to a file and waits. */
  const start = async (script: string) => {
    const pidFile = join(home.dir, 'pid');
    const writePid = `echo $$ > '${pidFile}.new'; mv '${pidFile}.new' '${pidFile}'`;
    const args = ['exec', '--', 'sh', '-c', `${script}; ${writePid}; ${shellWait()}`];
    const program = home.start(args, { detached: true });
    await until('the command runs', () => existsSync(pidFile));
    return { ...program, child: Number(readFileSync(pidFile, 'utf8')) };
  };

  test.for(['SIGTERM', 'SIGINT'] as const)('%s ends the command, then gwtoken', async (signal) => {
    const { kill, result, child } = await start(':');
    kill(signal);
    expect(await result).toMatchObject({ code: null, signal, stdout: '', stderr: '' });
    expect(isRunning(child)).toBe(false);
  });

  test('can be handled by the command', async () => {
    const { kill, result, child } = await start("trap 'echo got TERM; exit 9' TERM; trap '' INT HUP");
    kill('SIGINT');
    kill('SIGHUP');
    await new Promise((done) => setTimeout(done, 200));
    expect(isRunning(child)).toBe(true);
    kill('SIGTERM');
    expect(await result).toMatchObject({ code: 9, signal: null, stdout: 'got TERM\n', stderr: '' });
  });
});
