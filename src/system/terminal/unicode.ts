import type { Env } from '../../world/streams';

/**
 * Whether the terminal shows more than ASCII. npm's is-unicode-supported reads `process.env` and does not look at the
 * locale, which is what decides over ssh.
 */
export function hasUnicode(env: Env, platform: NodeJS.Platform): boolean {
  if (env['TERM'] === 'dumb' || env['TERM'] === 'linux') return false;
  if (platform === 'win32') return Boolean(env['WT_SESSION'] || env['TERM_PROGRAM'] === 'vscode');
  if (platform === 'darwin') return true;
  return /utf-?8/i.test(env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '');
}

/**
 * Loads what looks at TERM alone, and once, for whether there is Unicode, so that it draws in ASCII: the prompts do.
 *
 * @param env the environment itself, not a copy
 */
export async function loadedPlain<T>(
  env: Record<string, string | undefined>,
  load: () => Promise<T>,
): Promise<T> {
  const term = env['TERM'];
  env['TERM'] = 'linux';
  try {
    return await load();
  } finally {
    if (term === undefined) delete env['TERM'];
    else env['TERM'] = term;
  }
}
