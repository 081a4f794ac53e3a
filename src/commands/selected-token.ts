/** The selected client's token, for every command that needs one, or an error with its next steps. */
import { GwtokenError } from '../errors';
import { maskInLog } from '../formats/mask';
import { warn } from '../note';
import { gather, settingLines, unknownKeys } from '../settings/resolve';
import type { FlagValues, Settings } from '../settings/table';
import { untilSignal } from '../signals';
import { getToken } from '../token/get-token';
import { type Query, queryOf, type TokenAnswer } from '../token/query';
import type { World } from '../world';
import { strayVariables } from './stray-variables';

/** Gathers and traces the settings, and reports keys and variables that mean nothing. */
export function readSettings(
  flags: FlagValues,
  world: World,
  report = (warning: string): void => warn(world, warning),
): Settings {
  const settings = gather(flags, world);
  for (const warning of [...unknownKeys(settings.config), ...strayVariables(world)]) report(warning);
  for (const line of settingLines(settings)) world.trace(line);
  return settings;
}

/**
 * Returns a valid token for the selected client, or with `--fresh` a new one, and masks it in the log of a
 * GitHub Actions job: every caller passes it on.
 */
export async function selectedToken(settings: Settings, world: World): Promise<TokenAnswer> {
  const answer = await tokenFor(queryOf(settings, world), world);
  maskInLog(answer.token.accessToken, world);
  return answer;
}

/** Gets a token under a spinner, until a signal. Adds to an error the source of the credentials. */
export async function tokenFor(query: Query, world: World): Promise<TokenAnswer> {
  const { source } = query;
  const work = (signal: AbortSignal): Promise<TokenAnswer> => getToken({ ...query, signal }, world);
  try {
    // A credential command may prompt, so it gets no spinner.
    if (source.kind === 'command') return await untilSignal(world.onSignals, work);
    return await world.terminal.spin('requesting a token', work);
  } catch (error) {
    if (!(error instanceof GwtokenError)) throw error;
    // Only these parts of the source, because a command may contain a secret.
    const { kind, name } = source;
    throw error.with({ source: { kind, name } });
  }
}
