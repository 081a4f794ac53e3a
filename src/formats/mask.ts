import type { World } from '../world';

/**
 * Masks a token or secret in the log of a GitHub Actions job. The command goes to stderr, because a shell may
 * evaluate stdout, and starts with a line end, because the runner only obeys it at the start of a line.
 */
export function maskInLog(text: string, { env, stderr }: Pick<World, 'env' | 'stderr'>): void {
  if (env['GITHUB_ACTIONS'] === 'true') stderr.write(`\n::add-mask::${escapeData(text)}\n`);
}

/** Escapes the data of a runner's command in the same way as actions/toolkit. */
export function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
