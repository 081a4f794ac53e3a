/**
 * All that lies outside the program, as one plain object: main.ts builds the real one, tests hand in their own.
 * Types only. A function asks for its slice: `Pick<World, 'fetch' | 'now'>`.
 */

import type { Client } from './core/clients';
import type { Probes } from './core/probes';
import type { Keychain } from './world/keychain';
import type { PreparedChild, RunCredentialCommand, TokenFile } from './world/processes';
import type { ConnectionOptions, Fetch } from './world/wire';

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
  /** Runs the credential command of the settings. */
  readonly runCredentialCommand: RunCredentialCommand;
  readonly keychain: Keychain;
  readonly tokens: TokenCache;
  readonly probes: Probes;
  /** Posts to the token endpoint; a network failure rejects with a GwtokenError of kind `unreached`. */
  readonly fetch: Fetch;
  /**
   * Loads what the next {@link Fetch} needs, while the credentials are still being looked up. With a URL it also opens
   * the connection that a fetch to the same origin with the same options will use. Nothing is sent; a failure is
   * silent, since the fetch meets it again.
   */
  warmUp(url: string | undefined, options: ConnectionOptions): void;
  /** Rejects with a `usage` error for a file that has no readable PEM certificates. */
  checkCaFile(path: string): Promise<void>;
  /** The time in milliseconds since the epoch. */
  now(): number;
  /** Hears these signals instead of dying of them, until the returned function is called. */
  onSignals(signals: readonly NodeJS.Signals[], heard: (signal: NodeJS.Signals) => void): () => void;
  /** From here on signals are for the child that is about to be started, until it is released. */
  prepareChild(): Promise<PreparedChild>;
  /** A 0600 file in a folder of ours with this text in it; a `local` error where none can be made. */
  createTokenFile(text: string): Promise<TokenFile>;
  /** A file the user named, whole. Throws the system's error; EFBIG for more than `limit` bytes. */
  readFile(path: string, limit: number): Uint8Array;
  /**
   * Refuses now (`usage`) a file that is not there; what it returns appends to it in one write, all or nothing, behind
   * a line end if the file has none (`local` where that fails). `variable` named the file.
   */
  appender(path: string, variable: string): (text: string) => void;
  /** Loaded when it is called for: it costs 3 ms at every start. */
  crypto(): typeof import('node:crypto');
  /** Resolves after so many milliseconds. */
  sleep(ms: number): Promise<void>;
  /** Evenly spread over [0, 1): for the jitter between attempts, not for secrets. */
  random(): number;
  /** One line of --verbose; nothing unless it was asked for. Never a secret, a token or a body. */
  trace(line: string): void;
}

/** What a token from the cache needs; main.ts has it at hand without loading anything. */
export type WarmWorld = Pick<World, 'env' | 'now' | 'readFile' | 'crypto' | 'trace'> & {
  readonly config: Pick<ConfigFile, 'read'>;
  readonly tokens: Pick<TokenCache, 'read'>;
};

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
  /** Whether it shows more than ASCII. */
  hasUnicode(): boolean;
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

/** The token cache's files, and the turns that processes take to fill it. Nothing here throws or rejects. */
export interface TokenCache {
  read(client: Client): CacheRead;
  /** Returns the system's error code if it cannot be written. */
  write(client: Client, text: string): Promise<string | undefined>;
  /** Removes the entries of the clients that pass. */
  remove(passes: (client: Client) => boolean): Promise<void>;
  /** Takes the client's turn at the endpoint, or joins those who wait for it. Undefined when there can be no turns here. */
  takeTurn(client: Client): Promise<Turn | undefined>;
}

export interface CacheRead {
  readonly text?: string;
  /** Why the folder or file is not used, for a warning. */
  readonly untrusted?: string;
}

export type Turn =
  | {
      readonly held: true;
      /** Ends the turn and leaves a text for those who wait. */
      release(outcome?: string): void;
    }
  | {
      readonly held: false;
      /** Waits until the holder has ended its turn: gives the text that it left, '' when it left none or was killed. */
      wait(limitMs: number): Promise<string | 'late'>;
    };
