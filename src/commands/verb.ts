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
  run?(flags: FlagValues, world: World, ...args: string[]): Promise<void>;
}
