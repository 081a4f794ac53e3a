/**
 * Prompts line by line on stderr. One readline serves all prompts, and the terminal itself echoes nothing
 * from its start until gwtoken ends. So a secret stays hidden even if it is typed ahead or pasted too early.
 */
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { orUndefined } from '../../errors';
import { Interrupted, untilSignal } from '../../signals';
import type { World } from '../../world';
import { endBySignal } from '../processes/end-by-signal';
import type { ReadLine } from './terminal';

/** Time in which Windows delivers input that was typed before a prompt. */
const TYPED_AHEAD_MS = 10;

const CTRL_C = 3;

/** Matches Backspace. Terminals send DEL or BS, which a character class writes as `\b`. */
const BACKSPACE = /[\b\x7f]/;

/**
 * Opens the prompts. From now on the terminal shows no input except the answers to visible prompts. A prompt:
 *
 * 1. drops what was typed before it,
 * 2. writes its question,
 * 3. echoes the answer, unless the answer is a secret,
 * 4. stops the echo when the line ends, because the rest of a paste follows at once.
 */
export function openPrompts(proc: NodeJS.Process, onSignals: World['onSignals']): ReadLine {
  const { stdin, stderr } = proc;
  /** The prompt that waits for its answer; undefined between prompts. */
  let current: { readonly question: string; readonly isSecret: boolean } | undefined;
  const write: Writable['_write'] = (chunk, _, done) => {
    if (current?.isSecret === false) stderr.write(String(chunk).replace(BACKSPACE, '\b \b'));
    done();
  };
  const output = Object.assign(new Writable({ write }), { columns: stderr.columns });
  const reader = createInterface({ input: stdin, output, terminal: true, historySize: 0 });
  const interrupt = (): void => {
    if (!proc.emit('SIGINT', 'SIGINT')) endBySignal(proc, new Interrupted('SIGINT'));
  };
  const redraw = (): void => {
    // readline itself repeats the question and the answer of a visible prompt.
    if (current?.isSecret) stderr.write(current.question);
    reader.resume();
  };
  // SIGINT is Ctrl-C, `close` is Ctrl-D or the end of input, and SIGCONT is fg, which leaves readline paused.
  reader.on('SIGINT', interrupt).on('close', interrupt).on('SIGCONT', redraw);

  const askLine: ReadLine = (question, isSecret) =>
    new Promise((resolve) => {
      // question() erases the line, which may show what was typed while gwtoken started, and writes the
      // question before it returns. From then on, a secret is hidden.
      current = { question, isSecret: false };
      reader.question(question, (line) => {
        current = undefined;
        resolve(line);
      });
      current = { question, isSecret };
    });

  return async (question, isSecret) => {
    let isLineEnded = false;
    try {
      return await untilSignal(onSignals, async () => {
        await sleep(TYPED_AHEAD_MS);
        if (dropTypedAhead().includes(CTRL_C)) interrupt();
        // Ends the line that readline has begun; without a question, readline drops it.
        reader.write(null, { name: 'enter' });
        const line = await askLine(question, isSecret);
        isLineEnded = !isSecret;
        return withBackspaces(line).trim();
      });
    } finally {
      current = undefined;
      if (!isLineEnded) stderr.write('\n');
    }
  };
}

/** Discards and returns the terminal's input that readline has not read yet. On Windows it does nothing. */
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

/** Applies each Backspace in the line. With TERM=dumb, readline leaves them in. */
function withBackspaces(line: string): string {
  let text = line;
  while (BACKSPACE.test(text)) text = text.replace(/[^\b\x7f]?[\b\x7f]/, '');
  return text;
}
