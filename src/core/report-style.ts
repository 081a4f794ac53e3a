import type { Paint, World } from '../world';

/** The mark before a line. */
export type Mark = 'ok' | 'warning' | 'failed' | 'skipped';

const SIGNS: Record<Mark, string> = { ok: '✔', warning: '!', failed: '✖', skipped: '-' };
const WORDS: Record<Mark, string> = { ok: 'ok', warning: 'warn', failed: 'FAIL', skipped: 'skip' };
const COLOURS = { ok: 'green', warning: 'yellow', failed: 'red', skipped: 'dim' } as const;

/** Makes marks of one width: signs on a terminal that has them, words of plain ASCII anywhere else. */
export function marker(
  paint: Paint,
  { stdout, env, platform }: Pick<World, 'stdout' | 'env' | 'platform'>,
): (mark: Mark) => string {
  const signs = stdout.isTTY() && hasUnicode(env, platform);
  return (mark) => paint[COLOURS[mark]](signs ? SIGNS[mark] : WORDS[mark].padEnd(4));
}

/**
 * Whether the terminal shows more than ASCII. npm's is-unicode-supported reads `process.env` and does not look at the
 * locale, which is what decides over ssh.
 */
function hasUnicode(env: World['env'], platform: NodeJS.Platform): boolean {
  if (env['TERM'] === 'dumb' || env['TERM'] === 'linux') return false;
  if (platform === 'win32') return Boolean(env['WT_SESSION'] || env['TERM_PROGRAM'] === 'vscode');
  if (platform === 'darwin') return true;
  return /utf-?8/i.test(env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '');
}
