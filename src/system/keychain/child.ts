/**
 * The keychain's child process, the only program that loads keytar. It answers one request, and then its
 * parent kills it. keytar needs its own process because a pending dialog blocks even process.exit(), and
 * because a native fault ends the process.
 *
 * Imports no module of the main program: the bundle puts those into one file, and loading that file
 * would start the main program.
 */
import { loadKeytar } from './keytar';
import { perform, type Request, type Result } from './operations';

export interface Failure {
  /** False if keytar could not be loaded. */
  readonly isLoaded: boolean;
  readonly message: string;
  /** The system's error code, or `DENIED`. */
  readonly code?: string | undefined;
}

export type ChildAnswer = Result | { readonly failure: Failure };

const ignore = (): void => {};
// Keeps SIGUSR1 from opening Node's debugger, as quick-world.ts does in the main program.
if (process.platform !== 'win32') process.on('SIGUSR1', ignore).off('SIGUSR1', ignore);
// Uses SIGKILL, because process.exit() would wait for keytar's thread, which may wait for a person.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// Ctrl-C reaches this process too, but the parent handles it and then ends this process.
process.on('SIGINT', ignore);
process.once('message', async (request: Request) => {
  process.send?.(await answer(request));
});

async function answer(request: Request): Promise<ChildAnswer> {
  let isLoaded = false;
  try {
    const keytar = loadKeytar();
    isLoaded = true;
    return await perform(request, keytar, process.pid);
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    return { failure: { isLoaded, message, code } };
  }
}

// biome-ignore lint/complexity/noUselessEmptyExport: without exports, rolldown wraps each bundled module.
export {};
