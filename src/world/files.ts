/** What gwtoken keeps in files of its own: settings, known clients, cached tokens. */
import type { Client } from '../client';

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
  /** Where it is or would be. Throws a `usage` error when there is no home folder. */
  path(): string;
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
  read(): Readonly<Record<string, KnownEntry>>;
  add(name: string, entry: KnownEntry): Promise<void>;
  remove(names: readonly string[]): Promise<void>;
}

/** The token cache's files, and the turns that processes take to fill it. Nothing here throws or rejects. */
export interface TokenCache {
  read(client: Client): CacheRead;
  /** Returns the system's error code if it cannot be written. */
  write(client: Client, text: string): Promise<string | undefined>;
  /** Removes the entries of the clients that pass. Gives what could not be removed: the paths, with why. */
  remove(passes: (client: Client) => boolean): Promise<readonly string[]>;
  /**
   * Begins a new generation of a client's tokens, after its credentials were stored or removed: no token that was asked
   * for before is used any more, not even one that a running request will bring. Gives what could not be removed.
   */
  renew(client: Client): Promise<readonly string[]>;
  /**
   * Takes the client's turn at the endpoint, or joins those who wait for it with the same credentials. Undefined when
   * there can be no turns here.
   *
   * @param whose tells the credentials from others, as part of a file's name
   */
  takeTurn(client: Client, whose: string): Promise<Turn | undefined>;
}

/** Why a file or folder is not trusted: somebody else's, writable by others, or a symbolic link. */
export interface Distrust {
  readonly why: 'foreign' | 'open' | 'link';
  /** The end of a sentence that begins with its path: `can be written by others (mode 777)`. */
  readonly text: string;
}

export interface CacheRead {
  readonly text?: string;
  /** Of the client's tokens, see {@link TokenCache.renew}: an entry of another one is not used. */
  readonly generation?: string;
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
      /**
       * Waits until the holder has ended its turn: gives the text that it left, '' when it left none, was killed, or
       * gave no sign of life for three seconds. Then the turn is somebody else's.
       */
      wait(limitMs: number): Promise<string | 'late'>;
    };
