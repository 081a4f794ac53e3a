import type { World } from '../world';

/**
 * Masks a token in the log of a GitHub Actions job. The command goes to stderr, because a shell may evaluate
 * stdout, and starts with a line end, because the runner only obeys a command at the start of a line.
 */
export function maskToken(token: string, { env, stderr }: Pick<World, 'env' | 'stderr'>): void {
  if (env['GITHUB_ACTIONS'] === 'true') stderr.write(`\n::add-mask::${escapeData(token)}\n`);
}

/** Escapes the data of a runner's command in the same way as actions/toolkit. */
export function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
