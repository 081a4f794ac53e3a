/** How gwtoken ends by a signal. */
import { constants } from 'node:os';

/** Ends the process by this signal, with its default effect (Node ignores SIGPIPE); on Windows by its exit code. */
export function endBySignal(self: NodeJS.Process, signal: NodeJS.Signals): void {
  self.exitCode = 128 + constants.signals[signal];
  // Nothing is cut off: all output has been written, even to a pipe.
  if (self.platform === 'win32') self.exit();
  if (signal !== 'SIGKILL') {
    const nothing = (): void => {};
    self.on(signal, nothing).off(signal, nothing);
  }
  self.kill(self.pid, signal);
}
