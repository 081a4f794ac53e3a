/** Everything outside the program. Functions take only the parts they need: `Pick<World, 'env' | 'now'>`. */
import type { Client } from './client';
import type { Hints } from './errors';
import type { HeldLock, Lock } from './lock';
import type { PostForm } from './post-form';

export type Env = Readonly<Record<string, string | undefined>>;

export interface Output {
  isTTY(): boolean;
  /** Writes the whole text, even to a slow pipe. Throws ReaderGone on EPIPE, otherwise a `local` error. */
  write(text: string): void;
}

/** The terminal and its person. All methods write to stderr. Ctrl-C rejects with Interrupted. */
export interface Terminal {
  /** Returns why prompts are impossible here; undefined if they work. */
  promptProblem(): string | undefined;
  /** Stops the terminal's echo; each prompt then drops the input that was typed before it. */
  hideTyping(): Promise<void>;
  /** Prompts until `check` finds no problem with the trimmed answer. Enter alone answers `suggested`. */
  ask(
    question: string,
    check: (answer: string) => string | undefined,
    options?: { readonly suggested?: string | undefined; readonly isSecret?: boolean },
  ): Promise<string>;
  /** Any answer except `y` and `yes` means no. */
  confirm(question: string): Promise<boolean>;
  paint(stream: 'stdout' | 'stderr'): Promise<Paint>;
  /** Runs the work under a spinner that appears after 300 ms on a terminal and is erased afterwards. */
  spin<T>(label: string, work: (cancelled: AbortSignal) => Promise<T>): Promise<T>;
}

export type Paint = Readonly<Record<'bold' | 'red' | 'green' | 'yellow' | 'cyan', (text: string) => string>>;

export interface Config {
  readonly path: string;
  /** Hints at the home directory if there is none, and so no config file; otherwise empty. */
  readonly noHome: Hints;
  readonly general: ConfigValues;
  readonly profiles: Readonly<Record<string, ConfigValues>>;
}
/** A value that the file contains may be any JSON, such as a later version's. */
export type ConfigValues = Readonly<Record<string, unknown>>;

/** One edit of the config file. Without a profile, the key is general. Without a value, it is removed. */
export interface ConfigEdit {
  readonly profile?: string | undefined;
  readonly key: string;
  readonly value: string | undefined;
}

/** The config file. Each problem with the file is a `usage` error, for example write access for others. */
interface ConfigFile {
  path(): string;
  read(): Config;
  edit(edit: ConfigEdit): Promise<void>;
  /** Throws if the config file or the list of stored clients cannot be written. Changes nothing. */
  checkWritable(): Promise<void>;
}

/** Facts about a stored client in plain text, beside its keychain item. */
export interface StoredClient {
  readonly clientId: string;
  readonly authUrl: string;
  /** Changes with each login, so that a token of an earlier login is not used; empty if it is unknown. */
  readonly loginId: string;
}

/** The list of stored clients, by their name `profile:environment:region`. */
interface StoredClients {
  read(): Readonly<Record<string, StoredClient>>;
  add(name: string, entry: StoredClient): Promise<void>;
  remove(name: string): Promise<void>;
}

/** All that a token depends on. Each key has its own cache files, with a lock on their requests. */
export interface TokenKey {
  readonly client: Client;
  /** Texts in which tokens differ; none is secret. The names of the files contain their hash. */
  readonly facts: readonly string[];
  /** The secret part of the key, compared by its HMAC; empty if there is none. */
  readonly secret: string;
}

/** A file of a key; by default its token. */
export type CacheKind = 'token' | 'failure';

/** The files of the token cache, and the locks under which processes write them. No method throws. */
export interface TokenCache {
  read(key: TokenKey, kind?: CacheKind): CacheRead;
  /**
   * Writes a file, unless the lock under which its content was requested is lost. If the lock is lost while
   * it writes, it removes the file again. Returns the reason if the file is not written.
   */
  write(key: TokenKey, text: string, kind?: CacheKind, lock?: HeldLock): Promise<string | undefined>;
  /** Returns the clients that have a cached token, even an expired one. */
  clientNames(): readonly string[];
  /**
   * Removes the files of the clients that match, their locks first, so that running requests store nothing.
   * Returns the paths that cannot be removed, with the reason.
   */
  remove(matches: (client: Client) => boolean): Promise<readonly string[]>;
  /** Removes each token or failure whose text is over, and other files that a killed process left behind. */
  sweep(isOver: (text: string, kind: CacheKind) => boolean): Promise<void>;
  /** Takes the lock on a key's requests, or returns its holder's lock; undefined if locks do not work. */
  acquireLock(key: TokenKey): Promise<Lock | undefined>;
}

export interface CacheRead {
  readonly text?: string;
  /** Why the directory or file is not used, for a warning. */
  readonly untrusted?: string;
}

/**
 * The OS keychain, service `gwtoken`. Each call ends within its limit, by default {@link ANSWER_WITHIN_MS}.
 * Each failure of the keychain is a GwtokenError of kind `keychain`.
 */
