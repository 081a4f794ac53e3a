/** All verbs, in the order of the help, and which of them a command line means when it has failed. */
import type { World } from '../world/world';
import type { Verb } from './command';
import { completionCommand } from './completion/completion';
import { configCommand } from './config';
import { doctorCommand } from './doctor/doctor';
import { envCommand } from './env';
import { execCommand } from './exec/exec';
import { getCommand } from './get';
import { loginCommand } from './login/login';
import { logoutCommand } from './logout';
import { statusCommand } from './status/status';

export const VERBS: readonly Verb[] = [
  getCommand,
  envCommand,
  execCommand,
  loginCommand,
  logoutCommand,
  statusCommand,
  doctorCommand,
  configCommand,
  completionCommand,
];

/** Lets the verb do what it does at a failure; gives the exit code. Comes before any words, since stderr may be what is broken. */
export function afterFailure(
  argv: readonly string[],
  exitCode: number,
  world: Pick<World, 'stdout'>,
): number {
  try {
    return verbIn(argv)?.onFailure?.(argv, exitCode, world) ?? exitCode;
  } catch {
    // stdout is broken; what went wrong before is still told.
    return exitCode;
  }
}

/** The verb that is meant, also where the arguments cannot be parsed. */
function verbIn(argv: readonly string[]): Verb | undefined {
  if (argv[0] === 'help') return undefined;
  const name = argv.find((word) => VERBS.some((verb) => verb.name === word));
  return VERBS.find((verb) => verb.name === name);
}
