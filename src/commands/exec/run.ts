/** What `gwtoken exec` does: the token, the command beside it, and a file that has a valid one for as long as it runs. */

import { EXEC_FAILED, Interrupted } from '../../errors';
import { maskToken } from '../../formats/ci';
import {
  checkForWindows,
  checkPrefix,
  checkVariables,
  DEFAULT_PREFIX,
  tokenVariables,
  type Variable,
} from '../../formats/format';
import { gather, resolveFetchSettings } from '../../settings/resolve';
import type { FlagValues, Given } from '../../settings/table';
import { getToken } from '../../token/get-token';
import type { TokenAnswer } from '../../token/query';
import type { ChildEnd, Env, TokenFile, World } from '../../world';
import { startRenewal } from './renewal';

export async function runCommand(
  flags: FlagValues,
  world: World,
  command: string,
  args: readonly string[],
): Promise<number> {
  const prefix = checkPrefix(String(flags['prefix'] ?? DEFAULT_PREFIX), '--prefix');
  const given = gather(flags, world);
  const answer = await getToken(given, world);
  const variables = tokenVariables(answer.token, prefix);
  checkVariables(variables);
  if (world.platform === 'win32') variables.forEach(checkForWindows);
  maskToken(answer.token.accessToken, world);

  const child = await world.prepareChild();
  let file: TokenFile | undefined;
  let stopRenewing: () => void = () => {};
  try {
    if (flags['token-file'] === true) {
      file = await world.createTokenFile(answer.token.accessToken);
      stopRenewing = keepRenewed(file, answer, given, world);
    }
    const all = [...variables, { name: `${prefix}TOKEN_FILE`, value: file?.path }];
    return exitCodeOf(await child.run(command, args, childEnvironment(world.env, all, world.platform)));
  } finally {
    stopRenewing();
    file?.remove();
    child.release();
  }
}

/** A child killed by a signal ends gwtoken by the same signal, so that the caller sees no difference. */
function exitCodeOf({ code, signal }: ChildEnd): number {
  if (signal !== null) throw new Interrupted(signal);
  return code ?? EXEC_FAILED;
}

/** Keeps the file's token valid until the returned function is called. */
function keepRenewed(
  file: TokenFile,
  { token, client }: TokenAnswer,
  given: Given,
  world: World,
): () => void {
  const ended = new AbortController();
  // Without retries: the renewal itself repeats what failed, and a pause between two attempts would outlast the command.
  const fresh: Given = { ...given, flags: { ...given.flags, fresh: true, retries: '0' } };
  const stop = startRenewal({
    first: token,
    minTtlMs: resolveFetchSettings(given, client.profile).minTtlMs?.value,
    fetchFresh: async () => (await getToken(fresh, besideCommand(world, ended.signal))).token,
    store(renewed) {
      maskToken(renewed.accessToken, world);
      file.replace(renewed.accessToken);
    },
    looked: file.touch,
    warn: world.warn,
    now: world.now,
    after: world.after,
  });
  return () => {
    stop();
    ended.abort();
  };
}

/**
 * The same world, for requests while the command runs: no spinner on its terminal, and nothing that a request waits for
 * when the command ends keeps gwtoken from ending. Those who wait for the request are not told that it failed.
 */
function besideCommand(world: World, ended: AbortSignal): World {
  return {
    ...world,
    terminal: { ...world.terminal, spin: (_, work) => work() },
    fetch: (url, init) => world.fetch(url, { ...init, signal: ended }),
    runCredentialCommand: (command, options) => world.runCredentialCommand(command, { ...options, ended }),
    keychain: {
      ...world.keychain,
      get: (account, limitMs) => world.keychain.get(account, limitMs, ended),
    },
    tokens: {
      ...world.tokens,
      async takeTurn(client, whose) {
        const turn = await world.tokens.takeTurn(client, whose);
        if (turn?.held) return { ...turn, release: (outcome) => turn.release(ended.aborted ? '' : outcome) };
        return turn && { ...turn, wait: (limitMs) => turn.wait(limitMs, ended) };
      },
    },
  };
}

const CREDENTIALS = ['GWTOKEN_CLIENT_', 'GWTOKEN_SANDBOX_CLIENT_'];

/**
 * gwtoken's own environment without the clients' credentials, and with these variables: those without a value are
 * removed, so that none of another client stays.
 */
function childEnvironment(
  env: Env,
  variables: readonly Variable[],
  platform: NodeJS.Platform,
): Record<string, string> {
  // Windows does not tell the names of variables apart by case.
  const same = (name: string): string => (platform === 'win32' ? name.toUpperCase() : name);
  const ours = new Set(variables.map(({ name }) => same(name)));
  const kept = Object.entries(env).filter(
    ([name]) => !ours.has(same(name)) && !CREDENTIALS.some((prefix) => same(name).startsWith(prefix)),
  );
  return Object.fromEntries(
    [...kept, ...variables.map(({ name, value }) => [name, value] as const)].filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    ),
  );
}
