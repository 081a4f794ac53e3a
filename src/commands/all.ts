/** All commands, in the order of the help. */
import type { World } from '../world';
import type { Command } from './command';
import { completionCommand } from './completion/completion';
import { configCommand } from './config';
import { doctorCommand } from './doctor/doctor';
import { envCommand } from './env';
import { curlCommand, execCommand } from './exec/exec';
import { getCommand } from './get';
import { helpCommand } from './help';
import { loginCommand } from './login/login';
import { logoutCommand } from './logout';
import { statusCommand } from './status/status';

export const COMMANDS: readonly Command[] = [
  getCommand,
  envCommand,
  execCommand,
  curlCommand,
  loginCommand,
  logoutCommand,
  statusCommand,
  doctorCommand,
  configCommand,
  completionCommand,
  helpCommand,
];

/** Returns a command and all those below it. */
export function withSubcommands(command: Command): readonly Command[] {
  return [command, ...(command.subcommands ?? []).flatMap(withSubcommands)];
}

/** Runs the command's onFailure, before anything is written to stderr, which may be broken. */
export async function afterFailure(
  argv: readonly string[],
  exitCode: number,
  world: Pick<World, 'stdout'>,
): Promise<number> {
  const [named] = argv.flatMap((word) => COMMANDS.find(({ name }) => name === word) ?? []);
  try {
    return (await named?.onFailure?.(argv, exitCode, world)) ?? exitCode;
  } catch {
    // stdout is broken too; the first failure is still reported.
    return exitCode;
  }
}
