/**
 * Prompts and the spinner. Everything is shown on stderr, since stdout is for the output; and a Ctrl-C ends
 * the program by the signal, so that a calling script stops too.
 */

import type { WriteStream } from 'node:tty';
import { confirm, isCancel, password, select, text } from '@clack/prompts';
import yoctoSpinner from 'yocto-spinner';
import { Interrupted, untilSignal } from '../../signals';
import type { Terminal, World } from '../../world';
import { withVariable } from './capabilities';
import { openKeyboard, type PromptInput } from './keyboard';

/** The time that work may take without a spinner. */
const SPINNER_AFTER_MS = 300;
const ASCII_FRAMES = { frames: ['-', '\\', '|', '/'], interval: 120 };
const SHOW_CURSOR = '\x1b[?25h';

/** The prompts of one run; `close` gives the terminal back. */
export type Prompts = Pick<Terminal, 'ask' | 'askSecret' | 'choose' | 'confirm' | 'spin'> & { close(): void };

/** The options that all prompts of clack take. */
interface CommonOptions {
  readonly input: PromptInput;
  readonly output: WriteStream;
  readonly signal: AbortSignal;
  readonly withGuide: boolean;
}

/**
 * Returns the prompts. They touch stdin only to ask: once open it keeps the terminal, which may belong to the
 * child of `exec`.
 *
 * @param unicode true if frames and arrows may be drawn; the symbols were chosen when this file was loaded
 */
export function openPrompts(proc: NodeJS.Process, onSignals: World['onSignals'], unicode: boolean): Prompts {
  const keyboard = openKeyboard(proc);
  /** Shows a prompt until it is answered. Ctrl-C, Ctrl-D, the end of input and signals interrupt. */
  const answer = async <T>(show: (options: CommonOptions) => Promise<T>): Promise<Exclude<T, symbol>> => {
    const { stderr } = proc;
    const input = await keyboard.begin();
    const inputEnded = new AbortController();
    const options = { input, output: stderr, signal: inputEnded.signal, withGuide: unicode };
    let isAnswered = false;
    // After a Ctrl-D, readline only stops reading, as after an answer, and clack would wait for ever.
    input.once('pause', () => {
      setImmediate(() => {
        if (!isAnswered) inputEnded.abort();
      });
    });
    let given: T;
    try {
      given = await untilSignal(onSignals, () => show(options));
    } catch (error) {
      // The program is about to end by a signal.
      stderr.write(`${SHOW_CURSOR}\n`);
      throw error;
    } finally {
      isAnswered = true;
      keyboard.end();
    }
    if (isCancel(given)) throw new Interrupted('SIGINT');
    return given as Exclude<T, symbol>;
  };
  return {
    ask(message, check, { example = '', initial = '' }) {
      const question = { message, placeholder: example, initialValue: initial };
      const validate = (given = '') => check(given);
      return answer((options) => text({ ...options, ...question, validate }));
    },
    askSecret(message, check) {
      const validate = (given = '') => check(given);
      return answer((options) => password({ ...options, message, mask: '*', validate }));
    },
    async choose(message, choices, initial) {
      const question = {
        message,
        options: choices.map((value) => ({ value: value as string, label: value })),
        showInstructions: unicode,
        ...(initial === undefined ? {} : { initialValue: initial }),
      };
      const given = await answer((options) => select<string>({ ...options, ...question }));
      return given as (typeof choices)[number];
    },
    confirm: (message) => answer((options) => confirm({ ...options, message, initialValue: false })),
    close: keyboard.close,
    async spin(label, work) {
      const frames = unicode ? {} : { spinner: ASCII_FRAMES };
      // Its own signal handling ends in process.exit(): a loop in a calling script would continue.
      const options = { text: label, stream: proc.stderr, handleSignals: false, ...frames };
      // It takes any CI variable for a log's, even `CI=false`; we have already decided that it may appear.
      const spinner = await withVariable(proc.env, 'CI', undefined, () => yoctoSpinner(options));
      const timer = setTimeout(() => spinner.start(), SPINNER_AFTER_MS);
      try {
        const relabel = (other: string): void => {
          spinner.text = other;
        };
        return await untilSignal(onSignals, () => work(relabel));
      } finally {
        clearTimeout(timer);
        spinner.stop();
      }
    },
  };
}
