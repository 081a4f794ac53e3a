/** Runs the user's credential command in the system's shell. */
import { type ChildProcess, spawn } from 'node:child_process';
import { Interrupted, limitReached, messageOf, systemCode } from '../../errors';
import type { CommandEnd, CommandOptions, World } from '../../world';
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
  { env, timeoutMs, limit, signal }: CommandOptions,
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
      child.stdout.destroy();
      child.kill();
      child.unref();
    });
    return endOf(child, limit);
  };
  try {
    const end = await withinLimit(timeoutMs, run, signal);
    // A Ctrl-C that ended the command is also meant for us, even if we see its end before our own signal.
    const isCtrlC = end.how === 'killed' ? end.signal === 'SIGINT' : end.how === 'exited' && end.code === 130;
    if (isCtrlC) throw new Interrupted('SIGINT');
    return end;
  } catch (error) {
    if (error instanceof TimedOut) return { how: 'late' };
    if (error instanceof Interrupted || signal?.aborted) throw error;
    const limit = limitReached(error);
    if (limit) throw limit;
    return { how: 'not-started', reason: systemCode(error) ?? messageOf(error) };
  }
}

/** Returns how it ends, with its stdout; or that it prints too much. Rejects if it does not start. */
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
