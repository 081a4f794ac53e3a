/**
 * All that lies outside the program, as one plain object: main.ts builds the real one, tests hand in their own.
 * Types only. A function asks for its slice: `Pick<World, 'fetch' | 'now'>`.
 */

export interface World {
  /** gwtoken's own version, for `--version` and the User-Agent. */
  readonly version: string;
  readonly platform: NodeJS.Platform;
  readonly env: Env;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly terminal: Terminal;
  readonly config: ConfigFile;
  readonly clients: KnownClients;
  readonly keychain: Keychain;
  /** Posts to the token endpoint; a network failure rejects with a GwtokenError of kind `unreached`. */
  readonly fetch: Fetch;
  /** The time in milliseconds since the epoch. */
  now(): number;
  /** Hears these signals instead of dying of them, until the returned function is called. */
  onSignals(signals: readonly NodeJS.Signals[], heard: (signal: NodeJS.Signals) => void): () => void;
  /** From here on signals are for the child that is about to be started, until it is released. */
  prepareChild(): Promise<PreparedChild>;
  /** A 0600 file in a folder of ours with this text in it; a `local` error where none can be made. */
  createTokenFile(text: string): Promise<TokenFile>;
  /** A file the user named, whole. Rejects with the system's error; more than `limit` bytes reject with EFBIG. */
  readFile(path: string, limit: number): Promise<Uint8Array>;
  /** One line of --verbose; nothing unless it was asked for. Never a secret, a token or a body. */
  trace(line: string): void;
}

export type Env = Readonly<Record<string, string | undefined>>;

export interface Input {
  isTTY(): boolean;
  /** Everything until the end of input; more than `limit` bytes reject with EFBIG. */
  read(limit: number): Promise<Uint8Array>;
}

export interface Output {
  isTTY(): boolean;
  /** Writes all of it before it returns, also into a slow pipe. Throws ReaderGone on EPIPE, else a `local` error. */
  write(text: string): void;
}

/** A person at the terminal. Everything is shown on stderr; a Ctrl-C rejects with Interrupted. */
export interface Terminal {
  /** Whether a person can be asked: stdin and stderr are terminals, and it is not CI. */
  canAsk(): boolean;
  ask(
    question: string,
    options?: { initial?: string; check?: (answer: string) => string | undefined },
  ): Promise<string>;
  askSecret(question: string, options?: { check?: (answer: string) => string | undefined }): Promise<string>;
  choose<T extends string>(
    question: string,
    choices: readonly { value: T; label: string }[],
    initial?: T,
  ): Promise<T>;
  confirm(question: string): Promise<boolean>;
  /** Colours for a stream, or none: NO_COLOR, FORCE_COLOR and TERM=dumb are honoured. */
  paint(stream: 'stdout' | 'stderr'): Promise<Paint>;
  /** Runs the work under a spinner that appears after 300 ms on a terminal and is erased afterwards. */
  spin<T>(label: string, work: () => Promise<T>): Promise<T>;
}

export type Paint = Readonly<
  Record<'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan', (text: string) => string>
>;

/** The settings file's content: general values, and those of each profile under `profiles`. */
export interface Config {
  readonly path: string;
  readonly general: ConfigValues;
  readonly profiles: Readonly<Record<string, ConfigValues>>;
}
export type ConfigValues = Readonly<Record<string, string | number | boolean>>;

/** One edit of the config file: a value, or undefined to remove the key. Without a profile it is a general one. */
export interface ConfigEdit {
  readonly profile?: string | undefined;
  readonly key: string;
  readonly value: string | number | boolean | undefined;
}

export interface ConfigFile {
  /** Where it is or would be; undefined when there is no home folder. */
  path(): string | undefined;
  /** Throws a `usage` error when it is unreadable, malformed, foreign or writable by others. */
  read(): Config;
  /** Writes all edits at once, under a lock. Throws a `usage` error for a file or folder of another user. */
  edit(edits: readonly ConfigEdit[]): Promise<void>;
  /** Throws what {@link edit} would throw for a file or folder of another user, before anything is asked or done. */
  checkWritable(): Promise<void>;
}

/** What is kept of a client whose credentials gwtoken stored: no secret. */
export interface KnownEntry {
  readonly clientId: string;
  readonly authUrl: string;
}

/** The known clients, by their name `profile:environment:region`. */
export interface KnownClients {
  path(): string | undefined;
  read(): Readonly<Record<string, KnownEntry>>;
  add(name: string, entry: KnownEntry): Promise<void>;
  remove(names: readonly string[]): Promise<void>;
}

/** The OS keychain, service `gwtoken`. Every failure is a GwtokenError of kind `keychain`. */
export interface Keychain {
  /** Rejects when the keychain does not work here. */
  probe(): Promise<void>;
  /** The item's value, or undefined when there is none. */
  get(account: string): Promise<string | undefined>;
  set(account: string, value: string): Promise<void>;
  /** Whether there was one. */
  delete(account: string): Promise<boolean>;
}

/** A program with gwtoken's own stdin, stdout, stderr and terminal. */
export interface PreparedChild {
  /**
   * Runs it to its end. TERM, HUP, USR1 and USR2 are passed on to it, INT and QUIT where they come from no terminal
   * that it shares. Rejects with a GwtokenError `not-found` or `not-runnable`.
   */
  run(command: string, args: readonly string[], env: Env): Promise<ChildEnd>;
  /** Signals have their usual effect on gwtoken again. */
  release(): void;
}

/** Either an exit code or the signal that it died of. */
export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface TokenFile {
  readonly path: string;
  /** Replaces all of the text at once: a reader sees the one or the other. Throws the system's error. */
  replace(text: string): void;
  /** Tells those who sweep that the owner lives; due every minute. */
  touch(): void;
  remove(): void;
}

/** The part of the standard `fetch` that the token request needs. */
export type Fetch = (
  url: string,
  init: {
    readonly method: 'POST';
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    readonly signal: AbortSignal;
    /** PEM file of further certificate authorities. */
    readonly caFile?: string | undefined;
  },
) => Promise<FetchReply>;

export interface FetchReply {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: AsyncIterable<Uint8Array> | null;
}
