/**
 * The person at the terminal: prompts, spinner, colours. Two rules: everything is shown on stderr, since stdout is
 * the answer's; and a Ctrl-C ends the program by the signal, so that a calling script stops too.
 */

import type { ReadStream, WriteStream } from 'node:tty';
import { confirm, isCancel, password, select, text } from '@clack/prompts';
import yoctoSpinner from 'yocto-spinner';
import { Interrupted } from '../../errors';
import type { Terminal } from '../../world/streams';

/** A token that comes sooner than this needs no spinner. */
const SPINNER_AFTER_MS = 300;

const SHOW_CURSOR = '\x1b[?25h';

/** Node's own streams, touched only by what needs them: opening stdin alone keeps a terminal. */
export type Standard = Pick<NodeJS.Process, 'stdin' | 'stderr'>;

/** The part of our process that signals are about, and its environment itself. */
export type Signalled = Pick<NodeJS.Process, 'on' | 'off' | 'kill' | 'pid' | 'env'>;

/**
 * @param streams whose stdin is touched only to ask: it belongs to the child of `exec` otherwise
 * @param unicode whether frames and arrows may be drawn; the signs were settled when this file was loaded
 */
export function openTerminal(
  streams: Standard,
  own: Signalled,
  unicode: boolean,
): Omit<Terminal, 'canAsk' | 'paint' | 'hasUnicode'> {
  /** Shows a prompt until it is answered; Ctrl-C, Ctrl-D and the end of input interrupt. */
  const answer = async <T>(
    show: (options: {
      input: ReadStream;
      output: WriteStream;
      signal: AbortSignal;
      withGuide: boolean;
    }) => Promise<T>,
  ): Promise<Exclude<T, symbol>> => {
    const { stdin, stderr } = streams;
    const closed = new AbortController();
    let answered = false;
    // After a Ctrl-D readline only stops reading, as it does after an answer, and clack would wait for ever.
    const onPause = (): void => void setImmediate(() => answered || closed.abort());
    stdin.once('pause', onPause);
    const restore = (): void => {
      stdin.setRawMode(false);
      stderr.write(`${SHOW_CURSOR}\n`);
    };
    try {
      const given = await untilSignal(own, restore, () =>
        show({ input: stdin, output: stderr, signal: closed.signal, withGuide: unicode }),
      );
      if (isCancel(given)) throw new Interrupted('SIGINT');
      return given as Exclude<T, symbol>;
    } finally {
      answered = true;
      stdin.off('pause', onPause);
    }
  };
  const validate =
    (check: ((answer: string) => string | undefined) | undefined) => (given: string | undefined) =>
      check?.(given ?? '');
  return {
    ask: (message, { initial, check } = {}) =>
      answer((streams) =>
        text({
          ...streams,
          message,
          validate: validate(check),
          ...(initial === undefined ? {} : { initialValue: initial }),
        }),
      ),
    askSecret: (message, { check } = {}) =>
      answer((streams) => password({ ...streams, message, mask: '*', validate: validate(check) })),
    choose: async (message, choices, initial) => {
      const options = choices.map(({ value, label }) => ({ value: value as string, label }));
      const given = await answer((streams) =>
        select<string>({
          ...streams,
          message,
          options,
          showInstructions: unicode,
          ...(initial === undefined ? {} : { initialValue: initial }),
        }),
      );
      return given as (typeof choices)[number]['value'];
    },
    confirm: (message) => answer((streams) => confirm({ ...streams, message, initialValue: false })),
    async spin(label, work) {
      // Its own signal handling ends in process.exit(): a loop in a calling script would go on.
      const options = { text: label, stream: streams.stderr, handleSignals: false };
      const spinner = withoutCi(own.env, () => yoctoSpinner(options));
      const timer = setTimeout(() => spinner.start(), SPINNER_AFTER_MS);
      const stop = (): void => {
        clearTimeout(timer);
        spinner.stop();
      };
      try {
        return await untilSignal(own, stop, work);
      } finally {
        stop();
      }
    },
  };
}

/** Makes a spinner that takes any CI in the environment for a log, even `CI=false`: that one may appear is settled. */
function withoutCi<T>(env: NodeJS.ProcessEnv, make: () => T): T {
  const { CI } = env;
  delete env['CI'];
  try {
    return make();
  } finally {
    if (CI !== undefined) env['CI'] = CI;
  }
}

/** Does the work. A signal meanwhile first restores the terminal, then is sent again to do what it does. */
async function untilSignal<T>(own: Signalled, restore: () => void, work: () => Promise<T>): Promise<T> {
  const leave = (): void => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) own.off(signal, onSignal);
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    leave();
    restore();
    own.kill(own.pid, signal);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) own.on(signal, onSignal);
  try {
    return await work();
  } finally {
    leave();
  }
}
