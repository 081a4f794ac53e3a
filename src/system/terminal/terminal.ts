/** The terminal: prompts, colours, and whether gwtoken is the foreground job. */
import { closeSync, constants, openSync, readFileSync } from 'node:fs';
import { orUndefined } from '../../errors';
import { isCi } from '../../surroundings';
import type { Env, Paint, Terminal, World } from '../../world';
import { mayBeTerminal } from './streams';

export type ReadLine = (question: string, isSecret: boolean) => Promise<string>;

export function openTerminal(
  { env, stdin, stdout, stderr }: Pick<World, 'env' | 'stdin' | 'stdout' | 'stderr'>,
  prompts: () => Promise<ReadLine>,
): Omit<Terminal, 'spin'> {
  const readLine: ReadLine = async (question, isSecret) => (await prompts())(question, isSecret);
  return {
    promptProblem() {
      if (!stdin.isTTY()) return 'stdin is not a terminal';
      if (!stderr.isTTY()) return 'stderr is not a terminal';
      return isCi(env) ? 'CI is set' : undefined;
    },
    hideTyping: async () => void (await prompts()),
    async ask(question, check, { suggested = '', isSecret = false } = {}) {
      const shown = suggested === '' ? question : `${question} [${suggested}], Enter keeps it`;
      for (;;) {
        const answer = (await readLine(`${shown}: `, isSecret)) || suggested;
        const problem = check(answer);
        if (problem === undefined) return answer;
        stderr.write(`${problem}\n`);
      }
    },
    confirm: async (question) => /^y(es)?$/i.test(await readLine(`${question} (y/N): `, false)),
    paint: (stream) => painter(env, (stream === 'stdout' ? stdout : stderr).isTTY()),
  };
}

const plain = (text: string): string => text;
const PLAIN: Paint = { bold: plain, red: plain, green: plain, yellow: plain, cyan: plain };

/** Returns the colours for one stream. NO_COLOR (no-color.org) takes precedence over FORCE_COLOR. */
export async function painter(env: Env, isTTY: boolean): Promise<Paint> {
  const forced = env['FORCE_COLOR'];
  const wanted = forced ? forced !== '0' && forced !== 'false' : isTTY && env['TERM'] !== 'dumb';
  if (env['NO_COLOR'] || !wanted) return PLAIN;
  const { Chalk } = await import('chalk');
  // Level 1 has only the sixteen colours that each terminal theme makes readable.
  return new Chalk({ level: 1 });
}

/** Returns whether a descriptor is a terminal. Most are not even devices, and loading node:tty takes 5 ms. */
export function isTerminal(descriptor: number, proc: NodeJS.Process): boolean {
  if (proc.platform !== 'win32' && !mayBeTerminal(descriptor)) return false;
  return proc.getBuiltinModule('node:tty').isatty(descriptor);
}

/**
 * Returns whether gwtoken is the terminal's foreground job. Without /proc, each job with a terminal counts as
 * one. Windows has no background jobs.
 */
export function isForeground(platform: NodeJS.Platform): boolean {
  if (platform === 'win32') return true;
  if (platform !== 'linux') {
    const terminal = orUndefined(() => openSync('/dev/tty', constants.O_RDWR | constants.O_NOCTTY));
    if (terminal !== undefined) closeSync(terminal);
    return terminal !== undefined;
  }
  // "pid (name) state parent group session terminal foreground …" (proc(5)); the name may contain `)`.
  const stat = orUndefined(() => readFileSync('/proc/self/stat', 'latin1')) ?? '';
  const [, , group, , , foregroundGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return group !== undefined && group === foregroundGroup;
}
