import type { Distrust } from './files';

/** What `doctor` checks. Nothing here rejects or throws: problems are results. */
export interface Probes {
  /** The form of the program and its runtime, as in `npm package with Node v20.20.2 on linux x64`. */
  system(): string;
  folder(which: 'config' | 'cache'): Promise<FolderFacts>;
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
