/** The command `gwtoken doctor`: makes the selected client's next request and reports each step. */

import { clientName } from '../../client';
import { hideSecrets } from '../../credentials/variables';
import { GwtokenError } from '../../errors';
import { hintsFor } from '../../hints/hints';
import { gather, settingLines, unknownKeys } from '../../settings/resolve';
import type { FlagValues } from '../../settings/table';
import { duration, oneLine } from '../../text';
import { lifeLeftMs, mayAnswer, ownEntry } from '../../token/cache';
import { servesDuringOutage } from '../../token/get-token';
import { minTtlProblem, type Query } from '../../token/query';
import type { World } from '../../world';
import { writeFindings } from '../report';
import { selectedQuery, tokenFor } from '../selected-token';
import { type Check, clockCheck, type Progress, passed, stepChecks, variableChecks, warning } from './checks';

export async function showDiagnosis(flags: FlagValues, world: World): Promise<void> {
  const safe = (text: string): string => oneLine(hideSecrets(text, world.env));
  const { progress, error: failed } = await tryRequest(flags, world);
  const checks = checksOf(progress, failed, world).map(({ cause, ...check }) => ({
    ...check,
    message: safe(check.message),
    hints: hintsFor(check.error ?? { cause }, world, progress.settings).map(safe),
  }));
  const failure = checks.find(({ error }) => error);
  if (flags.json) {
    const shown = checks.map(({ error, ...check }) => ({ ...check, exit_code: error?.exitCode ?? null }));
    const report = { version: world.version, exit_code: failure?.error?.exitCode ?? 0, checks: shown };
    world.stdout.write(`${JSON.stringify(report)}\n`);
  } else {
    const width = Math.max(...checks.map(({ name }) => name.length));
    const lines = checks.map((check) => ({
      ...check,
      message: `${check.name.padEnd(width)}  ${check.message}`,
    }));
    await writeFindings(lines, world);
  }
  if (!failure?.error) return;
  const { kind, detail } = failure.error;
  throw new GwtokenError(kind, `cannot get a new token: ${failure.name} failed (see above)`, undefined, {
    detail,
  });
}

/** Returns a check for each step of the request up to the one that failed with the error. */
function checksOf(progress: Progress, error: GwtokenError | undefined, world: World): readonly Check[] {
  return [
    passed('gwtoken', `${world.version}, ${world.describeBuild()}`),
    ...variableChecks(world),
    ...(progress.settings ? unknownKeys(progress.settings.config) : []).map((text) =>
      warning('config file', text),
    ),
    ...stepChecks(progress, error, world),
    ...cacheWarning(error, progress.query, world),
  ];
}

/** Requests a token as `get` does without a cached one. Returns the progress, and the error of a failure. */
async function tryRequest(
  flags: FlagValues,
  world: World,
): Promise<{ readonly progress: Progress; readonly error?: GwtokenError }> {
  let progress: Progress = { waitingFor: 'settings' };
  const report = (facts: Partial<Progress>): void => {
    progress = { ...progress, ...facts };
  };
  try {
    const settings = gather(flags, world);
    report({ settings });
    const query = selectedQuery(settings, world);
    const lines = [clientName(query.client), ...settingLines(settings, false)];
    report({ waitingFor: 'credentials', lines, query });
    const { token } = await tokenFor({ ...query, useCache: false }, watchedWorld(world, report));
    report({ token });
    return { progress };
  } catch (error) {
    if (error instanceof GwtokenError) return { progress, error };
    throw error;
  }
}

/** Returns a world that reports the progress of a request. */
function watchedWorld(world: World, report: (facts: Partial<Progress>) => void): World {
  return {
    ...world,
    keychain: {
      ...world.keychain,
      async get(...item) {
        report({ waitingFor: 'keychain' });
        const found = await world.keychain.get(...item);
        report({ waitingFor: 'credentials', keychain: passed('keychain', 'answered') });
        return found;
      },
    },
    async postForm(url, init) {
      // The wire first reads the proxy's URL and the CA file, before it reports its first step.
      report({ waitingFor: 'settings' });
      const startedAtMs = world.now();
      const reply = await world.postForm(url, { ...init, onProgress: report });
      report({ clock: clockCheck(reply.headers.get('date'), startedAtMs, world.now()) });
      return reply;
    },
  };
}

/** Returns a warning if `get` still prints a cached token despite the failure. */
function cacheWarning(error: GwtokenError | undefined, query: Query | undefined, world: World): Check[] {
  if (!error || !query?.useCache) return [];
  // `get` prints a usable token in any case, and one with some time left during an outage.
  const entry = ownEntry(query, world);
  const nowMs = world.now();
  const isPrinted = entry && (mayAnswer(entry, query, nowMs) || servesDuringOutage(entry, error, nowMs));
  if (!isPrinted || minTtlProblem(entry.token, query, nowMs)) return [];
  const left = duration(lifeLeftMs(entry, nowMs));
  return [warning('cache', `get still prints the cached token, which is valid for ${left} more`)];
}
