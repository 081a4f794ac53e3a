/**
 * Runs the user's credential command in the system's shell.
 *
 * If there is a terminal, the command stays in the terminal's foreground process group, since a session or
 * group of its own could neither open /dev/tty nor read from it, and `op` and `pass` prompt for a password
 * there. Then only the shell is ended. Without a terminal (CI, cron, services) the command gets its own group
 * and is ended with it.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { quietly } from '../../errors';
import { Interrupted, untilSignal } from '../../signals';
import { limitReached, messageOf, systemCode } from '../../system-errors';
import type { CommandEnd, CommandOptions, World } from '../../world';
import { hasTerminal } from '../terminal/foreground';
import { helperEnvironment, windowsProgram } from './helper-program';

type OwnProcess = Pick<NodeJS.Process, 'env' | 'kill' | 'platform'>;

/** Time that a command gets after a signal, to restore the terminal's echo, before the next stronger one. */
const GRACE_MS = 1000;

export async function runCredentialCommand(
  command: string,
  { env, timeoutMs, limit, signal }: CommandOptions,
  proc: OwnProcess,
  onSignals: World['onSignals'],
): Promise<CommandEnd> {
  const hasGroup = proc.platform !== 'win32' && !hasTerminal();
  const late = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]);
  let child: ChildProcess | undefined;
  const end = await untilSignal(onSignals, async () => {
    child = spawn(command, {
      // It runs `/bin/sh -c COMMAND`, or `cmd /d /s /c "COMMAND"`.
      shell: proc.platform === 'win32' ? windowsProgram('cmd.exe', proc.env) : '/bin/sh',
      env: { ...env },
      stdio: ['inherit', 'pipe', 'inherit'],
      detached: hasGroup,
    });
    const ended = await endOf(child, limit, late);
    // A command that fails on Ctrl-C may be seen to end before our own signal arrives, mostly in Bun.
    if (ended.how === 'exited' && ended.code !== 0) await sleep(50);
    return ended;
  }).catch((error: unknown) => (error instanceof Interrupted ? error : notStarted(error)));

  const isOver = !(end instanceof Interrupted) && end.how !== 'late' && end.how !== 'too-long';
  if (child !== undefined && !isOver) {
    // First of all: a command that ignores SIGTERM may keep printing.
    child.stdout?.destroy();
    // Ctrl-C and a hangup reach the terminal's whole foreground group.
    const isTold = !hasGroup && end instanceof Interrupted && end.signal !== 'SIGTERM';
    await stop(child, { hasGroup, isTold }, proc);
  }
  if (end instanceof Interrupted) throw end;
  // A Ctrl-C that ended the command is also meant for us, even if we see its end before our own signal.
  if (end.how === 'killed' && end.signal === 'SIGINT') throw new Interrupted('SIGINT');
  return end;
}

/**
 * Returns how it ends, with its stdout; or that it prints too much, or is late. Rejects if it does not start.
 */
function endOf(child: ChildProcess, limit: number, signal: AbortSignal): Promise<CommandEnd> {
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
    signal.addEventListener('abort', () => resolve({ how: 'late' }), { once: true });
    if (signal.aborted) resolve({ how: 'late' });
  });
}

function notStarted(error: unknown): CommandEnd {
  const limit = limitReached(error);
  if (limit) throw limit;
  return { how: 'not-started', reason: systemCode(error) ?? messageOf(error) };
}

/**
 * Ends the command's group, or its shell alone, before it resolves. If the terminal's signal has reached all
 * (`isTold`), a SIGTERM at once would also end the `stty` with which the command restores the terminal.
 */
async function stop(
  child: ChildProcess,
  { hasGroup, isTold }: { readonly hasGroup: boolean; readonly isTold: boolean },
  proc: OwnProcess,
): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  if (proc.platform === 'win32') {
    const options = { env: helperEnvironment(proc.env), stdio: 'ignore', windowsHide: true } as const;
    spawnSync(windowsProgram('taskkill.exe', proc.env), ['/pid', String(pid), '/t', '/f'], options);
    // If that fails, gwtoken must still not wait for the shell.
    child.kill();
    return;
  }
  const send = (signal: NodeJS.Signals | 0): boolean => {
    // A shell that has ended may have left its group behind; its own ID may be another process's by now.
    if (!hasGroup && (child.exitCode !== null || child.signalCode !== null)) return false;
    return quietly(() => proc.kill(hasGroup ? -pid : pid, signal)) ?? false;
  };
  const endsInTime = async (): Promise<boolean> => {
    const giveUpAt = performance.now() + GRACE_MS;
    while (performance.now() < giveUpAt) {
      if (!send(0)) return true;
      await sleep(20);
    }
    return false;
  };
  if (isTold && (await endsInTime())) return;
  send('SIGTERM');
  if (!(await endsInTime())) send('SIGKILL');
}
