/** Real processes that hold a lock or wait for it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect } from 'vitest';
import { onCleanup } from '../../harness/clean-up';
import { bundle } from '../../harness/programs/bundle';
import { inherited } from '../../harness/programs/program';

export interface Locker {
  readonly child: ChildProcess;
  /** Its next line. */
  line(): Promise<string>;
  /** Releases the lock; resolves with the exit code and the signal. */
  end(): Promise<unknown>;
  /** Kills it, whatever it does. */
  kill(): Promise<void>;
}

/** Returns the function that starts a process which takes the lock, or waits for it and tries again. */
export async function lockers(): Promise<(path: string) => Locker> {
  const program = await bundle(join(import.meta.dirname, 'lock-child.ts'));
  return (path) => {
    const child = spawn(process.execPath, [program, path], {
      env: inherited(),
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
    });
    const locker: Locker = {
      child,
      async line() {
        while (!text.includes('\n')) {
          if (hasEnded()) throw new Error('the locker has ended');
          await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
        }
        const [first = '', ...rest] = text.split('\n');
        text = rest.join('\n');
        return first;
      },
      end() {
        const ended = once(child, 'exit');
        child.stdin.end();
        return ended;
      },
      async kill() {
        if (hasEnded()) return;
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      },
    };
    onCleanup(() => locker.kill());
    return locker;
  };
}

/** Starts several that wait for a holder. */
export async function startWaiting(count: number, start: () => Locker): Promise<Locker[]> {
  const waiting = Array.from({ length: count }, start);
  for (const { line } of waiting) expect(await line()).toBe('waiting');
  return waiting;
}
