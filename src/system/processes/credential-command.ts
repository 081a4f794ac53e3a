/** Runs the user's credential command in the system's shell. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Interrupted, limitReached, messageOf, systemCode } from '../../errors';
import type { CommandEnd, CommandOptions, World } from '../../world';
import { readAll } from '../files/read-file';
import { TimedOut, withinLimit } from '../limit';
import { windowsProgram } from './helper-program';

/**
 * Runs a line, and resolves with how it ended. It shares gwtoken's terminal and process group, since `op` and
 * `pass` prompt there. Whatever ends the waiting also ends its shell.
 *
 * @throws the signal's reason if it is aborted; Interrupted if the command ended by a Ctrl-C
 */
export async function runCredentialCommand(
  world: Pick<World, 'env' | 'platform'>,
  command: string,
  { env, timeoutMs, maxBytes, signal }: CommandOptions,
): Promise<CommandEnd> {
  const run = async (over: AbortSignal): Promise<CommandEnd> => {
    const child = spawn(command, {
      // It runs `/bin/sh -c COMMAND`, or `cmd /d /s /c "COMMAND"`.
      shell: world.platform === 'win32' ? windowsProgram('cmd.exe', world.env) : '/bin/sh',
      env: { ...env },
      stdio: ['inherit', 'pipe', 'inherit'],
    });
    over.addEventListener('abort', () => {
      // A program that the shell has started may live on, with the other end of the pipe.
      child.stdout?.destroy();
      child.kill();
      child.unref();
    });
    // There is no stdout if Node could make no pipe: the error of starting follows.
    const [stdout, [code, killedBy]] = await Promise.all([
      readAll(child.stdout ?? [], maxBytes),
      once(child, 'close'),
    ]);
    return killedBy === null ? { how: 'exited', code, stdout } : { how: 'killed', signal: killedBy };
  };
  try {
    const end = await withinLimit(timeoutMs, run, signal);
    // A Ctrl-C that ended the command is also meant for us, even if we see its end before our own signal.
    if (end.how === 'killed' && end.signal === 'SIGINT') throw new Interrupted('SIGINT');
    return end;
  } catch (error) {
    if (error instanceof TimedOut) return { how: 'late' };
    if (systemCode(error) === 'EFBIG') return { how: 'too-long' };
    if (error instanceof Interrupted || signal?.aborted) throw error;
    const limit = limitReached(error);
    if (limit) throw limit;
    return { how: 'not-started', reason: systemCode(error) ?? messageOf(error) };
  }
}
