/** The programs that gwtoken runs for its own purposes. */
import { delimiter, isAbsolute } from 'node:path';
import type { Env } from '../../world';

/** Returns a helper's environment: PATH, the variables that it reads, and English as its language. */
export function helperEnvironment(env: Env, ...reads: readonly string[]): NodeJS.ProcessEnv {
  const names = reads.filter((name) => env[name] !== undefined);
  const own = Object.fromEntries(names.map((name) => [name, env[name]]));
  return { PATH: absoluteDirectories(env), ...own, LC_ALL: 'C' };
}

/**
 * Returns the absolute directories of PATH, for programs that gwtoken starts by itself and for their
 * children. An empty or relative entry means the working directory, where other users may have put programs.
 */
export function absoluteDirectories({ PATH = '' }: { readonly PATH?: string | undefined }): string {
  // Without PATH, GLib also searches the working directory.
  return PATH.split(delimiter).filter(isAbsolute).join(delimiter) || '/usr/bin:/bin';
}

/** Returns the path of a program of Windows. By its name, Windows would prefer the working directory. */
export function windowsProgram(name: string, { SystemRoot = 'C:\\Windows' }: Env): string {
  return `${SystemRoot}\\System32\\${name}`;
}

/** Runs a program until it ends or the signal is aborted. Never rejects: `error` says what failed. */
export async function runHelper(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  signal?: AbortSignal,
): Promise<{ readonly error: unknown; readonly stdout: string }> {
  const { execFile } = await import('node:child_process');
  const ended = new Promise<{ error: unknown; stdout: string }>((resolve) => {
    execFile(program, args, { env, signal }, (error, stdout) => resolve({ error, stdout }));
  });
  // execFile throws some failures to start, such as a lack of memory.
  return await ended.catch((error: unknown) => ({ error, stdout: '' }));
}
