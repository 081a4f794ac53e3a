/** What the terminal can show: colours, and more than ASCII. */
import type { Env, Paint } from '../../world/streams';

const plain = (text: string): string => text;
const PLAIN: Paint = { bold: plain, dim: plain, red: plain, green: plain, yellow: plain, cyan: plain };

/** Colours for one stream, or none. chalk is loaded only where there are some. */
export async function painter(env: Env, isTTY: boolean): Promise<Paint> {
  if (!wantsColour(env, isTTY)) return PLAIN;
  const { Chalk } = await import('chalk');
  // Level 1, the sixteen colours that every terminal's theme makes readable.
  return new Chalk({ level: 1 });
}

/** NO_COLOR (no-color.org) wins over FORCE_COLOR; a dumb terminal has none. */
function wantsColour(env: Env, isTTY: boolean): boolean {
  if (env['NO_COLOR']) return false;
  if (env['FORCE_COLOR']) return env['FORCE_COLOR'] !== '0' && env['FORCE_COLOR'] !== 'false';
  return isTTY && env['TERM'] !== 'dumb';
}

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
