/**
 * Runs the user's credential command in the system's shell.
 *
 * Where there is a terminal the command stays in the terminal's foreground process group, since a session or group of
 * its own could neither open /dev/tty nor read from it: `op` and `pass` ask for a password there. It is then ended
 * by its tree of processes. Where there is none (CI, cron, services) it gets a group of its own and is ended with it.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Interrupted, messageOf, systemCode } from '../../errors';
import type { CommandEnd, RunCredentialCommand } from '../../world/processes';
import { descendants } from './process-tree';

/** The part of Node's `process` that is needed here. */
export type OwnProcess = Pick<NodeJS.Process, 'on' | 'off' | 'kill' | 'platform'>;

/** After SIGTERM, for a command that has to switch the terminal's echo on again; then SIGKILL. */
const GRACE_MS = 1000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export async function runCredentialCommand(
  command: string,
  { env, timeoutMs, limit }: Parameters<RunCredentialCommand>[1],
  own: OwnProcess,
): Promise<CommandEnd> {
  const ownGroup = own.platform !== 'win32' && !hasTerminal();
  let interrupt: (signal: NodeJS.Signals) => void = () => {};
  const interrupted = new Promise<Interrupted>((resolve) => {
    interrupt = (signal) => resolve(new Interrupted(signal as (typeof SIGNALS)[number]));
  });
  // Before the start: a signal in between would end us and leave the command behind.
  for (const signal of SIGNALS) own.on(signal, interrupt);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<CommandEnd>((resolve) => {
    timer = setTimeout(() => resolve({ how: 'late' }), timeoutMs);
  });
  try {
    const child = spawn(command, {
      // As contracted: /bin/sh -c COMMAND, or cmd /d /s /c "COMMAND".
      shell: true,
      env: { ...env },
      stdio: ['inherit', 'pipe', 'inherit'],
      detached: ownGroup,
    });
    const end = await Promise.race([interrupted, endOf(child, limit), late]);
    if (end instanceof Interrupted || end.how === 'late' || end.how === 'too-long') {
      // First: a command that ignores SIGTERM may print on and on.
      child.stdout?.destroy();
      await stop(child, ownGroup, own);
    }
    if (end instanceof Interrupted) throw end;
    // What a Ctrl-C ends, it ends for us too, even if the command's end is seen before our own signal.
    if (end.how === 'killed' && end.signal === 'SIGINT') throw new Interrupted('SIGINT');
    return end;
  } finally {
    clearTimeout(timer);
    for (const signal of SIGNALS) own.off(signal, interrupt);
  }
}

/** How it ends by itself, or that it prints too much. Its end is that of its stdout, as for a shell's `$(…)`. */
function endOf(child: ChildProcess, limit: number): Promise<CommandEnd> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    child.stdout?.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > limit) resolve({ how: 'too-long' });
    });
    child.once('error', (error) =>
      resolve({ how: 'not-started', reason: systemCode(error) ?? messageOf(error) }),
    );
    child.once('close', (code, signal) =>
      resolve(
        signal === null
          ? { how: 'exited', code: code ?? 1, stdout: Buffer.concat(chunks) }
          : { how: 'killed', signal },
      ),
    );
  });
}

/** Whether this process has a controlling terminal, wherever its own streams lead. */
function hasTerminal(): boolean {
  try {
    fs.closeSync(fs.openSync('/dev/tty', 'r+'));
    return true;
  } catch {
    return false;
  }
}

/** Ends the command and what it has started: nothing of it is left when this resolves. */
async function stop(
  { pid, exitCode, signalCode }: ChildProcess,
  ownGroup: boolean,
  own: OwnProcess,
): Promise<void> {
  if (pid === undefined) return;
  if (own.platform === 'win32') {
    // It fails when the command has ended meanwhile.
    spawnSync('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore' });
    return;
  }
  // A shell that is gone may have left its group behind, but no tree: its number may be another's by now.
  if (!ownGroup && (exitCode !== null || signalCode !== null)) return;
  const send = (target: number, signal: NodeJS.Signals | 0): boolean => {
    try {
      return own.kill(target, signal);
    } catch {
      return false;
    }
  };
  const below = (pids: readonly number[]): number[] =>
    pids.flatMap((each) => descendants(each, own.platform));
  const targets = ownGroup ? [-pid] : [pid, ...below([pid])];
  for (const target of targets) send(target, 'SIGTERM');
  const giveUpAt = performance.now() + GRACE_MS;
  while (performance.now() < giveUpAt && targets.some((target) => send(target, 0))) await sleep(20);
  for (const target of ownGroup ? targets : new Set([...targets, ...below(targets)])) send(target, 'SIGKILL');
}
