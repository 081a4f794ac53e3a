/** Colours for messages. chalk is loaded only where there are colours; whether there are is decided here, for each stream. */
import type { Env, Paint } from '../../world/streams';

const plain = (text: string): string => text;
const PLAIN: Paint = { bold: plain, dim: plain, red: plain, green: plain, yellow: plain, cyan: plain };

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
