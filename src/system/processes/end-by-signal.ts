/** The end of gwtoken by a signal. */
import { constants } from 'node:os';
import type { Interrupted } from '../../errors';
import { isTerminal } from '../terminal/terminal';

/** Signals by which a program's memory is written to a file: in gwtoken's there is a secret. */
const DUMPING = /^SIG(QUIT|ILL|TRAP|ABRT|BUS|FPE|SEGV|SYS|XCPU|XFSZ)$/;

/**
 * Ends the process by this signal, with its default effect (Node ignores SIGPIPE), or with the exit code that
 * shells show for it: if it would dump core, as the first process of a container, to which Linux delivers no
 * signal of its own, and on Windows, which has no signals.
 */
export function endBySignal(self: NodeJS.Process, { signal, exitCode }: Interrupted): void {
  self.exitCode = exitCode;
  // Nothing is cut off: all output has been written, even to a pipe.
  if (self.platform === 'win32') self.exit();
  if (DUMPING.test(signal) || self.pid === 1) self.exit(128 + constants.signals[signal]);
  // After a prompt the terminal is raw; Node gives it back at an exit, but not before a signal.
  if (isTerminal(0, self)) self.stdin.setRawMode(false);
  if (signal !== 'SIGKILL') {
    const nothing = (): void => {};
    self.on(signal, nothing).off(signal, nothing);
  }
  self.kill(self.pid, signal);
}
