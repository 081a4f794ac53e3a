/** gwtoken's own files: config, stored clients, cached tokens. */
import type { Client } from '../client';

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

export interface ConfigFile {
  /** Where it is or would be. Throws a `usage` error if there is no home directory. */
  path(): string;
  /** Throws a `usage` error if it is unreadable, malformed, another user's, or writable by others. */
  read(): Config;
  /** Writes all edits at once, under a lock. Throws a `usage` error for a file or directory of another user. */
  edit(edits: readonly ConfigEdit[]): Promise<void>;
  /** Throws what {@link edit} would throw for a file or directory of another user, before any prompt or change. */
  checkWritable(): Promise<void>;
}

/** What is stored about a client in plain text, beside its keychain item: no secret. */
export interface KnownEntry {
  readonly clientId: string;
  readonly authUrl: string;
}

/** The stored clients, by their name `profile:environment:region`. */
export interface KnownClients {
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
  /**
   * Begins a new generation of a client's tokens, after its credentials were stored or removed: no token that was
   * requested before is used any more, not even one that a running request will return. Returns the paths that
   * could not be removed, with the reason.
   */
  renew(client: Client): Promise<readonly string[]>;
  /**
   * Takes the client's turn at the endpoint, or joins those who wait for it with the same credentials. Undefined if
   * there can be no turns here.
   *
   * @param whose identifies the credentials, as part of a file's name
   */
  takeTurn(client: Client, whose: string): Promise<Turn | undefined>;
}

/** Why a file or directory is not trusted: owned by another user, writable by others, or a symbolic link. */
export interface Distrust {
  readonly why: 'foreign' | 'open' | 'link';
  /** The end of a sentence that begins with its path: `is writable by other users (mode 777)`. */
  readonly text: string;
}

export interface CacheRead {
  readonly text?: string;
  /** Of the client's tokens, see {@link TokenCache.renew}: entries of other generations are not used. */
  readonly generation?: string;
  /** Why the directory or file is not used, for a warning. */
  readonly untrusted?: string;
}

export type Turn =
  | {
      readonly held: true;
      /** Ends the turn and leaves a text for the waiters. */
      release(outcome?: string): void;
    }
  | {
      readonly held: false;
      /**
       * Waits until the holder has ended its turn. Resolves with the text that it left, or '' if it left none, was
       * killed, or sent no sign of life for three seconds. Then the turn is free. Resolves with 'late' after the limit,
       * or once the signal is aborted.
       */
      wait(limitMs: number, stopped?: AbortSignal): Promise<string | 'late'>;
    };
