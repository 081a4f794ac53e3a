import type { ExitCode } from '../errors';
import type { Flag } from '../flags';
import type { FlagValues } from '../settings/setting';
import type { World } from '../world/world';

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
  /** What it is for; help lists the commands by that. */
  readonly group?: 'token' | 'client' | 'setup';
  /** What an argument or a flag's value can be, by its name without dashes: completion offers it, as it does a setting's. */
  readonly values?: Readonly<Record<string, Suggested>>;
  readonly examples?: readonly Example[];
  /** The exit codes beside 0, 1 and 2, which every command has. */
  readonly exitCodes?: readonly ExitCode[];
  /** The caller's shell runs what is on stdout, so help goes to stderr unless stdout is a terminal. */
  readonly evaluated?: true;
  /** The first argument that is no flag begins a command line of its own, whose flags are not ours. */
  readonly passThrough?: true;
  /** The work; it resolves with the exit code where that is not always 0. */
  run?(flags: FlagValues, world: World, ...args: string[]): Promise<number | undefined>;
  /**
   * What a failure does beside its words on stderr, whatever failed, the parsing of the arguments included.
   *
   * @param argv the arguments as they were given
   * @param exitCode the one by the kind of the error, or what a shell shows for the signal
   * @returns the exit code to end with
   */
  onFailure?(argv: readonly string[], exitCode: number, world: Pick<World, 'stdout'>): number;
}

/** A command line that works as it is written, and what comes of it. */
export interface Example {
  readonly line: string;
  readonly does: string;
}

/** The words that a value can be, or any file; none where only the user knows. */
export type Words = readonly string[] | 'files';

/** Of an argument the words may depend on the arguments before it. */
export type Suggested = Words | ((before: readonly string[]) => Words);
