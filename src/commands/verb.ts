import type { Flag, FlagValues } from '../options';
import type { World } from '../world';

/** One verb: what its help says, and the work. Subcommands are verbs again. */
export interface Verb {
  readonly name: string;
  /** As commander writes them: `<key> [value]`. */
  readonly args?: string;
  readonly summary: string;
  readonly flags: readonly Flag[];
  readonly verbs?: readonly Verb[];
  /** The caller's shell runs what is on stdout, so help goes to stderr unless stdout is a terminal. */
  readonly evaluated?: true;
  /** The first argument that is no flag begins a command line of its own, whose flags are not ours. */
  readonly passThrough?: true;
  /** The work; it resolves with the exit code where that is not always 0. */
  run?(flags: FlagValues, world: World, ...args: string[]): Promise<void> | Promise<number>;
  /**
   * What a failure does beside its words on stderr, whatever failed, the parsing of the arguments included. Gives the
   * exit code in the end.
   *
   * @param argv the arguments as they were given
   * @param exitCode the one by the kind of the error, or what a shell shows for the signal
   */
  onFailure?(argv: readonly string[], exitCode: number, world: Pick<World, 'stdout'>): number;
}
