import { readSync } from 'node:fs';
import type { Socket } from 'node:net';
import { constants } from 'node:os';
import { stripVTControlCharacters } from 'node:util';
import { type IPty, spawn } from '@lydell/node-pty';
import { onCleanup } from '../clean-up';
import { inherited, type ProgramOptions, type ProgramResult, wordsOf } from './program';

export interface TerminalOptions {
  /** The whole environment except PATH and TERM. */
  readonly env: Readonly<Record<string, string>>;
  readonly cols?: number;
  readonly rows?: number;
  readonly cwd?: string;
}

type TerminalExit = Pick<ProgramResult, 'code' | 'signal'>;

export interface Terminal {
  readonly pid: number;
  /**
   * Waits until all output so far contains `text`. Resolves with that output.
   * Rejects with the screen's text after `timeoutMs` (30,000 if left out), or if the program ends without it.
   */
  waitFor(text: string | RegExp, timeoutMs?: number): Promise<string>;
  /** Types keys: Enter is `\r`, Ctrl-C is `\x03`. */
  type(text: string): void;
  /** Returns all output so far, without escape sequences and with LF line ends. It keeps overwritten text. */
  screen(): string;
  /** Returns all output so far with its escape sequences. */
  raw(): string;
  readonly exit: Promise<TerminalExit>;
  /** Kills the program if it still runs and waits until it is gone. */
  close(): Promise<void>;
}

/** Runs gwtoken on a new terminal. */
export function openGwtoken(
  args: readonly string[],
  options: TerminalOptions & Pick<ProgramOptions, 'program' | 'wrapper'>,
): Terminal {
  return openTerminal(wordsOf(args, options), options);
}

/** Runs a command on a new terminal (a pty), which the end of the test closes. */
export function openTerminal([command = '', ...args]: readonly string[], options: TerminalOptions): Terminal {
  const pty = spawn(command, args, {
    name: 'xterm-256color',
    cols: options.cols ?? 80,
    rows: options.rows ?? 24,
    env: { ...inherited(), ...options.env },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  let raw = '';
  let ended = false;
  const waiting = new Set<() => void>();
  const checkAll = () => {
    for (const check of [...waiting]) check();
  };
  const screen = () => stripVTControlCharacters(raw).replaceAll('\r\n', '\n');

  const onText = (text: string) => {
    raw += text;
    checkAll();
  };
  pty.onData(onText);
  readToTheEnd(pty, onText);
  const exit = new Promise<TerminalExit>((resolve) => {
    pty.onExit(({ exitCode, signal }) => {
      ended = true;
      checkAll();
      resolve(signal ? { code: null, signal: signalName(signal) } : { code: exitCode, signal: null });
    });
  });

  const close = async (): Promise<void> => {
    if (!ended) pty.kill('SIGKILL');
    await exit;
  };
  onCleanup(close);
  return {
    pid: pty.pid,
    waitFor: (text, timeoutMs = 30_000) =>
      new Promise((resolve, reject) => {
        const done = (problem?: string) => {
          clearTimeout(timer);
          waiting.delete(check);
          if (problem === undefined) resolve(screen());
          else reject(new Error(`${problem} ${text}; on the screen:\n${screen()}`));
        };
        const check = () => {
          const shown = screen();
          if (typeof text === 'string' ? shown.includes(text) : shown.search(text) >= 0) done();
          else if (ended) done('ended without');
        };
        const timer = setTimeout(() => done(`not within ${timeoutMs} ms:`), timeoutMs);
        waiting.add(check);
        check();
      }),
    type: (text) => pty.write(text),
    screen,
    raw: () => raw,
    exit,
    close,
  };
}

/** Reads the rest of the output before the terminal closes, because Node ends while the kernel still has some. */
function readToTheEnd(pty: IPty, onRest: (text: string) => void): void {
  const { _socket: socket, _fd: fd } = pty as unknown as { _socket: Socket; _fd: number };
  const destroy = socket.destroy.bind(socket);
  socket.destroy = (error) => {
    if (!socket.destroyed) onRest(restOf(fd));
    return destroy(error);
  };
}

function restOf(fd: number): string {
  const chunk = Buffer.alloc(65_536);
  let rest = '';
  try {
    for (let length = -1; length !== 0; ) {
      length = readSync(fd, chunk);
      rest += chunk.toString('utf8', 0, length);
    }
  } catch {
    // EIO: all programs of the terminal have ended. EAGAIN: one still has it open, but has printed nothing.
  }
  return rest;
}

function signalName(number: number): NodeJS.Signals | null {
  const found = Object.entries(constants.signals).find(([, value]) => value === number);
  return (found?.[0] as NodeJS.Signals | undefined) ?? null;
}
