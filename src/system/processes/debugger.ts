/**
 * From here on SIGUSR1 ends the process, as it ends other programs, instead of opening Node's debugger on 127.0.0.1 to
 * every user of the machine. The first line of each program, so it needs nothing.
 */
export function closeDebugger(own: Pick<NodeJS.Process, 'on' | 'platform'>): void {
  if (own.platform === 'win32') return;
  const nothing = (): void => {};
  // A listener replaces Node's own handler, and with the last listener goes every handler.
  own.on('SIGUSR1', nothing).off('SIGUSR1', nothing);
}
