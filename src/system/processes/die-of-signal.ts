/** How gwtoken ends by a signal. */
import * as fs from 'node:fs';
import { constants } from 'node:os';

/**
 * Ends the process by this signal, with the effect that it has by default: Node ignores SIGPIPE and opens its debugger
 * at SIGUSR1. The exit code is what remains where a signal does not end a process.
 */
export function endBySignal(self: NodeJS.Process, signal: NodeJS.Signals): void {
  self.exitCode = 128 + constants.signals[signal];
  if (signal !== 'SIGKILL') {
    const nothing = (): void => {};
    self.on(signal, nothing).off(signal, nothing);
  }
  leaveMemoryOutOfCore();
  self.kill(self.pid, signal);
}

/** The child may have died of a signal that dumps core, and gwtoken's memory has had the client's secret in it. */
function leaveMemoryOutOfCore(): void {
  try {
    fs.writeFileSync('/proc/self/coredump_filter', '0');
  } catch {
    // Not Linux: there is no such filter.
  }
}
