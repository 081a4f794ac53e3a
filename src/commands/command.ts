import type { FlagValues } from '../settings/table';
import type { World } from '../world';
import type { Flag } from './flags';

export interface Command {
  readonly name: string;
  /** Arguments as commander writes them: `<key> [value]`. */
  readonly args?: string;
  /** Text that help shows in place of the options and arguments. */
  readonly usage?: string;
  readonly summary: string;
  readonly flags: readonly Flag[];
  readonly subcommands?: readonly Command[];
  /** Heading that help lists it under. */
  readonly group?: 'token' | 'client' | 'setup';
  /** Completions of an argument or of a flag that is no setting; a function gets the arguments before it. */
  readonly values?: Readonly<Record<string, Words | ((before: readonly string[]) => Words)>>;
  /** Command lines that work as they are written, each with its effect. */
  readonly examples?: readonly { readonly line: string; readonly does: string }[];
  /** True if the caller's shell runs stdout: help goes to stderr then, unless stdout is a terminal. */
  readonly evaluated?: true;
  /** Beginning of another program's line: the first argument, or the first word that is not our flag. */
  readonly passThrough?: 'arguments' | 'flags';
  /** Does the work; resolves with the exit code if that is not always 0. */
  run?(flags: FlagValues, world: World, ...args: string[]): Promise<number | undefined>;
  /** Handles a failure, even of parsing the arguments, besides the error on stderr; returns the exit code. */
  onFailure?(
    argv: readonly string[],
    exitCode: number,
    world: Pick<World, 'stdout'>,
  ): number | Promise<number>;
}

/** Words for a value, any file, or any command of the shell; an empty list if it cannot be guessed. */
export type Words = readonly string[] | 'files' | 'commands';
