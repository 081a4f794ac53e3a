import type { World } from '../world/world';

/**
 * Has a token masked in the log of a GitHub Actions job; every command that lets a token out calls this first. The
 * runner reads both streams, and stdout may be inside `$(…)`, where a shell would run the line.
 */
export function maskToken(token: string, { env, stderr }: Pick<World, 'env' | 'stderr'>): void {
  if (env['GITHUB_ACTIONS'] === 'true') stderr.write(`::add-mask::${escapeData(token)}\n`);
}

/** As actions/toolkit escapes a command's data. */
function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
