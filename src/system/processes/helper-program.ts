/** The programs that gwtoken runs for its own purposes. */
import { delimiter, isAbsolute } from 'node:path';
import type { Env } from '../../world';

/** Returns the environment of a system program: PATH, and the variables that it reads. It speaks English. */
export function helperEnvironment(env: Env, ...reads: readonly string[]): NodeJS.ProcessEnv {
  const names = reads.filter((name) => env[name] !== undefined);
  const own = Object.fromEntries(names.map((name) => [name, env[name]]));
  return { PATH: absoluteDirectories(env), ...own, LC_ALL: 'C' };
}

/**
 * Returns the absolute directories of PATH, for programs that gwtoken starts by itself and for those that
 * they start: an empty or relative entry means the working directory, which may hold anybody's programs.
 */
export function absoluteDirectories({ PATH = '' }: { readonly PATH?: string | undefined }): string {
  // Without PATH, GLib looks in the working directory too.
  return PATH.split(delimiter).filter(isAbsolute).join(delimiter) || '/usr/bin:/bin';
}

/** The path of one of Windows' own programs: by its name, one in the working directory would be run. */
export function windowsProgram(name: string, { SystemRoot = 'C:\\Windows' }: Env): string {
  return `${SystemRoot}\\System32\\${name}`;
}

/** Runs a system program until it ends or the signal is aborted. Never rejects; `error` is the reason. */
export async function runHelper(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<{ readonly error: unknown; readonly stdout: string }> {
  const { execFile } = await import('node:child_process');
  const ended = new Promise<{ error: unknown; stdout: string }>((resolve) => {
    execFile(program, args, { env, signal }, (error, stdout) => resolve({ error, stdout }));
  });
  // Some failures to start are thrown, such as out of memory.
  return await ended.catch((error: unknown) => ({ error, stdout: '' }));
}
