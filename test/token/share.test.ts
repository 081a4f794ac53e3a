/** The lock on a client's requests: who waits, who sends a request, and when. */
import { beforeEach, expect, test } from 'vitest';
import type { Lock } from '../../src/lock';
import type { Query, TokenAnswer } from '../../src/token/query';
import { shareRequest } from '../../src/token/share';
import { EU_KEY } from '../harness/homes/client';

const QUERY = { key: EU_KEY, source: { waitMs: 0 }, limitMs: 6000 } as unknown as Query;
const answer = (name: string) => ({ clientId: name }) as TokenAnswer;
const [NEW, CACHED] = [answer('new'), answer('cached')];

let nowMs: number;
let steps: string[];
let locks: (Lock | undefined)[];
const world = {
  tokens: {
    async acquireLock() {
      steps.push('lock');
      return locks.shift();
    },
  },
  trace() {},
  monotonicMs: () => nowMs,
} as unknown as Parameters<typeof shareRequest>[1];
beforeEach(() => {
  [nowMs, steps] = [0, []];
});

/** The locks and the cached tokens that one process finds, in turn. */
interface Found {
  readonly locks: readonly (Lock | undefined)[];
  readonly cached?: readonly TokenAnswer[];
}

/** Shares a request; notes its steps. */
function share(found: Found, query: Partial<Query> = {}) {
  locks = [...found.locks];
  const cached = [...(found.cached ?? [])];
  const findOutcome = () => {
    steps.push('find');
    return cached.shift();
  };
  const fetch = async (limitMs: number) => {
    steps.push(`fetch within ${limitMs}`);
    return NEW;
  };
  return shareRequest({ ...QUERY, ...query }, world, { findOutcome, fetch }).catch((error: unknown) => error);
}
const held = (): Lock => ({ held: true, isHeld: () => true, release: () => void steps.push('release') });
/** Returns another process's lock; the wait for it ends like this. */
const othersLock = (end: 'released' | 'late' = 'released', tookMs = 0): Lock => ({
  held: false,
  async wait(limitMs) {
    steps.push(`wait ${limitMs}`);
    nowMs += tookMs;
    return end;
  },
});

const RUNS: Readonly<Record<string, Found & { readonly steps: string }>> = {
  'a lock holder reads the cache again, then sends the request': {
    locks: [held()],
    steps: 'lock, find, fetch within 6000, release',
  },
  'a lock holder sends no request if another process has filled the cache': {
    locks: [held()],
    cached: [CACHED],
    steps: 'lock, find, release',
  },
  'a process that cannot use the lock sends the request': {
    locks: [undefined],
    steps: 'lock, find, fetch within 6000',
  },
  'a waiter uses the token that it then finds in the cache': {
    locks: [othersLock()],
    cached: [CACHED],
    steps: 'lock, wait 6000, find',
  },
  'a wait shortens the request': {
    locks: [othersLock('released', 2000), held()],
    steps: 'lock, wait 6000, find, lock, find, fetch within 4000, release',
  },
  'after two empty waits a process sends its own request': {
    locks: [othersLock(), othersLock()],
    steps: 'lock, wait 6000, find, lock, wait 6000, find, find, fetch within 6000',
  },
};
test.each(Object.entries(RUNS))('%s', async (_, run) => {
  const outcome = await share(run);
  expect([steps.join(', '), outcome]).toEqual([run.steps, run.cached ? CACHED : NEW]);
});

test('a cancelled lock holder sends no request and releases the lock', async () => {
  await share({ locks: [held()] }, { signal: AbortSignal.abort() });
  expect(steps).toEqual(['lock', 'release']);
});

test('a waiter that gives up reports the client and its waiting time', async () => {
  const source = { ...QUERY.source, waitMs: 10_000 };
  expect(await share({ locks: [othersLock('late')] }, { source })).toMatchObject({
    kind: 'unreached',
    message: 'waited 16 s for another gwtoken process to get the token for default:production:eu',
    hints: ['raise --timeout, or use --no-cache to not wait'],
  });
});
