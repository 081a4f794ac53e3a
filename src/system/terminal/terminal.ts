/** The terminal: prompts and colours. */
import { isCi } from '../../surroundings';
import type { Env, Paint, Terminal, World } from '../../world';

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
