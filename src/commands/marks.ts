import type { Paint } from '../world/streams';
import type { World } from '../world/world';

/** The mark before a line. */
export type Mark = 'ok' | 'warning' | 'failed' | 'skipped';

const SIGNS: Record<Mark, string> = { ok: '✔', warning: '!', failed: '✖', skipped: '-' };
const WORDS: Record<Mark, string> = { ok: 'ok', warning: 'warn', failed: 'FAIL', skipped: 'skip' };
const COLOURS = { ok: 'green', warning: 'yellow', failed: 'red', skipped: 'dim' } as const;

/** Makes marks of one width: signs on a terminal that has them, words of plain ASCII anywhere else. */
export function marker(
  paint: Paint,
  { stdout, terminal }: Pick<World, 'stdout' | 'terminal'>,
): (mark: Mark) => string {
  const signs = stdout.isTTY() && terminal.hasUnicode();
  return (mark) => paint[COLOURS[mark]](signs ? SIGNS[mark] : WORDS[mark].padEnd(4));
}
