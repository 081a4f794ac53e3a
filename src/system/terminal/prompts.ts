/**
 * Prompts, line by line on stderr. One readline for all of them: from the first prompt until gwtoken ends,
 * the terminal echoes nothing by itself, so that a secret typed ahead, or pasted behind the client ID, is
 * not shown.
 */
import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Interrupted } from '../../errors';
import { untilSignal } from '../../waiting';
import type { World } from '../../world';
import { endBySignal } from '../processes/end-by-signal';
import type { ReadLine } from './terminal';

/** Time in which what was typed before a prompt arrives. */
const TYPED_AHEAD_MS = 10;

const BACKSPACE = /[\b\x7f]/;

export function openPrompts(proc: NodeJS.Process, onSignals: World['onSignals']): ReadLine {
  const { stdin, stderr } = proc;
  let isShown = false;
  /** The question whose answer is not shown. */
  let hidden = '';
  const write: Writable['_write'] = (chunk, _, done) => {
    if (isShown) stderr.write(String(chunk).replace(BACKSPACE, '\b \b'));
    done();
  };
  const output = Object.assign(new Writable({ write }), { columns: stderr.columns });

  let opened: Interface | undefined;
  const open = (): Interface => {
    const reader = createInterface({ input: stdin, output, terminal: true, historySize: 0 });
    const leave = (): void => {
      if (!proc.emit('SIGINT', 'SIGINT')) endBySignal(proc, new Interrupted('SIGINT'));
    };
    const goOn = (): void => {
      stderr.write(hidden);
      reader.resume();
    };
    // Ctrl-C; Ctrl-D or the end of input; and Ctrl-Z with fg, behind which readline is paused.
    return reader.on('SIGINT', leave).on('close', leave).on('SIGCONT', goOn);
  };

  return async (question, isSecret) => {
    let isEnded = false;
    try {
      return await untilSignal(onSignals, async () => {
        opened ??= open();
        const reader = opened;
        await sleep(TYPED_AHEAD_MS);
        // Ends a line that nobody asked for: what was typed ahead is dropped.
        reader.write(null, { name: 'enter' });
        const line = await new Promise<string>((resolve) => {
          isShown = true;
          reader.question(question, (given) => {
            // At once: the rest of what was pasted comes right behind.
            isShown = false;
            resolve(given);
          });
          isShown = !isSecret;
          if (isSecret) hidden = question;
        });
        isEnded = !isSecret;
        return edited(line).trim();
      });
    } finally {
      isShown = false;
      hidden = '';
      if (!isEnded) stderr.write('\n');
    }
  };
}

/** Applies each Backspace, which readline leaves in the line if the terminal cannot draw (TERM=dumb). */
function edited(line: string): string {
  let text = line;
  while (BACKSPACE.test(text)) text = text.replace(/[^\b\x7f]?[\b\x7f]/, '');
  return text;
}
