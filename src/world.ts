/** Everything outside the program. A function takes only what it needs of it: `Pick<World, 'postForm' | 'now'>`. */
import type { Client } from './client';

export type Env = Readonly<Record<string, string | undefined>>;

export interface Output {
  isTTY(): boolean;
  /** Writes all of it, even to a slow pipe. Throws ReaderGone on EPIPE, otherwise a `local` error. */
  write(text: string): void;
}

/** A person at the terminal. Everything is shown on stderr; a Ctrl-C rejects with Interrupted. */
export interface Terminal {
  /** Why prompts are impossible here; undefined if they work. */
  noPrompt(): string | undefined;
  /** Prompts until `check` finds no problem with the answer; the example is shown while it is empty. */
  ask(
    question: string,
    check: (answer: string) => string | undefined,
    options: { readonly example?: string | undefined; readonly initial?: string | undefined },
  ): Promise<string>;
  /** The same, with the answer masked. */
  askSecret(question: string, check: (answer: string) => string | undefined): Promise<string>;
  choose<T extends string>(question: string, choices: readonly T[], initial?: T): Promise<T>;
  confirm(question: string): Promise<boolean>;
  hasUnicode(): boolean;
  /** The width of a text for stdout: 40 to 80, as the terminal has. */
  columns(): number;
  /** Writes to stdout, which is a terminal: through a pager if the text is longer than it. */
  page(text: string): Promise<void>;
  paint(stream: 'stdout' | 'stderr'): Promise<Paint>;
  /** Runs the work under a spinner that appears after 300 ms on a terminal and is erased afterwards. */
  spin<T>(label: string, work: (relabel: (label: string) => void) => Promise<T>): Promise<T>;
}

export type Paint = Readonly<
  Record<'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan', (text: string) => string>
>;

/** The config file's content: general values, and those of each profile under `profiles`. */
export interface Config {
  readonly path: string;
  readonly general: ConfigValues;
  readonly profiles: Readonly<Record<string, ConfigValues>>;
}
export type ConfigValues = Readonly<Record<string, string | number | boolean>>;

/** One edit of the config file: a value, or undefined to remove the key. Without a profile it is a general value. */
export interface ConfigEdit {
  readonly profile?: string | undefined;
  readonly key: string;
  readonly value: string | number | boolean | undefined;
}

interface ConfigFile {
  /** Where it is or would be. Throws a `usage` error if there is no home directory. */
  path(): string;
  /** Throws a `usage` error if it is unreadable, malformed, another user's, or writable by others. */
  read(): Config;
  /** Writes all edits at once, under a lock. Throws a `usage` error for a file or directory of another user. */
  edit(edits: readonly ConfigEdit[]): Promise<void>;
  /** Throws what {@link edit} would throw for a file or directory of another user, before any prompt or change. */
  checkWritable(): Promise<void>;
}

/** What is stored about a client in plain text, beside its keychain item. */
export interface KnownEntry {
  readonly clientId: string;
  readonly authUrl: string;
}

