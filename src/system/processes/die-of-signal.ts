/** How gwtoken ends by a signal. */
import { constants } from 'node:os';

/**
 * Ends the process by this signal, with the effect that it has by default: Node ignores SIGPIPE. The exit code is
 * what remains where a signal does not end a process: on Windows there are none between processes, and `kill` would
 * end us with code 1, or throw.
 */
export function endBySignal(self: NodeJS.Process, signal: NodeJS.Signals): void {
  self.exitCode = 128 + constants.signals[signal];
  // Nothing is cut off: what was written has been written, also to a pipe.
  if (self.platform === 'win32') self.exit();
  if (signal !== 'SIGKILL') {
    const nothing = (): void => {};
    self.on(signal, nothing).off(signal, nothing);
  }
  self.kill(self.pid, signal);
}