export interface Keychain {
  /** Stores, reads and deletes a test item, which unlocks a locked keyring. */
  probe(limitMs?: number): Promise<void>;
  /** Resolves with the value; undefined if the account has no item. Rejects with the signal's reason. */
  get(account: string, limitMs?: number, signal?: AbortSignal): Promise<string | undefined>;
  /** Stores the value and reads it back. Resolves with true if it replaced another value. */
  set(account: string, value: string, limitMs?: number): Promise<boolean>;
  /**
   * Removes an item. Resolves with `absent` if there is none, and with `hidden` if it found none, but the
   * keychain may hide one. Rejects with `locked` or `denied` if it cannot remove it.
   */
  delete(account: string, limitMs?: number): Promise<'removed' | 'absent' | 'hidden'>;
  accounts(limitMs?: number): Promise<readonly string[]>;
}

export interface CommandOptions {
  readonly env: Env;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

export interface ProgramOptions {
  readonly env: Env;
  /** True if gwtoken, not the user, chose the program: only absolute directories of PATH count. */
  readonly isOurs?: boolean;
  /** A text that the program reads by its first option: `-K PATH`, or on Windows `-K -`, through stdin. */
  readonly text?: { readonly option: string; readonly content: string };
  /** Called before the start, once signals no longer end gwtoken. If it throws, nothing is started. */
  readonly beforeStart?: (() => void) | undefined;
}

export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The directory of the config file and the list of stored clients, or of the token cache. */
export type DirectoryKind = 'config' | 'cache';

export interface DirectoryFacts {
  /** The path, and what is wrong with the directory. */
  readonly text: string;
  /** Present if gwtoken rejects the files in the directory, or cannot write there. */
  readonly hints?: Hints;
}

export interface World {
  readonly version: string;
  /** The URL of the repository in package.json, which a release has; null if there is none. */
  readonly repository: string | null;
  readonly platform: NodeJS.Platform;
  readonly env: Env;
  readonly stdin: {
    isTTY(): boolean;
    /** Reads until the end of input; rejects with EFBIG for more than `limit` bytes. */
    read(limit: number): Promise<Uint8Array>;
  };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly terminal: Terminal;
  readonly config: ConfigFile;
  readonly clients: StoredClients;
  /**
   * Runs a line in the system's shell with gwtoken's stdin and stderr, and resolves with its stdout. Each
   * failure of the command is a GwtokenError of kind `keychain`.
   */
  runCredentialCommand(command: string, options: CommandOptions): Promise<Uint8Array>;
  readonly keychain: Keychain;
  readonly tokens: TokenCache;
  /** Returns a text such as `npm package with Node v20.20.2 on linux x64`. */
  describeBuild(): string;
  probeDirectory(kind: DirectoryKind): DirectoryFacts;
  /** Posts to the token endpoint; a network failure rejects with a GwtokenError of kind `unreached`. */
  readonly postForm: PostForm;
  /** Returns the wall clock in milliseconds since the epoch. Limits use {@link monotonicMs}. */
  now(): number;
  /** Returns a clock that cannot be set, in milliseconds since an arbitrary time. */
  monotonicMs(): number;
  /** Calls the listener for these signals instead of ending gwtoken. Returns a function that undoes this. */
  onSignals(signals: readonly NodeJS.Signals[], listener: (signal: NodeJS.Signals) => void): () => void;
  /**
   * Runs a program with the caller's terminal and the descriptors that its words name, and passes signals on
   * to it. Rejects with `not-found` or `not-runnable`.
   */
  runProgram(command: string, args: readonly string[], options: ProgramOptions): Promise<ChildEnd>;
  /** Returns what a program of PATH's absolute directories prints; empty if it does not start or end. */
  programOutput(command: string, args: readonly string[]): Promise<string>;
  /**
   * Creates or replaces a file of the user, mode 0600. Throws `usage` for a file of another kind or user, or
   * for a token file with another mode; `local` if writing fails.
   */
  replaceFile(path: string, text: string, isTokenFile?: boolean): void;
  /** Removes the user's file if it contains this text. Never throws. */
  removeFile(path: string, text: string): void;
  /** Reads a whole file. Throws the system's error; EFBIG for more than `limit` bytes. */
  readFile(path: string, limit: number): Uint8Array;
  /** Rejects with `usage` if the file contains no CA certificates that gwtoken can use. */
  checkCaFile(path: string): Promise<void>;
  /** Throws the system's error if the working directory was removed. */
  absolutePath(path: string): string;
  /** Returns a function that appends to a CI runner's file. Throws `usage` if the file is missing. */
  appender(path: string, variable: string): (text: string) => void;
  /** HMAC-SHA-256 in hexadecimal. */
  hmac(text: string, key: Uint8Array): string;
  /** Returns a name that is used only once, for a login or as a salt. It is not a secret. */
  uniqueName(): string;
  sleep(ms: number): Promise<void>;
  /** Returns a random number in [0, 1), for the jitter between attempts. It is unsafe for secrets. */
  random(): number;
  /** Writes a line if --verbose is set. The line must not contain a secret, a token or a body. */
  trace(line: string): void;
}

/** The parts of the World that a run with a cached token needs, in cli/quick.ts. */
export type QuickWorld = Pick<World, 'env' | 'platform' | 'now' | 'readFile' | 'hmac' | 'trace'> & {
  readonly config: Pick<ConfigFile, 'read'>;
  readonly clients: Pick<StoredClients, 'read'>;
  readonly tokens: Pick<TokenCache, 'read'>;
};
