/** The environment, the standard streams, and the person at the terminal. */

export type Env = Readonly<Record<string, string | undefined>>;

export interface Input {
  isTTY(): boolean;
  /** Everything until the end of input; more than `limit` bytes reject with EFBIG. */
  read(limit: number): Promise<Uint8Array>;
}

export interface Output {
  isTTY(): boolean;
  /** Writes all of it before it returns, even to a slow pipe. Throws ReaderGone on EPIPE, otherwise a `local` error. */
  write(text: string): void;
}

/** A person at the terminal. Everything is shown on stderr; a Ctrl-C rejects with Interrupted. */
export interface Terminal {
  /** Why prompts are impossible here; undefined if they work: stdin and stderr are terminals, and it is not CI. */
  noPrompt(): string | undefined;
  /** Prompts until `check` finds no problem with the answer; the example is shown while it is empty. */
  ask(question: string, check: (answer: string) => string | undefined, example?: string): Promise<string>;
  /** The same, with the answer masked. */
  askSecret(question: string, check: (answer: string) => string | undefined): Promise<string>;
  choose<T extends string>(question: string, choices: readonly T[], initial?: T): Promise<T>;
  confirm(question: string): Promise<boolean>;
  /** Whether it can show more than ASCII. */
  hasUnicode(): boolean;
  /** Colours for a stream, or none: NO_COLOR, FORCE_COLOR and TERM=dumb are honoured. */
  paint(stream: 'stdout' | 'stderr'): Promise<Paint>;
  /** Runs the work under a spinner that appears after 300 ms on a terminal and is erased afterwards. */
  spin<T>(label: string, work: () => Promise<T>): Promise<T>;
}

export type Paint = Readonly<
  Record<'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan', (text: string) => string>
>;
