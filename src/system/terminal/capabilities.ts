/** Terminals, and their capabilities: colours, and more than ASCII. */
import { isCi } from '../../waiting';
import type { Env, Output, Paint } from '../../world';
import { mayBeTerminal } from './streams';

const plain = (text: string): string => text;
const PLAIN: Paint = { bold: plain, dim: plain, red: plain, green: plain, yellow: plain, cyan: plain };

/** Returns the colours for one stream, or none. NO_COLOR (no-color.org) takes precedence over FORCE_COLOR. */
export async function painter(env: Env, isTTY: boolean): Promise<Paint> {
  const forced = env['FORCE_COLOR'];
  const wanted = forced ? forced !== '0' && forced !== 'false' : isTTY && env['TERM'] !== 'dumb';
  if (env['NO_COLOR'] || !wanted) return PLAIN;
  const { Chalk } = await import('chalk');
  // Level 1, the sixteen colours that every terminal's theme makes readable.
  return new Chalk({ level: 1 });
}

/** Tells if the terminal shows more than ASCII, by its locale, which is-unicode-supported does not read. */
export function hasUnicode(env: Env, platform: NodeJS.Platform): boolean {
  if (env['TERM'] === 'dumb' || env['TERM'] === 'linux') return false;
  if (platform === 'win32') return Boolean(env['WT_SESSION'] || env['TERM_PROGRAM'] === 'vscode');
  if (platform === 'darwin') return true;
  return /utf-?8/i.test(env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '');
}

/**
 * Tells if a descriptor is a terminal. Most are no devices at all: node:tty, which loads node:net, is 5 ms.
 */
export function isTerminal(
  descriptor: number,
  proc: Pick<NodeJS.Process, 'platform' | 'getBuiltinModule'>,
): boolean {
  if (proc.platform !== 'win32' && !mayBeTerminal(descriptor)) return false;
  return proc.getBuiltinModule('node:tty').isatty(descriptor);
}

/** Returns the reason why nobody can be prompted, as the end of a sentence; undefined if somebody can. */
export function noPrompt({
  env,
  stdin,
  stderr,
}: { env: Env } & Record<'stdin' | 'stderr', Pick<Output, 'isTTY'>>): string | undefined {
  if (!stdin.isTTY()) return 'stdin is not a terminal';
  if (!stderr.isTTY()) return 'stderr is not a terminal';
  return isCi(env) ? 'CI is set' : undefined;
}
