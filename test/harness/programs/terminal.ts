import { readSync } from 'node:fs';
import type { Socket } from 'node:net';
import { constants } from 'node:os';
import { stripVTControlCharacters } from 'node:util';
import { type IPty, spawn } from '@lydell/node-pty';
import { onCleanup } from '../clean-up';
import { until } from './processes';
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
  const screen = () => stripVTControlCharacters(raw).replaceAll('\r\n', '\n');
  const onText = (text: string) => {
    raw += text;
  };
  pty.onData(onText);
  readToTheEnd(pty, onText);
  const exit = new Promise<TerminalExit>((resolve) => {
    pty.onExit(({ exitCode, signal }) => {
      ended = true;
      resolve(signal ? { code: null, signal: signalName(signal) } : { code: exitCode, signal: null });
    });
  });
  onCleanup(() => {
    if (!ended) pty.kill('SIGKILL');
    return exit;
  });
  return {
    pid: pty.pid,
    async waitFor(text, timeoutMs = 30_000) {
      const isShown = () => (typeof text === 'string' ? screen().includes(text) : screen().search(text) >= 0);
      await until('', () => isShown() || ended, timeoutMs, 5).catch(() => {});
      if (isShown()) return screen();
      const why = ended ? 'ended without' : `not within ${timeoutMs} ms:`;
      throw new Error(`${why} ${text}; on the screen:\n${screen()}`);
    },
    type: (text) => pty.write(text),
    screen,
    raw: () => raw,
    exit,
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
