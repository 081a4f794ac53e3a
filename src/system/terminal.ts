/**
 * The person at the terminal: prompts, spinner, colours. Two rules: everything is shown on stderr, since stdout is
 * the answer's; and a Ctrl-C ends the program by the signal, so that a calling script stops too.
 */
import { confirm, isCancel, password, select, text } from '@clack/prompts';
import yoctoSpinner from 'yocto-spinner';
import { Interrupted } from '../errors';
import type { Terminal } from '../world';

/** A token that comes sooner than this needs no spinner. */
const SPINNER_AFTER_MS = 300;

/** @param self whose stdin is touched only to ask: it belongs to the child of `exec` otherwise */
export function openTerminal(
  self: Pick<NodeJS.Process, 'stdin' | 'stderr'>,
): Omit<Terminal, 'canAsk' | 'paint'> {
  const streams = () => ({ input: self.stdin, output: self.stderr });
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
          ...streams(),
          message,
          validate: validate(check),
          ...(initial === undefined ? {} : { initialValue: initial }),
        }),
      ),
    askSecret: async (message, { check } = {}) =>
      answered(await password({ ...streams(), message, validate: validate(check) })),
    choose: async (message, choices, initial) => {
      const options = choices.map(({ value, label }) => ({ value: value as string, label }));
      const answer = await select<string>({
        ...streams(),
        message,
        options,
        ...(initial === undefined ? {} : { initialValue: initial }),
      });
      return answered(answer) as (typeof choices)[number]['value'];
    },
    confirm: async (message) => answered(await confirm({ ...streams(), message, initialValue: false })),
    async spin(label, work) {
      const spinner = yoctoSpinner({ text: label, stream: self.stderr });
      const timer = setTimeout(() => spinner.start(), SPINNER_AFTER_MS);
      try {
        return await work();
      } finally {
        clearTimeout(timer);
        spinner.stop();
      }
    },
  };
}
