/**
 * Prompts and the spinner. Everything is shown on stderr, since stdout is for the output; and a Ctrl-C ends the program by
 * the signal, so that a calling script stops too.
 */

import type { ReadStream, WriteStream } from 'node:tty';
import { confirm, isCancel, password, select, text } from '@clack/prompts';
import yoctoSpinner from 'yocto-spinner';
import { Interrupted, untilSignal } from '../../signals';
import type { Terminal, World } from '../../world';
import { withVariable } from './capabilities';

/** Work that is done sooner needs no spinner. */
const SPINNER_AFTER_MS = 300;
const ASCII_FRAMES = { frames: ['-', '\\', '|', '/'], interval: 120 };
const SHOW_CURSOR = '\x1b[?25h';

/**
 * stdin is touched only to prompt: once open it keeps the terminal, which may belong to the child of `exec`.
 *
 * @param unicode whether frames and arrows may be drawn; the symbols were chosen when this file was loaded
 */
export function openPrompts(
  proc: Pick<NodeJS.Process, 'stdin' | 'stderr' | 'env'>,
  onSignals: World['onSignals'],
  unicode: boolean,
): Pick<Terminal, 'ask' | 'askSecret' | 'choose' | 'confirm' | 'spin'> {
  /** Shows a prompt until it is answered; Ctrl-C, Ctrl-D and the end of input interrupt, and so does a signal. */
  const answer = async <T>(
    show: (options: {
      input: ReadStream;
      output: WriteStream;
      signal: AbortSignal;
      withGuide: boolean;
    }) => Promise<T>,
  ): Promise<Exclude<T, symbol>> => {
    const { stdin, stderr } = proc;
    const closed = new AbortController();
    const streams = { input: stdin, output: stderr, signal: closed.signal, withGuide: unicode };
    let answered = false;
    // After a Ctrl-D, readline only stops reading, as after an answer, and clack would wait for ever.
    stdin.once('pause', () => void setImmediate(() => answered || closed.abort()));
    let given: T;
    try {
      given = await untilSignal(onSignals, () => show(streams));
    } catch (error) {
      // The program is about to end by a signal.
      stdin.setRawMode(false);
      stderr.write(`${SHOW_CURSOR}\n`);
      throw error;
    } finally {
      answered = true;
    }
    if (isCancel(given)) throw new Interrupted('SIGINT');
    return given as Exclude<T, symbol>;
  };
  return {
    ask: (message, check, { example = '', initial = '' }) =>
      answer((streams) =>
        text({
          ...streams,
          message,
          placeholder: example,
          initialValue: initial,
          validate: (given = '') => check(given),
        }),
      ),
    askSecret: (message, check) =>
      answer((streams) =>
        password({ ...streams, message, mask: '*', validate: (given = '') => check(given) }),
      ),
    choose: async (message, choices, initial) => {
      const options = choices.map((value) => ({ value: value as string, label: value }));
      const given = await answer((streams) =>
        select<string>({
          ...streams,
          message,
          options,
          showInstructions: unicode,
          ...(initial === undefined ? {} : { initialValue: initial }),
        }),
      );
      return given as (typeof choices)[number];
    },
    confirm: (message) => answer((streams) => confirm({ ...streams, message, initialValue: false })),
    async spin(label, work) {
      // Its own signal handling ends in process.exit(): a loop in a calling script would continue.
      const frames = unicode ? {} : { spinner: ASCII_FRAMES };
      const options = { text: label, stream: proc.stderr, handleSignals: false, ...frames };
      // It would treat any CI variable as a log, even `CI=false`; we have already decided that it may appear.
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
