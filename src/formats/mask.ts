import type { World } from '../world';

/**
 * Masks a token in the log of a GitHub Actions job, by stderr: a shell may run what is on stdout. It begins a
 * line of its own: behind a line without an end, the runner would print it instead.
 */
export function maskToken(token: string, { env, stderr }: Pick<World, 'env' | 'stderr'>): void {
  if (env['GITHUB_ACTIONS'] === 'true') stderr.write(`\n::add-mask::${escapeData(token)}\n`);
}

/** Escapes a command's data as actions/toolkit does. */
export function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
