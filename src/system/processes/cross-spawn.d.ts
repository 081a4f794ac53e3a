declare module 'cross-spawn' {
  import type { ChildProcess, SpawnOptions } from 'node:child_process';

  function spawn(command: string, args: string[], options: SpawnOptions): ChildProcess;
  namespace spawn {
    /** Returns what spawn() would start. `file` is missing if spawn() finds no file, and on POSIX. */
    function _parse(command: string, args: string[], options: SpawnOptions): { file?: string };
  }
  export = spawn;
}