/** The stored clients, by their name `profile:environment:region`. */
interface KnownClients {
  read(): Readonly<Record<string, KnownEntry>>;
  add(name: string, entry: KnownEntry): Promise<void>;
  /** Runs the work while no other process stores a client: its item and its entry have to agree. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  remove(names: readonly string[]): Promise<void>;
}

/** The files of a client: its token, by default, and its last refusal. */
export type CacheKind = 'token' | 'refusal';

/** The token cache's files, and the locks under which processes fill it. Nothing here throws or rejects. */
export interface TokenCache {
  read(client: Client, kind?: CacheKind): CacheRead;
  /** Returns the system's error code if it cannot be written. */
  write(client: Client, text: string, kind?: CacheKind): Promise<string | undefined>;
  /** Removes the entries of the clients that pass. */
  remove(passes: (client: Client) => boolean): Promise<void>;
  /**
   * Begins a new generation of a client's tokens: none that was requested before is used any more, not even one that a
   * running request will return. Returns the paths that could not be removed, with the reason.
   */
  invalidate(client: Client): Promise<readonly string[]>;
  /**
   * Takes the lock on requests for a client, or joins those who wait for it; undefined if there can be none here.
   *
   * @param whose identifies the credentials, as part of a file's name
   */
  acquireLock(client: Client, whose: string): Promise<Lock | undefined>;
}

/** Why a file or directory is not trusted: owned by another user, writable by others, or a symbolic link. */
export interface Distrust {
  readonly why: 'foreign' | 'open' | 'link';
  /** The end of a sentence that begins with its path: `is writable by other users (mode 777)`. */
  readonly text: string;
  /** What is at fault, if it is not the path itself but something on the way to it. */
  readonly path?: string;
}

export interface CacheRead {
  readonly text?: string;
  /** Entries of other generations are not used, see {@link TokenCache.invalidate}. */
  readonly generation?: string;
  /** Why the directory or file is not used, for a warning. */
  readonly untrusted?: string;
}

export type Lock =
  | {
      readonly held: true;
      /** Ends the time that counts against nobody, spent on a keychain or a command: from now on waiters' limits run. */
      startClock(): void;
      /** Releases the lock and leaves a text for the waiters. */
      release(outcome?: string): void;
    }
  | {
      readonly held: false;
      /** Waits until the lock is free, the limit has passed, or the signal is aborted. */
      wait(limitMs: number, signal?: AbortSignal): Promise<Waited>;
    };

export interface Waited {
  /** `without`: the lock cannot be taken from a dead holder, or the holder could not leave a text. */
  readonly end: 'released' | 'late' | 'without';
  /** The text that the holder left; empty if it left none or is gone. */
  readonly text: string;
  /** The part of the time that counts against the limit of the process that waited. */
  readonly countedMs: number;
}

/**
 * The OS keychain, service `gwtoken`. Each call ends within its limit, by default {@link answerWithinMs}; every failure is
 * a GwtokenError of kind `keychain`, whose `reason` is a KeychainReason.
 */
export interface Keychain {
  /** Stores, reads and deletes an item of its own, so that a locked keyring is unlocked now. Resolves with the version. */
  probe(limitMs?: number): Promise<string>;
  /** The item's value, or undefined if there is none. Rejects with the signal's reason once it is aborted. */
  get(account: string, limitMs?: number, signal?: AbortSignal): Promise<string | undefined>;
  /** Stores the value, reads it back, and resolves with what was there before. */
  set(account: string, value: string, limitMs?: number): Promise<string | undefined>;
  /** Whether there was one; an item that stays is `locked` or `denied`. */
  delete(account: string, limitMs?: number): Promise<boolean>;
}

/** What is wrong with a keychain, in the order in which its parts are needed. */
export type KeychainReason =
  | 'module-missing'
  | 'library-missing'
  | 'no-session'
  | 'no-provider'
  | 'no-collection'
  | 'locked'
  /** Not in the open keyring, but perhaps in one that is locked and shows nothing. */
  | 'hidden'
  | 'denied'
  /** The module itself did not load in time. */
  | 'not-started'
  | 'timed-out'
  | 'crashed'
  /** The keychain and the module do not agree on the key for the transfer, in several sessions in a row. */
  | 'key-mismatch'
  /** A text that gwtoken does not know; it is in `detail`. */
  | 'failed';

/** Runs a command line in the system's shell, with our stdin and stderr. A signal to gwtoken rejects with Interrupted. */
export type RunCredentialCommand = (
  command: string,
  options: {
    readonly env: Env;
    readonly timeoutMs: number;
    readonly limit: number;
    readonly signal?: AbortSignal | undefined;
  },
) => Promise<CommandEnd>;

export type CommandEnd =
  | { readonly how: 'exited'; readonly code: number; readonly stdout: Uint8Array }
  | { readonly how: 'killed'; readonly signal: string }
  | { readonly how: 'not-started'; readonly reason: string }
  | { readonly how: 'late' }
  | { readonly how: 'too-long' };

/**
 * Runs a program with gwtoken's own stdin, stdout, stderr and terminal, and passes signals on to it.
 *
 * @param text what it finds at /dev/fd/3, or on Windows on stdin
 * @throws GwtokenError `not-found` or `not-runnable`
 */
export type RunProgram = (
  command: string,
  args: readonly string[],
  env: Env,
  text?: string,
) => Promise<ChildEnd>;

/** Either an exit code or the signal that it died of. */
export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface TokenFile {
  readonly path: string;
  /** Replaces the whole text at once: a reader sees the old or the new one. Throws the system's error. */
  replace(text: string): void;
  /** Shows sweeping processes that the owner is alive, due every minute; false if the file is gone. */
  touch(): boolean;
  remove(): void;
}

export interface FolderFacts {
  /** Undefined if there is no home directory. */
  readonly path: string | undefined;
  /** What to set if there is none: the platform's own variable, or gwtoken's. */
  readonly variables: readonly [string, string];
  readonly exists: boolean;
  /** Whether files can be created in it or, if it does not exist, whether it can be created. */
  readonly writable: boolean;
  /** Why the config file in it is rejected, or the cache in it not used. */
  readonly untrusted: Distrust | undefined;
  /** The permission bits; undefined on Windows. */
  readonly mode: number | undefined;
}

export interface ConnectionOptions {
  /** PEM file with extra CA certificates. */
  readonly caFile?: string | undefined;
  /** Called with decisions on the way: which proxy and why, which address. */
  readonly trace?: ((line: string) => void) | undefined;
  /** Called with facts as soon as they are known; later ones replace earlier ones. */
  readonly onProgress?: ((facts: Partial<ConnectionProgress>) => void) | undefined;
}

export interface ConnectionProgress {
  /** What we are waiting for; after a failure, where it failed. */
  waitingFor: 'route' | 'roots' | 'lookup' | 'connect' | 'tunnel' | 'handshake' | 'reply' | 'body';
  /** The proxy's host and port. */
  proxy?: string;
  /** Of the proxy, if there is one; likewise the time to connect. */
  addresses?: readonly string[];
  connectMs?: number;
  /** Whether the proxy has opened the tunnel. */
  tunnel?: boolean;
  /** Of the endpoint, even if its certificate was rejected. */
  tls?: TlsFacts;
}

export interface TlsFacts {
  readonly protocol: string;
  /** Subject and issuer of the certificate: common name, otherwise organization. */
  readonly subject: string;
  readonly issuer: string;
  readonly validToMs: number;
  /** Where the CAs beyond the built-in ones came from. */
  readonly trustedBy: string | undefined;
}

/** The part of the standard `fetch` that is needed here. */
export type PostForm = (
  url: string,
  init: ConnectionOptions & {
    readonly method: 'POST';
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    /** For connection, request and reply together; then the promise or the body rejects with the reason `time-limit`. */
    readonly timeoutMs: number;
    readonly signal?: AbortSignal | undefined;
  },
) => Promise<FormReply>;

export interface FormReply {
  readonly status: number;
  /** The value of a header, in lower case; several are joined by commas. */
  readonly headers: { get(name: string): string | null };
  readonly body: AsyncIterable<Uint8Array>;
  /** The peer's address, for the trace: `127.0.0.1:443`, or the proxy. */
  readonly address?: string | undefined;
}

export interface World {
  /** gwtoken's own version, for `--version` and the User-Agent. */
  readonly version: string;
  readonly platform: NodeJS.Platform;
  readonly env: Env;
  readonly stdin: {
    isTTY(): boolean;
    /** Everything until the end of input; more than `limit` bytes reject with EFBIG. */
    read(limit: number): Promise<Uint8Array>;
  };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly terminal: Terminal;
  readonly config: ConfigFile;
  readonly clients: KnownClients;
  readonly runCredentialCommand: RunCredentialCommand;
  readonly keychain: Keychain;
  readonly tokens: TokenCache;
  /** What `doctor` checks. Problems are results: nothing here rejects or throws. */
  readonly probes: {
    /** The form of the program and its runtime, as in `npm package with Node v20.20.2 on linux x64`. */
    system(): string;
    folder(which: 'config' | 'cache'): Promise<FolderFacts>;
  };
  /** Posts to the token endpoint; a network failure rejects with a GwtokenError of kind `unreached`. */
  readonly postForm: PostForm;
  /**
   * Loads what the next {@link PostForm} needs, while the credentials are still being looked up. With a URL it also opens
   * the connection; a failure is silent, since the fetch will report it.
   */
  warmUp(url: string | undefined, options: ConnectionOptions): void;
  /** The wall clock, in milliseconds since the epoch; for limits there is {@link monotonicMs}. */
  now(): number;
  /** A clock that nobody can set, in milliseconds since some moment. */
  monotonicMs(): number;
  /** Handles these signals instead of dying of them, until the returned function is called. */
  onSignals(signals: readonly NodeJS.Signals[], heard: (signal: NodeJS.Signals) => void): () => void;
  runProgram: RunProgram;
  /** Creates a 0600 file with this text in a directory of ours; a `local` error if that fails. */
  createTokenFile(text: string): Promise<TokenFile>;
  /** Reads a whole file. Throws the system's error; EFBIG for more than `limit` bytes. */
  readFile(path: string, limit: number): Uint8Array;
  /** Throws `usage` for a file that does not exist; the returned function appends to it (`local` if that fails). */
  appender(path: string, variable: string): (text: string) => void;
  /** SHA-256 in hexadecimal; with a key, HMAC-SHA-256. */
  sha256(text: string, key?: Uint8Array): string;
  sleep(ms: number): Promise<void>;
  /** Does the work later, unless the returned function is called before. */
  after(ms: number, work: () => void): () => void;
  /** Evenly spread over [0, 1): for the jitter between attempts, not for secrets. */
  random(): number;
  /** `gwtoken: warning: …` on stderr, on one line. Never a secret. */
  warn(text: string): void;
  /** One line of --verbose; nothing without it. Never a secret, a token or a body. */
  trace(line: string): void;
}

/** What a cached token needs, and all that the quick way has. */
export type WarmWorld = Pick<World, 'env' | 'now' | 'readFile' | 'sha256' | 'trace'> & {
  readonly config: Pick<ConfigFile, 'read'>;
  readonly clients: Pick<KnownClients, 'read'>;
  readonly tokens: Pick<TokenCache, 'read'>;
};
