/**
 * From here on SIGUSR1 ends the process, as it does other programs, instead of opening Node's debugger on 127.0.0.1 to
 * every user of the machine. It is the first line of each program, so it imports nothing.
 */
export function closeDebugger(own: Pick<NodeJS.Process, 'on' | 'platform'>): void {
  if (own.platform === 'win32') return;
  const nothing = (): void => {};
  // A listener replaces Node's own handler, and removing the last listener removes every handler.
  own.on('SIGUSR1', nothing).off('SIGUSR1', nothing);
}
