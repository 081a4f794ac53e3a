import type { FlagValues } from '../settings/table';
import type { World } from '../world';
import type { Flag } from './flags';

/** One command: what its help says, and the work. */
export interface Command {
  readonly name: string;
  /** As commander writes them: `<key> [value]`. */
  readonly args?: string;
  /** What help shows in place of the options and arguments. */
  readonly usage?: string;
  readonly summary: string;
  readonly flags: readonly Flag[];
  readonly subcommands?: readonly Command[];
  /** The heading that help lists it under. */
  readonly group?: 'token' | 'client' | 'setup';
  /** The values that completion offers for an argument or a flag, by its name without dashes; a setting has its own. */
  readonly values?: Readonly<Record<string, Suggested>>;
  readonly examples?: readonly Example[];
  /** The caller's shell runs what is on stdout, so help goes to stderr unless stdout is a terminal. */
  readonly evaluated?: true;
  /** The first argument that is no flag begins a command line of its own, whose flags are not ours. */
  readonly passThrough?: true;
  /** Does the work; resolves with the exit code if that is not always 0. */
  run?(flags: FlagValues, world: World, ...args: string[]): Promise<number | undefined>;
  /**
   * What a failure does besides the error on stderr, whatever failed, even the parsing of the arguments.
   *
   * @param argv the arguments as they were given
   * @param exitCode of the error, or what a shell shows for the signal
   * @returns the exit code to end with
   */
  onFailure?(argv: readonly string[], exitCode: number, world: Pick<World, 'stdout'>): number;
}

/** A command line that works as it is written, and what it does. */
export interface Example {
  readonly line: string;
  readonly does: string;
}

/** The words that a value can be, any file, or any command of the shell's; no words if only the user knows. */
export type Words = readonly string[] | 'files' | 'commands';

/** The words for an argument may depend on the arguments before it. */
export type Suggested = Words | ((before: readonly string[]) => Words);
