import type { ChildProcess } from 'node:child_process';
import { getEventListeners } from 'node:events';
import { chmodSync, closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { descendants, runCredentialCommand } from '../../../src/system/processes/credential-command';
import type { WithCoreDumps } from '../../../src/system/processes/privacy';
import type { World } from '../../../src/world/world';
import { onCleanup } from '../../harness/clean-up';
import { answer, printing, startPlace } from '../../harness/homes/command-place';
import { openFolder } from '../../harness/homes/folder';
import { bundle } from '../../harness/programs/bundle';
import { GWTOKEN_SH } from '../../harness/programs/program';
import { openTerminal } from '../../harness/programs/terminal';
import { ROOT } from '../../harness/root';

const onPosix = process.platform === 'win32' ? 'needs a POSIX shell' : undefined;

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    // In a container nobody may collect the dead: a zombie is not alive.
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
};

async function untilFile(path: string, end = '\n'): Promise<string> {
  let text = '';
  for (let round = 0; round < 500; round++) {
    text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    if (text.endsWith(end)) return text;
    await sleep(20);
  }
  throw new Error(`${path} does not end as it should: ${JSON.stringify(text)}`);
}

function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r+'));
    return true;
  } catch {
    return false;
  }
}

/** Waits a moment for what was killed to be collected. */
async function untilGone(pids: readonly number[]): Promise<number[]> {
  for (let round = 0; round < 50 && pids.some(isAlive); round++) await sleep(20);
  return pids.filter(isAlive);
}

describe('a credential command', () => {
  describe('that hangs', () => {
    const HANG =
      'echo $$ > "$HOME/pids"; (trap "" TERM; sleep 300) & echo $! >> "$HOME/pids"; sleep 301 & echo $! >> "$HOME/pids"; echo end >> "$HOME/pids"; wait';
    /** Its time may be over before a busy machine has started all that: gwtoken stands still meanwhile. */
    const inTime = (script: string) =>
      `kill -STOP $PPID; ${script.replace('; wait', '; kill -CONT $PPID; wait')}`;
    const pidsIn = async (dir: string): Promise<number[]> =>
      (await untilFile(join(dir, 'home', 'pids'), 'end\n')).split('\n').slice(0, 3).map(Number);

    test('is ended with all that it started, also what ignores SIGTERM, and where its shell has ended: 5', async ({
      skip,
    }) => {
      skip(onPosix !== undefined, onPosix);
      const withoutShell = inTime(HANG).replace(/wait$/, 'exit');
      const { dir, gwtoken } = await startPlace(withoutShell, { 'keychain-timeout': '1s' });
      const { code, stdout, stderr, ms } = await gwtoken(['get'], { detached: true });
      expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
      expect(stderr).toContain('the credential command did not finish within 1 s');
      expect(stderr).toContain('GWTOKEN_KEYCHAIN_TIMEOUT=2s');
      expect(ms).toBeLessThan(20_000);
      expect(await untilGone(await pidsIn(dir))).toEqual([]);
    });

    test.for(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
      'ends with gwtoken on %s',
      async (signal, { skip }) => {
        skip(onPosix !== undefined, onPosix);
        const { dir, start } = await startPlace(HANG);
        const running = start(['get']);
        const pids = await pidsIn(dir);
        expect(pids.filter(isAlive)).toEqual(pids);
        running.kill(signal);
        expect(await running.result).toMatchObject({ code: null, signal, stdout: '', stderr: '' });
        expect(await untilGone(pids)).toEqual([]);
      },
    );

    test('on a terminal, too, by its tree of processes', async ({ skip }) => {
      skip(onPosix !== undefined, onPosix);
      // The end of a terminal's first process hangs up on the others: these are deaf to it. One of them starts another
      // when it is to end, and goes on.
      const another = `(trap 'sleep 302 & echo $! > "$HOME/late"' TERM; sleep 303 & while :; do wait; done) &`;
      const command = `trap '' HUP; ${another} ${inTime(HANG)}`;
      const { dir, terminal } = await startPlace(command, { 'keychain-timeout': '1s' });
      const shown = terminal(['get']);
      expect(await shown.exit).toEqual({ code: 5, signal: null });
      expect(shown.screen()).toContain('did not finish within 1 s');
      const late = Number(await untilFile(join(dir, 'home', 'late')));
      expect(await untilGone([...(await pidsIn(dir)), late])).toEqual([]);
    });

    test('has ten seconds where nobody is at hand, sixty at a terminal', async ({ skip }) => {
      skip(onPosix !== undefined, onPosix);
      const { gwtoken, terminal } = await startPlace('exit 1');
      expect((await gwtoken(['get', '-v'])).stderr).toContain('with a timeout of 10 s');
      for (const [more, seconds] of [
        [{}, 60],
        [{ CI: 'false' }, 60],
        [{ CI: 'true' }, 10],
      ] as const) {
        const shown = terminal(['get', '-v'], { env: more });
        await shown.exit;
        expect(shown.screen()).toContain(`with a timeout of ${seconds} s`);
      }
    });
  });

  test('can ask on the terminal and read stdin, without a spinner over its question', async ({ skip }) => {
    skip(onPosix !== undefined, onPosix);
    const { dir, terminal, identity } = await startPlace(
      'stty -echo </dev/tty; printf "Vault password: " >&2; read a </dev/tty; stty echo </dev/tty; printf "Vault: " >&2; read b; [ "$a $b" = "open sesame" ] && cat "$HOME/../answer"',
    );
    printing(dir, answer());
    const shown = terminal(['get'], { env: { NO_COLOR: '1' } });
    await shown.waitFor('Vault password: ');
    await sleep(600);
    expect(shown.raw()).toBe('Vault password: ');
    shown.type('open\r');
    await shown.waitFor('Vault: ');
    shown.type('sesame\r');
    expect(await shown.exit).toEqual({ code: 0, signal: null });
    expect(shown.screen()).toMatch(/^Vault password: Vault: sesame\n/);
    expect(shown.screen().endsWith(`${identity.issued[0]}\n`)).toBe(true);
  });

  test.for([
    ['at once', 'stty echo </dev/tty'],
    ['by a program that takes its time', 'sh -c "sleep 0.3; stty echo </dev/tty"'],
  ])(
    'Ctrl-C at its question ends a calling script, and the terminal has its echo again: %s',
    async ([, restore], { skip }) => {
      skip(onPosix !== undefined, onPosix);
      const { dir, env } = await startPlace(
        `trap '${restore}; exit 130' INT; stty -echo </dev/tty; printf 'Password: ' >&2; read a </dev/tty`,
      );
      const script = join(dir, 'script.sh');
      writeFileSync(script, `${GWTOKEN_SH} get\necho after-gwtoken\n`);
      chmodSync(script, 0o755);
      const terminal = openTerminal(['bash', '-c', `trap : INT; bash '${script}'; stty -a </dev/tty`], {
        env,
      });
      await terminal.waitFor('Password: ');
      terminal.type('\x03');
      await terminal.exit;
      expect(terminal.screen()).not.toContain('after-gwtoken');
      expect(terminal.screen()).toMatch(/[^-]echo /);
    },
  );
});

