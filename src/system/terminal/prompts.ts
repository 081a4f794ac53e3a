/**
 * Prompts, line by line on stderr. One readline for all of them: from when it is opened until gwtoken ends,
 * the terminal echoes nothing by itself, so that a secret typed ahead, or pasted behind the client ID, is
 * not shown.
 */
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Interrupted, orUndefined } from '../../errors';
import { untilSignal } from '../../waiting';
import type { World } from '../../world';
import { endBySignal } from '../processes/end-by-signal';
import type { ReadLine } from './terminal';

/** Time in which what was typed before a prompt arrives on Windows. */
const TYPED_AHEAD_MS = 10;

const CTRL_C = 3;

/** In a class `\b` is Backspace, as some terminals send it. */
const BACKSPACE = /[\b\x7f]/;

/** Opens the prompts: nothing that is typed from now on is shown, but for the answer to one of them. */
export function openPrompts(proc: NodeJS.Process, onSignals: World['onSignals']): ReadLine {
  const { stdin, stderr } = proc;
  let isShown = false;
  /** The question whose answer is not shown; readline itself shows any other again after fg. */
  let hiddenQuestion = '';
  const write: Writable['_write'] = (chunk, _, done) => {
    if (isShown) stderr.write(String(chunk).replace(BACKSPACE, '\b \b'));
    done();
  };
  const output = Object.assign(new Writable({ write }), { columns: stderr.columns });
  const reader = createInterface({ input: stdin, output, terminal: true, historySize: 0 });
  const interrupt = (): void => {
    if (!proc.emit('SIGINT', 'SIGINT')) endBySignal(proc, new Interrupted('SIGINT'));
  };
  const redraw = (): void => {
    stderr.write(hiddenQuestion);
    reader.resume();
  };
  // Ctrl-C; Ctrl-D or the end of input; and Ctrl-Z with fg, behind which readline is paused.
  reader.on('SIGINT', interrupt).on('close', interrupt).on('SIGCONT', redraw);

  return async (question, isSecret) => {
    let isLineEnded = false;
    try {
      return await untilSignal(onSignals, async () => {
        await sleep(TYPED_AHEAD_MS);
        if (dropTypedAhead().includes(CTRL_C)) interrupt();
        // Ends a line that nobody asked for: readline drops it.
        reader.write(null, { name: 'enter' });
        const line = await new Promise<string>((resolve) => {
          // For the question, which readline writes at once.
          isShown = true;
          reader.question(question, (given) => {
            // At once: the rest of what was pasted comes right behind.
            isShown = false;
            resolve(given);
          });
          isShown = !isSecret;
          if (isSecret) hiddenQuestion = question;
        });
        isLineEnded = !isSecret;
        return withBackspaces(line).trim();
      });
    } finally {
      isShown = false;
      hiddenQuestion = '';
      if (!isLineEnded) stderr.write('\n');
    }
  };
}

/** Takes from the terminal what readline has not read yet, and returns it; nothing on Windows. */
function dropTypedAhead(): Buffer {
  const dropped = Buffer.alloc(4096);
  orUndefined(() => {
    const terminal = openSync('/dev/tty', constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    try {
      while (readSync(terminal, dropped) > 0);
    } finally {
      closeSync(terminal);
    }
  });
  return dropped;
}

/** Applies each Backspace, which readline leaves in the line if the terminal cannot draw (TERM=dumb). */
function withBackspaces(line: string): string {
  let text = line;
  while (BACKSPACE.test(text)) text = text.replace(/[^\b\x7f]?[\b\x7f]/, '');
  return text;
}
