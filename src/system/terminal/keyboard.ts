/**
 * The keyboard for prompts. From the first prompt until gwtoken ends, the terminal shows nothing that is
 * typed, and only an open prompt gets it, up to the end of its line: a secret that is typed ahead, or pasted
 * together with the client ID, would otherwise be shown in another prompt or by the terminal.
 */
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

/** The input of one prompt, which takes it for a terminal. */
export type PromptInput = PassThrough & { readonly isTTY: true; setRawMode(): void };

/** Changes what is typed, as bytes in latin1. */
export type Filter = (typed: string) => string;

export interface Keyboard {
  /** Returns the input for a prompt, which is to be closed by `end`; drops what was typed before. */
  begin(filter?: Filter): Promise<PromptInput>;
  end(): void;
  /** Gives the terminal back. */
  close(): void;
}

/** Time in which the input that was typed before a prompt arrives. */
const TYPED_AHEAD_MS = 10;

/** The keys that send a signal, which a terminal leaves to the program while it does not echo. */
const SIGNAL_KEYS: Readonly<Record<number, NodeJS.Signals>> = { 3: 'SIGINT', 26: 'SIGTSTP', 28: 'SIGQUIT' };
const [LINE_FEED, RETURN, CTRL_Z] = [10, 13, 26];

export function openKeyboard(
  proc: Pick<NodeJS.Process, 'stdin' | 'platform' | 'pid' | 'emit' | 'kill' | 'once'>,
): Keyboard {
  const { stdin } = proc;
  let isOpen = false;
  let prompt: PromptInput | undefined;
  let change: Filter | undefined;

  const send = (signal: NodeJS.Signals): void => {
    stdin.setRawMode(false);
    if (signal === 'SIGTSTP') proc.once('SIGCONT', () => isOpen && stdin.setRawMode(true));
    if (signal === 'SIGTSTP' || !proc.emit(signal, signal)) proc.kill(proc.pid, signal);
  };
  const onData = (bytes: Buffer): void => {
    // clack and readline do not know Ctrl-Z, which suspends gwtoken; the other keys are the open prompt's.
    if (prompt === undefined || bytes.includes(CTRL_Z)) {
      const signal = SIGNAL_KEYS[bytes.find((byte) => byte in SIGNAL_KEYS) ?? 0];
      if (signal !== undefined && !(signal === 'SIGTSTP' && proc.platform === 'win32')) send(signal);
      return;
    }
    const end = bytes.findIndex((byte) => byte === RETURN || byte === LINE_FEED);
    const line = end < 0 ? bytes : Buffer.concat([bytes.subarray(0, end), Buffer.of(RETURN)]);
    prompt.write(change ? Buffer.from(change(line.toString('latin1')), 'latin1') : line);
  };
  const onEnd = (): void => void prompt?.end();

  return {
    async begin(filter) {
      if (!isOpen) stdin.on('data', onData).on('end', onEnd);
      isOpen = true;
      stdin.setRawMode(true);
      stdin.resume();
      // Input that arrives meanwhile is dropped, since there is no prompt yet.
      await sleep(TYPED_AHEAD_MS);
      change = filter;
      prompt = Object.assign(new PassThrough(), { isTTY: true as const, setRawMode() {} });
      if (stdin.readableEnded) prompt.end();
      return prompt;
    },
    end() {
      prompt = undefined;
    },
    close() {
      if (!isOpen) return;
      isOpen = false;
      stdin.off('data', onData).off('end', onEnd);
      stdin.setRawMode(false);
      stdin.pause();
    },
  };
}
