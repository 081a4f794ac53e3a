/** The command `gwtoken doctor`: makes the selected client's next request, and says how each step went. */

import { clientName } from '../../client';
import { hideSecrets } from '../../credentials/variables';
import { EXIT_CODES, GwtokenError } from '../../errors';
import { gather, settingLines } from '../../settings/resolve';
import type { FlagValues } from '../../settings/table';
import { duration, oneLine } from '../../text';
import { lifeLeftMs, lookInCache, ownEntry } from '../../token/cache';
import { entryMeanwhile } from '../../token/get-token';
import { minTtlProblem, type Query } from '../../token/query';
import type { Token } from '../../token/token';
import type { World } from '../../world';
import { writeFindings } from '../report';
import { selectedQuery, selectedToken } from '../selected-token';
import {
  type Attempt,
  type Check,
  certificateText,
  clockChecks,
  currentStep,
  directoryCheck,
  failed,
  passed,
  passedSteps,
  variableChecks,
  warning,
} from './checks';

export async function showDiagnosis(flags: FlagValues, world: World): Promise<void> {
  const hide = (text: string): string => hideSecrets(text, world.env);
  const checks = (await diagnose(flags, world)).map((check) => ({
    ...check,
    message: hide(check.message),
    hints: check.hints.map(hide),
  }));
  const { name: failedStep, error } = checks.find((check) => check.error) ?? {};
  if (flags['json'] === true) {
    const report = {
      version: world.version,
      exit_code: error ? EXIT_CODES[error.kind] : 0,
      checks: checks.map(checkJson),
    };
    world.stdout.write(`${JSON.stringify(report)}\n`);
  } else {
    const width = Math.max(...checks.map(({ name }) => name.length));
    const lines = checks.map(({ name, message, ...rest }) => ({
      ...rest,
      message: `${name.padEnd(width)}  ${message}`,
    }));
    await writeFindings(lines, world);
  }
  if (!error) return;
  const message = `cannot get a new token: ${failedStep} failed (see above)`;
  throw new GwtokenError(error.kind, message, { detail: error.detail });
}

/** Returns a check as JSON; `exit_code` is null unless it failed. */
function checkJson({ name, result, message, hints, error }: Check): object {
  const exitCode = error ? EXIT_CODES[error.kind] : null;
  return { name, result, message: oneLine(message), hints: hints.map(oneLine), exit_code: exitCode };
}

/** The steps that have passed, and the one that is next. */
interface Run {
  readonly checks: Check[];
  step: string;
  query?: Query;
  /** The last attempt of the token request. */
  attempt?: Attempt;
}

/** Runs each step as `get` does, until one fails: all that comes after it depends on it. */
async function diagnose(flags: FlagValues, world: World): Promise<readonly Check[]> {
  const program = passed('gwtoken', `${world.version}, ${world.describeBuild()}`);
  const run: Run = { checks: [program, ...variableChecks(world)], step: 'settings' };
  const { checks } = run;
  try {
    const { lifetimeS } = await requestToken(flags, run, world);
    addConnection(run, world.now());
    const valid = lifetimeS === undefined ? '' : `, valid for ${duration(lifetimeS * 1000)}`;
    checks.push(passed(run.step, `token received${valid}`));
    if (run.attempt) checks.push(...clockChecks(run.attempt));
  } catch (error) {
    if (!(error instanceof GwtokenError)) throw error;
    addConnection(run, world.now(), error.reason);
    const tls = run.step === 'TLS' ? run.attempt?.tls : undefined;
    checks.push(failed(run.step, error, tls && ` (${certificateText(tls, world.now())})`));
    checks.push(...cachedToken(error, run.query, world));
  }
  return checks;
}

async function requestToken(flags: FlagValues, run: Run, world: World): Promise<Token> {
  const sources = gather(flags, world);
  const query = selectedQuery(sources, world);
  const { client } = query;
  pass(run, [clientName(client), ...settingLines(sources, client, false)].join(', '));
  run.checks.push(directoryCheck('config', world), directoryCheck('cache', world));
  run.step = query.source.kind === 'keychain' ? 'keychain' : 'credentials';
  run.query = query;
  const uncached = { ...query, useCache: false };
  return (await selectedToken(sources, watched(world, query, run), uncached)).token;
}

/** Returns a world that notes how far a request gets. */
function watched(world: World, { source }: Query, run: Run): World {
  return {
    ...world,
    keychain: {
      ...world.keychain,
      async get(...item) {
        const found = await world.keychain.get(...item);
        pass(run, 'answered', 'credentials');
        return found;
      },
    },
    async postForm(url, init) {
      if (run.attempt === undefined) pass(run, source.name, 'token request');
      const attempt: Attempt = { waitingFor: 'connect', startedAtMs: world.now() };
      run.attempt = attempt;
      const onProgress = (facts: Partial<Attempt>) => Object.assign(attempt, facts);
      const reply = await world.postForm(url, { ...init, onProgress });
      attempt.repliedAtMs = world.now();
      attempt.date = reply.headers.get('date');
      return reply;
    },
  };
}

function pass(run: Run, message: string, next = run.step): void {
  run.checks.push(passed(run.step, message));
  run.step = next;
}

/** Adds the steps of the connection that passed. */
function addConnection(run: Run, nowMs: number, reason?: string): void {
  if (run.attempt === undefined) return;
  const step = currentStep(run.attempt, reason);
  run.checks.push(...passedSteps(run.attempt, step, nowMs));
  run.step = step;
}

/** Says it if `get` prints a cached token in spite of the failure. */
function cachedToken(error: GwtokenError, query: Query | undefined, world: World): Check[] {
  if (!query?.useCache) return [];
  const entry = lookInCache(query, world) ? ownEntry(query, world) : entryMeanwhile(query, error, world);
  if (!entry || minTtlProblem(entry.token, query, world.now())) return [];
  const left = duration(lifeLeftMs(entry, world.now()));
  return [warning('cache', `get still prints the cached token, which is valid for ${left} more`)];
}
