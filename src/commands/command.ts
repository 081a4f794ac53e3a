import type { FlagValues } from '../settings/table';
import type { World } from '../world';
import type { Flag } from './flags';

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
  /** What completion offers for an argument, which may depend on those before, or for a flag that is no setting. */
  readonly values?: Readonly<Record<string, Words | ((before: readonly string[]) => Words)>>;
  /** Command lines that work as they are written, and what each does. */
  readonly examples?: readonly { readonly line: string; readonly does: string }[];
  /** The caller's shell runs what is on stdout, so help goes to stderr unless stdout is a terminal. */
  readonly evaluated?: true;
  /** The first argument that is no flag begins a command line of its own, whose flags are not ours. */
  readonly passThrough?: true;
  /** Does the work; resolves with the exit code if that is not always 0. */
  run?(flags: FlagValues, world: World, ...args: string[]): Promise<number | undefined>;
  /** Does what a failure needs besides the error on stderr, even if the arguments cannot be parsed; returns the exit code. */
  onFailure?(argv: readonly string[], exitCode: number, world: Pick<World, 'stdout'>): number;
}

/** The words that a value can be, any file, or any command of the shell's; no words if only the user knows. */
export type Words = readonly string[] | 'files' | 'commands';