describe.skipIf(onPosix !== undefined)('what is done when a command has ended', () => {
  let listening: number;
  let hear: (signal: NodeJS.Signals) => void;
  const run = (
    command: string,
    ended = new AbortController().signal,
    withCoreDumps: WithCoreDumps = (start) => start(),
  ) =>
    runCredentialCommand(
      command,
      { env: process.env, timeoutMs: 60_000, limit: 1000, ended },
      process,
      (_, heard) => {
        listening++;
        hear = heard;
        return () => {
          listening--;
        };
      },
      withCoreDumps,
    );
  beforeEach(() => {
    listening = 0;
  });

  test.each([
    ['true', { how: 'exited', code: 0 }],
    ['exit 7', { how: 'exited', code: 7 }],
    ['kill -TERM $$', { how: 'killed', signal: 'SIGTERM' }],
    ['yes', { how: 'too-long' }],
  ])('%s: signals have their usual effect again', async (command, how) => {
    const { signal } = new AbortController();
    expect(await run(command, signal)).toMatchObject(how);
    expect(listening).toBe(0);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('one that the system does not start is told of by its code, and signals have their usual effect', async () => {
    const end = await run(`true ${'x'.repeat(4_000_000)}`);
    expect(end).toEqual({ how: 'not-started', reason: 'E2BIG' });
    expect(listening).toBe(0);
  });

  test('a Ctrl-C that ended the command is meant for gwtoken too, whoever hears of it first', async () => {
    await expect(run('kill -INT $$')).rejects.toMatchObject({ name: 'Interrupted', signal: 'SIGINT' });
    expect(listening).toBe(0);
  });

  test.each([
    ['exit 7', { name: 'Interrupted', signal: 'SIGINT' }],
    // What has succeeded is taken: the signal is for what comes next.
    ['exit 0', { how: 'exited', code: 0 }],
  ])('a signal just after the end of %s', async (command, end) => {
    const signalled = run(command, undefined, (start) => {
      const child = start();
      (child as ChildProcess).once('close', () => setImmediate(hear, 'SIGINT'));
      return child;
    });
    expect(await signalled.catch((error: unknown) => error)).toMatchObject(end);
  });

  test('nothing is waited for any more', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onCleanup(() => void vi.useRealTimers());
    expect(await run('true')).toMatchObject({ how: 'exited' });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('one that nobody waits for any more at its start is ended at once', async () => {
    const end = run('exec sleep 60', AbortSignal.abort());
    expect(await Promise.race([end, sleep(10_000, 'still running')])).toEqual({ how: 'late' });
  });

  /** The signals that the command is sent, and 0 where it is asked whether it is still there. */
  async function sentTo(command: string, timeoutMs: number, start: WithCoreDumps = (work) => work()) {
    const sent: (string | number | undefined)[] = [];
    const own = {
      env: process.env,
      platform: process.platform,
      kill(pid: number, signal?: string | number) {
        sent.push(signal);
        return process.kill(pid, signal);
      },
    };
    const options = { env: process.env, timeoutMs, limit: 1000 };
    const onSignals: World['onSignals'] = (_, heard) => {
      hear = heard;
      return () => {};
    };
    const ended = runCredentialCommand(command, options, own, onSignals, start);
    return { end: await ended.catch((error: unknown) => error), sent };
  }

  test('what a SIGTERM has ended gets no SIGKILL: its ID may be another process’s by then', async () => {
    const { end, sent } = await sentTo('exec sleep 60', 100);
    expect(end).toEqual({ how: 'late' });
    expect(sent.filter((signal) => signal !== 0)).toEqual(['SIGTERM']);
  });

  test('what has a group of its own has not heard a Ctrl-C, and is told to end at once', async ({ skip }) => {
    skip(hasTerminal(), 'needs no terminal: setsid npm test');
    const { end, sent } = await sentTo('exec sleep 60', 60_000, (start) => {
      const child = start();
      setImmediate(hear, 'SIGINT');
      return child;
    });
    expect(end).toMatchObject({ name: 'Interrupted', signal: 'SIGINT' });
    expect(sent[0]).toBe('SIGTERM');
  });

  // A shell that has ended leaves what holds its stdout, and its ID may be another process's by then.
  test.each([
    ['sleep 60 & exit 1', 'exit', { how: 'late' }, []],
    ['sleep 60 & kill -KILL $$', 'exit', { how: 'late' }, []],
    // No key of the terminal's: nobody has told the command yet.
    ['exec sleep 60', 'SIGTERM', { signal: 'SIGTERM' }, ['SIGTERM']],
  ])(
    'what is sent first on a terminal, wherever stdin leads: %s, %s',
    async (command, moment, end, first) => {
      const source = join(openFolder(), 'entry.ts');
      const subject = join(ROOT, 'src', 'system', 'processes', 'credential-command.ts');
      writeFileSync(
        source,
        `import { runCredentialCommand } from ${JSON.stringify(subject)};
       const [command = '', moment = ''] = process.argv.slice(2);
       const sent: unknown[] = [];
       const kill = (pid: number, signal?: string | number) => {
         sent.push(signal);
         return process.kill(pid, signal);
       };
       const { env, platform } = process;
       const over = new AbortController();
       let hear: (signal: NodeJS.Signals) => void;
       const onSignals = (_: unknown, heard: typeof hear) => {
         hear = heard;
         return () => {};
       };
       const start = (work: () => any) => {
         const child = work();
         if (moment === 'exit') child.once('exit', () => over.abort());
         else setImmediate(() => hear(moment as NodeJS.Signals));
         return child;
       };
       const options = { env, timeoutMs: 60_000, limit: 1000, ended: over.signal };
       runCredentialCommand(command, options, { env, platform, kill }, onSignals, start)
         .catch(({ signal }) => ({ signal }))
         .then((end) => console.log(JSON.stringify({ end, first: sent.slice(0, 1) })));`,
      );
      const words = [process.execPath, await bundle(source), command, moment];
      const shown = openTerminal(['sh', '-c', 'exec "$@" </dev/null', 'sh', ...words], { env: {} });
      expect(await shown.exit).toEqual({ code: 0, signal: null });
      expect(JSON.parse(shown.screen())).toEqual({ end, first });
    },
  );

  test('what prints too much can print no more, although it ignores SIGTERM', async () => {
    const file = join(openFolder(), 'ended');
    expect(await run(`trap '' TERM; yes; echo of its own accord > '${file}'`)).toEqual({ how: 'too-long' });
    expect(readFileSync(file, 'utf8')).toBe('of its own accord\n');
  });
});

describe('descendants', () => {
  // ps is what the other systems have.
  test.for([...new Set([process.platform, 'darwin' as const])])(
    'as %s tells them: children and theirs',
    async (platform, { skip }) => {
      skip(onPosix !== undefined, onPosix);
      skip(platform !== 'linux' && !existsSync('/bin/ps'), 'needs Debian: procps');
      const { dir, start } = await startPlace('sh -c "sleep 300; :" & echo $! > "$HOME/pid"; wait');
      const running = start(['get']);
      const child = Number(await untilFile(join(dir, 'home', 'pid')));
      let found: number[] = [];
      for (let round = 0; round < 100 && found.length < 3; round++) {
        await sleep(20);
        found = descendants(running.pid, { env: process.env, platform });
      }
      expect(found).toContain(child);
      expect(found).toHaveLength(3);
      running.kill('SIGTERM');
      await running.result;
    },
  );
});
