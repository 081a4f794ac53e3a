/** The end of gwtoken by a signal. */
import type { Interrupted } from '../../errors';
import { isTerminal } from '../terminal/terminal';

/**
 * Ends the process by this signal, with its default effect (Node ignores SIGPIPE). Windows has no signals,
 * and a kill would give code 1: there it ends with the exit code that other systems' shells show.
 */
export function endBySignal(self: NodeJS.Process, { signal, exitCode }: Interrupted): void {
  self.exitCode = exitCode;
  // Nothing is cut off: all output has been written, even to a pipe.
  if (self.platform === 'win32') self.exit();
  // After a prompt the terminal is raw; Node gives it back at an exit, but not before a signal.
  if (isTerminal(0, self)) self.stdin.setRawMode(false);
  if (signal !== 'SIGKILL') {
    const nothing = (): void => {};
    self.on(signal, nothing).off(signal, nothing);
  }
  self.kill(self.pid, signal);
}
