/**
 * The person at the terminal: prompts, spinner, colours. Two rules: everything is shown on stderr, since stdout is
 * the answer's; and a Ctrl-C ends the program by the signal, so that a calling script stops too.
 */
import type { ReadStream, WriteStream } from 'node:tty';
import { confirm, isCancel, password, select, text } from '@clack/prompts';
import yoctoSpinner from 'yocto-spinner';
import { Interrupted } from '../errors';
import type { Terminal } from '../world';

/** A token that comes sooner than this needs no spinner. */
const SPINNER_AFTER_MS = 300;

/** @param uponSignal runs a clean-up when a signal ends the program, until the function that it gives is called */
export function openTerminal(
  stdin: ReadStream,
  stderr: WriteStream,
  uponSignal: (cleanUp: () => void) => () => void,
): Omit<Terminal, 'canAsk' | 'paint'> {
  const streams = { input: stdin, output: stderr };
  const answered = <T>(answer: T): Exclude<T, symbol> => {
    if (isCancel(answer)) throw new Interrupted('SIGINT');
    return answer as Exclude<T, symbol>;
  };
  const validate =
    (check: ((answer: string) => string | undefined) | undefined) => (answer: string | undefined) =>
      check?.(answer ?? '');
  return {
    ask: async (message, { initial, check } = {}) =>
      answered(
        await text({
          ...streams,
          message,
          validate: validate(check),
          ...(initial === undefined ? {} : { initialValue: initial }),
        }),
      ),
    askSecret: async (message, { check } = {}) =>
      answered(await password({ ...streams, message, validate: validate(check) })),
    choose: async (message, choices, initial) => {
      const options = choices.map(({ value, label }) => ({ value: value as string, label }));
      const answer = await select<string>({
        ...streams,
        message,
        options,
        ...(initial === undefined ? {} : { initialValue: initial }),
      });
      return answered(answer) as (typeof choices)[number]['value'];
    },
    confirm: async (message) => answered(await confirm({ ...streams, message, initialValue: false })),
    async spin(label, work) {
      // Its own handling of signals would exit with 130, and a calling script would go on: we die of the signal.
      const spinner = yoctoSpinner({ text: label, stream: stderr, handleSignals: false });
      const stop = (): void => {
        spinner.stop();
      };
      let forget = (): void => {};
      const timer = setTimeout(() => {
        forget = uponSignal(stop);
        spinner.start();
      }, SPINNER_AFTER_MS);
      try {
        return await work();
      } finally {
        clearTimeout(timer);
        forget();
        stop();
      }
    },
  };
}
