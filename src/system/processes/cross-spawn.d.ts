declare module 'cross-spawn' {
  import type { ChildProcess, SpawnOptions } from 'node:child_process';

  function spawn(command: string, args: string[], options: SpawnOptions): ChildProcess;
  namespace spawn {
    /** Options by which it finds the file. */
    function _parse(command: string, args: string[], options: SpawnOptions): { file?: string };
  }
  export = spawn;
}
