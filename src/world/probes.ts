import type { Distrust } from './files';

/** What `doctor` looks at. Nothing here rejects or throws: what is the matter is the answer. */
export interface Probes {
  /** The form of the program and what it runs on, as in `npm package with Node v20.20.2 on linux x64`. */
  system(): string;
  folder(which: 'config' | 'cache'): Promise<FolderFacts>;
}

export interface FolderFacts {
  /** Undefined when there is no home folder to have it in. */
  readonly path: string | undefined;
  /** What to set where there is none: the platform's own variable, or gwtoken's. */
  readonly variables: readonly [string, string];
  readonly exists: boolean;
  /** Whether files can be made in it, or it can be made where it does not exist. */
  readonly writable: boolean;
  /** Why the config in it is refused, or the cache in it not used. */
  readonly untrusted: Distrust | undefined;
  /** The permission bits; undefined on Windows. */
  readonly mode: number | undefined;
}
