import { withoutCredentials } from '../../credentials/sources';
import { EXEC_FAILED, usage } from '../../errors';
import { checkForWindows } from '../../formats/format';
import { TOKEN_FILE, tokenVariables, type Variable, variableNames } from '../../formats/token-variables';
import { withPlaces } from '../../settings/resolve';
import type { FlagValues } from '../../settings/table';
import { Interrupted } from '../../signals';
import { variableName } from '../../surroundings';
import { type Query, queryOf } from '../../token/query';
import type { ChildEnd, Env, World } from '../../world';
import { readSettings, selectedToken } from '../selected-token';
import { openTokenFile } from './token-file';

export async function runCommand(
  flags: FlagValues,
  world: World,
  [command = '', ...args]: readonly string[],
): Promise<number> {
  const names = variableNames(flags);
  const given = flags['token-file'];
  if (given === '') throw usage('--token-file is empty', ['use a file']);
  const settings = readSettings(flags, world);
  const answer = await selectedToken(settings, world);
  const variables = tokenVariables(answer.token, names);
  if (world.platform === 'win32') variables.forEach(checkForWindows);

  const file = given === undefined ? undefined : world.absolutePath(given);
  const env = childEnvironment(
    world.env,
    [...variables, { name: names.prefix + TOKEN_FILE, value: file }],
    world.platform,
  );
  // The same client with the same settings, but with what a login has stored by now.
  const queryAgain = (): Query =>
    queryOf(withPlaces(settings, { stored: () => world.clients.read() }), world);
  const tokenFile = file === undefined ? undefined : openTokenFile(file, answer, queryAgain, world);
  try {
    return codeOrSignal(await world.runProgram(command, args, { env, beforeStart: tokenFile?.begin }));
  } finally {
    tokenFile?.end();
  }
}

/** Returns a child's exit code. Throws Interrupted if a signal killed it: gwtoken ends by the same signal. */
export function codeOrSignal({ code, signal }: ChildEnd): number {
  if (signal !== null) throw new Interrupted(signal);
  return code ?? EXEC_FAILED;
}

/**
 * Returns gwtoken's environment without credentials and with these variables. Variables without a value are
 * removed, because they may belong to another client.
 */
function childEnvironment(env: Env, variables: readonly Variable[], platform: NodeJS.Platform): Env {
  const names = new Set(variables.map(({ name }) => variableName(name, platform)));
  const others = Object.entries(withoutCredentials(env)).filter(
    ([name]) => !names.has(variableName(name, platform)),
  );
  const set = variables.filter(({ value }) => value !== undefined).map(({ name, value }) => [name, value]);
  return Object.fromEntries([...others, ...set]);
}
