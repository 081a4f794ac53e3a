import { constants } from 'node:os';
import type { Interrupted } from '../../signals';
import { isTerminal } from '../terminal/streams';

/** Signals that write a core file, which would contain the secret. */
const DUMPING = /^SIG(QUIT|ILL|TRAP|ABRT|BUS|FPE|SEGV|SYS|XCPU|XFSZ)$/;

/**
 * Ends the process by this signal. Three cases end it with the exit code that shells show for the signal: a
 * signal that would dump core, Windows, and PID 1 of a container, which Linux does not let signal itself.
 */
export function endBySignal(self: NodeJS.Process, { signal, exitCode }: Interrupted): void {
  self.exitCode = exitCode;
  // All output has been written, so nothing is cut off.
  if (self.platform === 'win32') self.exit();
  if (DUMPING.test(signal) || self.pid === 1) self.exit(128 + constants.signals[signal]);
  // If a prompt has made the terminal raw, Node resets the terminal at an exit, but not before a signal.
  if (isTerminal(0, self)) self.stdin.setRawMode(false);
  // Restores the default effect. Node ignores SIGPIPE until a listener has been added and removed.
  if (signal !== 'SIGKILL') self.on(signal, () => {}).removeAllListeners(signal);
  self.kill(self.pid, signal);
}
