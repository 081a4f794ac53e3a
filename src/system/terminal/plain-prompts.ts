/** Prompts for a terminal that cannot draw (TERM=dumb): a question and an answer, line by line. */

import { Interrupted } from '../../errors';
import { untilSignal } from '../../waiting';
import type { World } from '../../world';
import { openKeyboard } from './keyboard';
import type { Prompts } from './prompts';

const [CTRL_C, CTRL_D, BACKSPACE] = ['\x03', '\x04', '\x7f'];

export function openPlainPrompts(proc: NodeJS.Process, onSignals: World['onSignals']): Prompts {
  const { stderr } = proc;
  const keyboard = openKeyboard(proc);

  /** Reads one line, and shows it unless it is hidden. */
  const readLine = async (question: string, isHidden = false): Promise<string> => {
    const input = await keyboard.begin();
    let line = '';
    const show = (): void => void stderr.write(`${question}: ${isHidden ? '' : line}`);
    const release = onSignals(['SIGCONT'], show);
    show();
    try {
      return await untilSignal(
        onSignals,
        () =>
          new Promise<string>((resolve, reject) => {
            const leave = (): void => reject(new Interrupted('SIGINT'));
            input.once('end', leave).on('data', (bytes: Buffer) => {
              for (const char of bytes.toString()) {
                if (char === '\r') resolve(line);
                else if (char === CTRL_C || char === CTRL_D) leave();
                else if (char === BACKSPACE) {
                  if (line !== '' && !isHidden) stderr.write('\b \b');
                  line = line.slice(0, -1);
                } else {
                  line += char;
                  if (!isHidden) stderr.write(char);
                }
              }
            });
          }),
      );
    } catch (error) {
      keyboard.close();
      throw error;
    } finally {
      release();
      keyboard.end();
      stderr.write('\n');
    }
  };

  /** Asks until the check finds no problem. */
  const answered = async (
    question: string,
    check: (answer: string) => string | undefined,
    isHidden = false,
  ): Promise<string> => {
    for (;;) {
      const answer = await readLine(question, isHidden);
      const problem = check(answer);
      if (problem === undefined) return answer;
      stderr.write(`${problem}\n`);
    }
  };

  return {
    async ask(question, check, { example = '', initial = '' }) {
      const suggestion = initial ? ` [${initial}]` : example && ` (${example})`;
      return (await answered(question + suggestion, (text) => check(text || initial))) || initial;
    },
    askSecret: (question, check) => answered(question, check, true),
    async choose(question, choices, initial = choices[0]) {
      const chosen = (answer: string) => choices.filter((choice) => choice.startsWith(answer.toLowerCase()));
      const answer = await answered(`${question}: ${choices.join(' or ')} [${initial}]`, (text) =>
        text === '' || chosen(text).length === 1 ? undefined : `Type ${choices.join(' or ')}.`,
      );
      return (answer === '' ? initial : chosen(answer)[0])!;
    },
    confirm: async (question) => /^y(es)?$/i.test(await readLine(`${question} (y/N)`)),
  };
}
