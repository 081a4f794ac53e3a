/**
 * Runs the user's credential command in the system's shell.
 *
 * If there is a terminal, the command stays in the terminal's foreground process group, since a session or group of its
 * own could neither open /dev/tty nor read from it, and `op` and `pass` prompt for a password there. It is then ended
 * by its process tree. Without a terminal (CI, cron, services) it gets its own group and is ended with it.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ENDING_SIGNALS, Interrupted, limitReached, messageOf, systemCode } from '../../errors';
import type { CommandEnd, Env, RunCredentialCommand, World } from '../../world';
import { helperEnvironment } from './privacy';
import { procStat } from './proc-stat';

/** The part of Node's `process` that is needed here. */
type OwnProcess = Pick<NodeJS.Process, 'env' | 'kill' | 'platform'>;

/** Time after a signal for a command to switch the terminal's echo on again; then the next one: SIGTERM, SIGKILL. */
const GRACE_MS = 1000;

export async function runCredentialCommand(
  command: string,
  { env, timeoutMs, limit, ended }: Parameters<RunCredentialCommand>[1],
  own: OwnProcess,
  onSignals: World['onSignals'],
): Promise<CommandEnd> {
  const ownGroup = own.platform !== 'win32' && !hasTerminal();
  let release: () => void = () => {};
  // Before the start: a signal in between would end us and leave the command running.
  const interrupted = new Promise<Interrupted>((resolve) => {
    release = onSignals(ENDING_SIGNALS, (signal) => resolve(new Interrupted(signal)));
  });
  // The signal may outlast many a command, and Node warns of the eleventh listener.
  const over = new AbortController();
  if (ended?.aborted) over.abort();
  ended?.addEventListener('abort', () => over.abort(), { signal: over.signal });
  const late = sleep(timeoutMs, undefined, { signal: over.signal })
    .catch(() => {})
    .then((): CommandEnd => ({ how: 'late' }));
  try {
    let child: ChildProcess;
    let end: Interrupted | CommandEnd;
    try {
      child = spawn(command, {
        // As contracted: /bin/sh -c COMMAND, or cmd /d /s /c "COMMAND".
        shell: true,
        env: { ...env },
        stdio: ['inherit', 'pipe', 'inherit'],
        detached: ownGroup,
      });
      end = await Promise.race([interrupted, endOf(child, limit), late]);
    } catch (error) {
      // Most failures to start arrive as an event of the child; arguments and variables that are too long are thrown.
      return notStarted(error);
    }
    // A command that fails on Ctrl-C may be seen to end before our own signal arrives, mostly in Bun.
    if (!(end instanceof Interrupted) && end.how === 'exited' && end.code !== 0) {
      end = await Promise.race([interrupted, sleep(50, end)]);
    }
    if (end instanceof Interrupted || end.how === 'late' || end.how === 'too-long') {
      // First of all: a command that ignores SIGTERM may keep printing.
      child.stdout?.destroy();
      // Ctrl-C and a hangup reach the terminal's whole foreground group.
      const isTold = !ownGroup && end instanceof Interrupted && end.signal !== 'SIGTERM';
      await stop(child, { ownGroup, isTold }, own);
    }
    if (end instanceof Interrupted) throw end;
    // A Ctrl-C that ended the command is also meant for us, even if we see its end before our own signal.
    if (end.how === 'killed' && end.signal === 'SIGINT') throw new Interrupted('SIGINT');
    return end;
  } finally {
    over.abort();
    release();
  }
}

/**
 * How it ends by itself, with its stdout as in a shell's `$(…)`, or that it prints too much. Rejects if it does not start.
 */
function endOf(child: ChildProcess, limit: number): Promise<CommandEnd> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    child.stdout?.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > limit) resolve({ how: 'too-long' });
    });
    child.once('error', reject);
    child.once('close', (code, signal) =>
      resolve(
        signal === null
          ? { how: 'exited', code: code ?? 1, stdout: Buffer.concat(chunks) }
          : { how: 'killed', signal },
      ),
    );
  });
}

function notStarted(error: unknown): CommandEnd {
  const limit = limitReached(error);
  if (limit) throw limit;
  return { how: 'not-started', reason: systemCode(error) ?? messageOf(error) };
}

/** Whether this process has a controlling terminal, wherever its streams lead. */
function hasTerminal(): boolean {
  try {
    fs.closeSync(fs.openSync('/dev/tty', 'r+'));
    return true;
  } catch {
    return false;
  }
}

/**
 * Ends the command and everything that it started before it resolves.
 *
 * @param isTold whether a signal has reached all of them already: a SIGTERM at once would also end the `stty` with which
 *   the command restores the terminal
 */
async function stop(
  child: ChildProcess,
  { ownGroup, isTold }: { readonly ownGroup: boolean; readonly isTold: boolean },
  own: OwnProcess,
): Promise<void> {
  const { pid, exitCode, signalCode } = child;
  if (pid === undefined) return;
  if (own.platform === 'win32') {
    // It fails if the command has ended meanwhile.
    spawnSync('taskkill', ['/pid', String(pid), '/t', '/f'], {
      env: helperEnvironment(own.env),
      stdio: 'ignore',
      windowsHide: true,
    });
    // If it fails for another reason, gwtoken must still not wait for the shell.
    child.kill();
    return;
  }
  // A shell that has ended may have left its group behind, but no tree: its PID may have been reused.
  if (!ownGroup && (exitCode !== null || signalCode !== null)) return;
  const send = (target: number, signal: NodeJS.Signals | 0): boolean => {
    try {
      return own.kill(target, signal);
    } catch {
      return false;
    }
  };
  const below = (pids: readonly number[]): number[] => pids.flatMap((each) => descendants(each, own));
  let left = ownGroup ? [-pid] : [pid, ...below([pid])];
  // Without those that have ended: their IDs may be other processes' by now.
  const grace = async (): Promise<void> => {
    const giveUpAt = performance.now() + GRACE_MS;
    for (;;) {
      left = left.filter((target) => send(target, 0));
      if (left.length === 0 || performance.now() >= giveUpAt) return;
      await sleep(20);
    }
  };
  if (isTold) await grace();
  for (const target of left) send(target, 'SIGTERM');
  await grace();
  for (const target of ownGroup ? left : new Set([...left, ...below(left)])) send(target, 'SIGKILL');
}

/** The living descendants of a process, nearest first. A process whose parent has ended is not found. */
export function descendants(pid: number, { env, platform }: Pick<OwnProcess, 'env' | 'platform'>): number[] {
  const children = new Map<number, number[]>();
  for (const [child, parent] of platform === 'linux' ? parentsFromProc() : parentsFromPs(env)) {
    children.set(parent, [...(children.get(parent) ?? []), child]);
  }
  const found = [pid];
  for (const each of found) found.push(...(children.get(each) ?? []));
  return found.slice(1);
}

/** From /proc on Linux: slim container images have no ps, which tree-kill and pidtree need. */
function parentsFromProc(): [number, number][] {
  const pids = fs.readdirSync('/proc').map(Number).filter(Number.isInteger);
  return pids.flatMap((pid): [number, number][] => {
    const stat = procStat(pid);
    return stat ? [[pid, stat.parent]] : [];
  });
}

function parentsFromPs(env: Env): [number, number][] {
  const options = { env: helperEnvironment(env), encoding: 'latin1' } as const;
  const text = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], options);
  return text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number) as [number, number]);
}
