/** The selected client's token, for every command that needs one, or an error with its next steps. */

import { GwtokenError } from '../errors';
import { maskInLog } from '../formats/mask';
import { gather, settingLines, unknownKeys } from '../settings/resolve';
import type { FlagValues, Settings } from '../settings/table';
import { untilSignal } from '../signals';
import { warn } from '../text';
import { getToken } from '../token/get-token';
import { type Query, queryOf, type TokenAnswer } from '../token/query';
import type { World } from '../world';
import { strayVariables } from './stray-variables';

/** Gathers the settings, and warns of keys and variables that mean nothing. */
export function readSettings(flags: FlagValues, world: World): Settings {
  const settings = gather(flags, world);
  for (const text of [...unknownKeys(settings.config), ...strayVariables(world)]) warn(world, text);
  return settings;
}

/** Returns the query of the selected client. Throws a `usage` error for a missing or wrong setting. */
export function selectedQuery(settings: Settings, world: World): Query {
  for (const line of settingLines(settings)) world.trace(line);
  return queryOf(settings, world);
}

/**
 * Returns a valid token for the selected client, or with `--fresh` a new one, and masks it in the log of a
 * GitHub Actions job: every caller passes it on.
 */
export async function selectedToken(settings: Settings, world: World): Promise<TokenAnswer> {
  const answer = await tokenFor(selectedQuery(settings, world), world);
  maskInLog(answer.token.accessToken, world);
  return answer;
}

/** Returns a token for the query. Adds to an error the client that it is about. */
export async function tokenFor(query: Query, world: World): Promise<TokenAnswer> {
  try {
    return await getTokenInTerminal(query, world);
  } catch (error) {
    if (!(error instanceof GwtokenError)) throw error;
    const { key, authUrl } = query;
    // Only these parts of the source, because a command may contain a secret.
    const { kind, name } = query.source;
    throw error.about({ client: key.client, authUrl, source: { kind, name } });
  }
}

/** Gets a token under a spinner, until a signal. A credential command gets no spinner: it may prompt. */
async function getTokenInTerminal(query: Query, world: World): Promise<TokenAnswer> {
  if (query.source.kind === 'command')
    return untilSignal(world.onSignals, (signal) => getToken({ ...query, signal }, world));
  const label = 'requesting a token';
  return world.terminal.spin(label, (relabel, signal) => {
    const onRetry = (attempt: number): void => relabel(`${label} (attempt ${attempt} of ${query.attempts})`);
    return getToken({ ...query, onRetry, signal }, world);
  });
}
