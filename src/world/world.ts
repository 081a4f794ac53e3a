/**
 * Everything outside the program, as one plain object: main.ts builds the real one, tests pass their own.
 * Types only. A function takes only what it needs: `Pick<World, 'fetch' | 'now'>`.
 */

import type { ConfigFile, KnownClients, TokenCache } from './files';
import type { Keychain } from './keychain';
import type { Probes } from './probes';
import type { PreparedChild, RunCredentialCommand, TokenFile } from './processes';
import type { Env, Input, Output, Terminal } from './streams';
import type { ConnectionOptions, Fetch } from './wire';

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
   * silent, since the fetch will report it.
   */
  warmUp(url: string | undefined, options: ConnectionOptions): void;
  /** Rejects with a `usage` error for a file without valid PEM certificates. */
  checkCaFile(path: string): Promise<void>;
  /** The time in milliseconds since the epoch. */
  now(): number;
  /** Handles these signals instead of dying of them, until the returned function is called. */
  onSignals(signals: readonly NodeJS.Signals[], heard: (signal: NodeJS.Signals) => void): () => void;
  /** From here on signals go to the child that is about to be started, until it is released. */
  prepareChild(): Promise<PreparedChild>;
  /** Creates a 0600 file with this text in a directory of ours; a `local` error if that fails. */
  createTokenFile(text: string): Promise<TokenFile>;
  /** Reads a whole file that the user named. Throws the system's error; EFBIG for more than `limit` bytes. */
  readFile(path: string, limit: number): Uint8Array;
  /**
   * Rejects at once (`usage`) a file that does not exist; the returned function appends to it, after a line end if the
   * file has none (`local` if that fails). `variable` contains the path.
   */
  appender(path: string, variable: string): (text: string) => void;
  /** Loaded on demand: it costs 3 ms at every start. */
  crypto(): typeof import('node:crypto');
  /** Resolves after so many milliseconds. */
  sleep(ms: number): Promise<void>;
  /** Does the work after so many milliseconds, unless the returned function is called before. */
  after(ms: number, work: () => void): () => void;
  /** Evenly spread over [0, 1): for the jitter between attempts, not for secrets. */
  random(): number;
  /** `gwtoken: warning: …` on stderr, on one line whatever a path or an endpoint put into it. Never a secret. */
  warn(text: string): void;
  /** One line of --verbose; nothing without it. Never a secret, a token or a body. */
  trace(line: string): void;
}

/** What a cached token needs; main.ts has it without loading anything else. */
export type WarmWorld = Pick<World, 'env' | 'now' | 'readFile' | 'crypto' | 'trace'> & {
  readonly config: Pick<ConfigFile, 'read'>;
  readonly clients: Pick<KnownClients, 'read'>;
  readonly tokens: Pick<TokenCache, 'read'>;
};
