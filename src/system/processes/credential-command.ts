/** Runs the user's credential command in the system's shell. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Interrupted } from '../../signals';
import { systemCode, wordsFor } from '../../system-errors';
import type { CommandEnd, CommandOptions, World } from '../../world';
import { tooLarge } from '../files/read-file';
import { TimedOut, withinLimit } from '../limit';
import { windowsProgram } from './helper-program';

/**
 * Runs a line and resolves with how it ended. The command shares gwtoken's terminal and process group,
 * because `op` and `pass` prompt there. When the wait ends early, the shell is killed. Throws the signal's
 * reason if it is aborted, and Interrupted if the command ended by a Ctrl-C.
 */
export async function runCredentialCommand(
  world: Pick<World, 'env' | 'platform'>,
  command: string,
  { env, timeoutMs, maxBytes, signal }: CommandOptions,
): Promise<CommandEnd> {
  const run = async (over: AbortSignal): Promise<CommandEnd> => {
    const child = spawn(command, {
      // Node runs `/bin/sh -c COMMAND` or `cmd /d /s /c "COMMAND"`.
      shell: world.platform === 'win32' ? windowsProgram('cmd.exe', world.env) : '/bin/sh',
      env: { ...env },
      stdio: ['inherit', 'pipe', 'inherit'],
    });
    over.addEventListener('abort', () => {
      // A program that the shell started may go on printing, which would fill the memory.
      child.stdout?.destroy();
      child.kill();
    });
    const [stdout, [code, killedBy]] = await Promise.all([outputOf(child, maxBytes), once(child, 'exit')]);
    return killedBy === null ? { how: 'exited', code, stdout } : { how: 'killed', signal: killedBy };
  };
  try {
    const end = await withinLimit(timeoutMs, run, signal);
    // Ctrl-C and Ctrl-\ are also meant for gwtoken, even if it sees the command's end before its own signal.
    if (end.how === 'killed' && (end.signal === 'SIGINT' || end.signal === 'SIGQUIT'))
      throw new Interrupted(end.signal);
    return end;
  } catch (error) {
    if (error instanceof TimedOut) return { how: 'late' };
    if (systemCode(error) === 'EFBIG') return { how: 'too-long' };
    if (error instanceof Interrupted || signal?.aborted) throw error;
    return { how: 'not-started', reason: wordsFor(error) };
  }
}

/** Time to read the rest of the pipe after the command has ended. */
const LAST_OUTPUT_MS = 200;

/**
 * Resolves with what a command prints, once it has closed its stdout or has ended. A process that it leaves
 * behind (ssh-agent, gpg-agent) may hold the pipe open for as long as it runs.
 */
function outputOf(child: ChildProcess, maxBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    const end = (): void => resolve(Buffer.concat(chunks));
    // If Node cannot create the pipe, stdout is missing and an error event follows.
    child.stdout?.on('end', end).on('data', (bytes: Uint8Array) => {
      length += bytes.length;
      chunks.push(bytes);
      if (length > maxBytes) reject(tooLarge(maxBytes));
    });
    // After setTimeout Node reads the pipe once more before setImmediate, even if it was suspended meanwhile.
    child.once('exit', () => setTimeout(() => setImmediate(end), LAST_OUTPUT_MS));
  });
}
