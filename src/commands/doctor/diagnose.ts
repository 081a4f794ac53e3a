/** `gwtoken doctor` makes the selected client's next token request, and says of each step how it went. */

import { clientName } from '../../client';
import { GwtokenError } from '../../errors';
import { gather } from '../../settings/resolve';
import type { FlagValues } from '../../settings/table';
import { duration } from '../../text';
import { lookInCache } from '../../token/cache';
import { servesMeanwhile } from '../../token/get-token';
import { minTtlProblem, type Query } from '../../token/query';
import { secondsLeft, type Token } from '../../token/token';
import type { World } from '../../world';
import { selectedQuery, tokenOrNextSteps } from '../selected-token';
import { type Check, failed, passed, warning } from './check';
import { type Attempt, certificateText, clockChecks, currentStep, passedSteps } from './connection';
import { directoryCheck, variableChecks } from './machine';

/** What has been done so far, and the step that is next. */
interface Run {
  readonly checks: Check[];
  step: string;
  query?: Query;
  /** The last attempt of the token request. */
  attempt?: Attempt;
}

/** Runs each step as `get` does, until one fails: all that comes after it depends on it. */
export async function diagnose(flags: FlagValues, world: World): Promise<readonly Check[]> {
  const program = passed('gwtoken', `${world.version}, ${world.probes.system()}`);
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
  const settings: string[] = [];
  const query = selectedQuery(sources, { ...world, trace: (line) => settings.push(line) });
  for (const line of settings) world.trace(line);
  const changed = settings.filter((line) => !line.endsWith('(default)'));
  pass(run, [clientName(query.client), ...changed].join(', '));
  run.checks.push(await directoryCheck('config', world), await directoryCheck('cache', world));
  run.step = query.source.kind === 'keychain' ? 'keychain' : 'credentials';
  run.query = query;
  const uncached = { ...query, useCache: false };
  return (await tokenOrNextSteps(uncached, sources, watched(world, query, run))).token;
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
  const token = (lookInCache(query, world) ?? servesMeanwhile(query, error, world))?.token;
  if (!token || minTtlProblem(token, query, world.now())) return [];
  const left = duration(1000 * (secondsLeft(token, world.now()) ?? 0));
  return [warning('cache', `get still prints the cached token, which is valid for ${left} more`)];
}
