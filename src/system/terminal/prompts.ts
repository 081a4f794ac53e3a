/**
 * Prompts. Everything is shown on stderr, since stdout is for the output; and a Ctrl-C ends
 * the program by the signal, so that a calling script stops too.
 */

import type { WriteStream } from 'node:tty';
import { confirm, isCancel, password, select, text } from '@clack/prompts';
import { Interrupted } from '../../errors';
import { untilSignal } from '../../waiting';
import type { Terminal, World } from '../../world';
import { type Filter, openKeyboard, type PromptInput } from './keyboard';

const SHOW_CURSOR = '\x1b[?25h';

/** The prompts of one run. */
export type Prompts = Pick<Terminal, 'ask' | 'askSecret' | 'choose' | 'confirm'>;

/** The options that all prompts of clack take. */
interface CommonOptions {
  readonly input: PromptInput;
  readonly output: WriteStream;
  readonly signal: AbortSignal;
  readonly withGuide: boolean;
}

/**
 * Returns the prompts. They open stdin only to ask: it keeps the terminal then, perhaps from `exec`'s child.
 *
 * @param unicode true if frames and arrows may be drawn; the symbols were chosen when this file was loaded
 */
export function openPrompts(proc: NodeJS.Process, onSignals: World['onSignals'], unicode: boolean): Prompts {
  const keyboard = openKeyboard(proc);
  /**
   * Shows a prompt until it is answered, and again after Ctrl-Z and `fg`. Ctrl-C, Ctrl-D, the end of input
   * and signals interrupt.
   *
   * @param filter changes what is typed, as bytes in latin1
   */
  const answer = async <T>(
    show: (options: CommonOptions) => Promise<T>,
    filter?: () => Filter,
  ): Promise<Exclude<T, symbol>> => {
    const { stderr } = proc;
    for (;;) {
      const input = await keyboard.begin(filter?.());
      const shown = new AbortController();
      const options = { input, output: stderr, signal: shown.signal, withGuide: unicode };
      let isAnswered = false;
      let isContinued = false;
      const release = onSignals(['SIGCONT'], () => {
        isContinued = true;
        shown.abort();
      });
      // After a Ctrl-D, readline only stops reading, as after an answer, and clack would wait for ever.
      input.once('pause', () => {
        setImmediate(() => {
          if (!isAnswered) shown.abort();
        });
      });
      try {
        const given = await untilSignal(onSignals, () => show(options));
        if (!isCancel(given)) return given as Exclude<T, symbol>;
        if (!isContinued) throw new Interrupted('SIGINT');
      } catch (error) {
        // The program is about to end by a signal.
        keyboard.close();
        stderr.write(`${SHOW_CURSOR}\n`);
        throw error;
      } finally {
        isAnswered = true;
        release();
        keyboard.end();
      }
    }
  };
  /** Shows a prompt for a text; what is longer than PASTE_LIMIT is dropped, and the prompt says so. */
  const answerText = (
    check: (answer: string) => string | undefined,
    show: (
      options: CommonOptions,
      validate: (given?: string) => string | undefined,
    ) => Promise<string | symbol>,
  ) => {
    const typed = shortInput();
    const validate = (given = '') =>
      typed.isCut() ? `It is longer than ${PASTE_LIMIT} characters. Ctrl-U clears it.` : check(given);
    return answer((options) => show(options, validate), typed.filter);
  };
  return {
    ask(message, check, { example = '', initial = '' }) {
      const question = { message, placeholder: example, initialValue: initial };
      return answerText(check, (options, validate) => text({ ...options, ...question, validate }));
    },
    askSecret(message, check) {
      return answerText(check, (options, validate) => password({ ...options, message, mask: '*', validate }));
    },
    async choose(message, choices, initial = choices[0]) {
      const question = {
        message,
        options: choices.map((value) => ({ value: value as string, label: value })),
        showInstructions: unicode,
        ...(initial === undefined ? {} : { initialValue: initial as string }),
      };
      const given = await answer(
        (options) => select<string>({ ...options, ...question }),
        () => choosingInput(choices, initial),
      );
      return given as (typeof choices)[number];
    },
    confirm: (message) => answer((options) => confirm({ ...options, message, initialValue: false })),
  };
}

/** The longest answer, in bytes: with each character typed, all before it are drawn again. */
const PASTE_LIMIT = 512;

/** Drops the printable characters of a long paste: control characters still count, so that Ctrl-C works. */
function shortInput() {
  let count = 0;
  const filter = () => (typed: string) =>
    [...typed]
      .filter((char) => {
        if (char === CTRL_U) count = 0;
        return char < ' ' || char === BACKSPACE || ++count <= PASTE_LIMIT;
      })
      .join('');
  return { filter, isCut: () => count > PASTE_LIMIT };
}

const [CTRL_U, BACKSPACE] = ['\x15', '\x7f'];
const [UP, DOWN] = ['\x1b[A', '\x1b[B'];

/** Turns typed letters into the arrow keys that lead to the choice that begins with them. */
function choosingInput(choices: readonly string[], initial: string | undefined): (typed: string) => string {
  let at = Math.max(0, choices.indexOf(initial ?? ''));
  let letters = '';
  return (typed) => {
    if (!/^[a-z]+\r?$/i.test(typed)) {
      if (typed === UP || typed === DOWN)
        at = (at + (typed === UP ? choices.length - 1 : 1)) % choices.length;
      letters = '';
      return typed;
    }
    letters += typed.replace('\r', '').toLowerCase();
    const wanted = choices.findIndex((choice) => choice.startsWith(letters));
    const steps = wanted < 0 ? 0 : (wanted - at + choices.length) % choices.length;
    at = (at + steps) % choices.length;
    return DOWN.repeat(steps) + (typed.endsWith('\r') ? '\r' : '');
  };
}
