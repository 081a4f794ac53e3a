import { isCredentialVariable } from '../../client';
import { EXEC_FAILED } from '../../exit-codes';
import {
  checkForWindows,
  checkPrefix,
  checkVariables,
  DEFAULT_PREFIX,
  tokenVariables,
  type Variable,
} from '../../formats/format';
import { maskToken } from '../../formats/mask';
import { gather } from '../../settings/resolve';
import type { FlagValues } from '../../settings/table';
import { ENDING_SIGNALS, Interrupted } from '../../signals';
import type { ChildEnd, Env, TokenFile, World } from '../../world';
import { selectedQuery, selectedToken } from '../selected-token';
import { keepRenewed } from './renewal';

export async function runCommand(
  flags: FlagValues,
  world: World,
  command: string,
  args: readonly string[],
): Promise<number> {
  const prefix = checkPrefix(String(flags['prefix'] ?? DEFAULT_PREFIX));
  const sources = gather(flags, world);
  const answer = await selectedToken(sources, world);
  const variables = tokenVariables(answer.token, prefix);
  checkVariables(variables);
  if (world.platform === 'win32') variables.forEach(checkForWindows);
  maskToken(answer.token.accessToken, world);

  // A signal now would leave the token file behind, so it is only noted until the program gets the signals.
  let early: NodeJS.Signals | undefined;
  const release = world.onSignals(ENDING_SIGNALS, (signal) => {
    early = signal;
  });
  let file: TokenFile | undefined;
  let stopRenewing: (() => void) | undefined;
  try {
    const path = flags['token-file'];
    if (path !== undefined) {
      file = await world.createTokenFile(answer.token.accessToken, String(path) || undefined);
      stopRenewing = keepRenewed(file, answer, () => selectedQuery(sources, world), world);
    }
    const all = [...variables, { name: `${prefix}TOKEN_FILE`, value: file?.path }];
    const env = childEnvironment(world.env, all, world.platform);
    if (early !== undefined) throw new Interrupted(early);
    return exitCodeOf(await world.runProgram(command, args, env));
  } finally {
    stopRenewing?.();
    file?.remove();
    release();
  }
}

/** Returns a child's exit code; throws its signal, by which gwtoken then ends too. */
export function exitCodeOf({ code, signal }: ChildEnd): number {
  if (signal !== null) throw new Interrupted(signal);
  return code ?? EXEC_FAILED;
}

/**
 * Returns gwtoken's own environment without the clients' credentials, and with these variables: those without
 * a value are removed, so that none of another client stays.
 */
export function childEnvironment(env: Env, variables: readonly Variable[], platform: NodeJS.Platform): Env {
  // Windows ignores the case of variable names.
  const same = (name: string): string => (platform === 'win32' ? name.toUpperCase() : name);
  const names = new Set(variables.map(({ name }) => same(name)));
  const kept = Object.entries(env).filter(([name]) => !names.has(same(name)) && !isCredentialVariable(name));
  const set = variables.filter(({ value }) => value !== undefined).map(({ name, value }) => [name, value]);
  return Object.fromEntries([...kept, ...set]);
}
