/** The end of gwtoken by a signal. */
import { constants } from 'node:os';

/**
 * Ends the process by this signal, with its default effect (Node ignores SIGPIPE). Windows has no signals:
 * there a kill would end it at once with code 1, so it ends with the exit code that a shell elsewhere shows
 * for the signal.
 */
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
