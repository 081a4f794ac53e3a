/** Runs the user's credential command in the system's shell. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { GwtokenError } from '../../errors';
import { Interrupted } from '../../signals';
import { ANSWER_ITS_DIALOG } from '../../surroundings';
import { wordsFor } from '../../system-errors';
import { duration } from '../../text';
import type { CommandOptions, World } from '../../world';
import { TimedOut, withinLimit } from '../limit';
import { windowsProgram } from './helper-program';

/**
 * Runs a line and resolves with its stdout. The command shares gwtoken's terminal and process group, because
 * `op` and `pass` prompt there. When the wait ends early, the shell is killed. Throws the signal's reason if
 * it is aborted, and Interrupted if the command ended by a Ctrl-C.
 */
export async function runCredentialCommand(
  world: Pick<World, 'env' | 'platform'>,
  command: string,
  { env, timeoutMs, maxBytes, signal }: CommandOptions,
): Promise<Uint8Array> {
  const run = async (over: AbortSignal): Promise<Uint8Array> => {
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
    // Ctrl-C and Ctrl-\ are also meant for gwtoken, even if it sees the command's end before its own signal.
    if (killedBy === 'SIGINT' || killedBy === 'SIGQUIT') throw new Interrupted(killedBy);
    if (code === 0) return stdout;
    throw failed(killedBy === null ? `exited with code ${code}` : `was killed by ${killedBy}`);
  };
  try {
    return await withinLimit(timeoutMs, run, signal);
  } catch (error) {
    if (error instanceof GwtokenError || error instanceof Interrupted || signal?.aborted) throw error;
    if (error instanceof TimedOut)
      throw failed(`did not finish within ${duration(timeoutMs)}`).with({
        hints: [ANSWER_ITS_DIALOG],
        reason: 'timed-out',
      });
    throw failed(`could not be started (${wordsFor(error)})`);
  }
}

function failed(problem: string): GwtokenError {
  return new GwtokenError('keychain', `the credential command ${problem}`);
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
      if (length > maxBytes) reject(failed(`printed more than ${maxBytes / 1024} KiB`));
    });
    // After setTimeout Node reads the pipe once more before setImmediate, even if it was suspended meanwhile.
    child.once('exit', () => setTimeout(() => setImmediate(end), LAST_OUTPUT_MS));
  });
}
