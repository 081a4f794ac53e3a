/** The lock on a client's requests, and the outcomes that its holder shares. */
import { beforeEach, describe, expect, test } from 'vitest';
import { givenSource } from '../../src/credentials/sources';
import { GwtokenError } from '../../src/errors';
import { hmac } from '../../src/system/form';
import { ownerOf } from '../../src/token/cache';
import type { Query, TokenAnswer } from '../../src/token/query';
import { rethrowAndShare, shareRequest } from '../../src/token/share';
import type { Lock } from '../../src/world';
import { EU } from '../harness/homes/client';

const NOW = 1_900_000_000_000;
const CREDENTIALS = { clientId: 'id', clientSecret: 'canary-s3cret' };
const QUERY = {
  client: EU,
  authUrl: { value: 'https://a.test' },
  source: givenSource('the test', CREDENTIALS),
  limitMs: 6000,
  startedAtMs: NOW,
} as unknown as Query;
const answer = (name: string) => ({ clientId: name }) as TokenAnswer;
const [NEW, CACHED] = [answer('new'), answer('cached')];

let storedFailure: string;
let nowMs: number;
let steps: string[];
let locks: (Lock | undefined)[];
const world = {
  tokens: {
    read: () => ({ text: storedFailure }),
    async write(_: unknown, text: string) {
      storedFailure = text;
    },
    async acquireLock() {
      steps.push('lock');
      return locks.shift();
    },
  },
  trace() {},
  now: () => nowMs,
  monotonicMs: () => nowMs,
  hmac,
  clients: { read: () => ({}) },
} as unknown as Parameters<typeof shareRequest>[1];
beforeEach(() => {
  [storedFailure, nowMs, steps] = ['', NOW, []];
});

/** The locks and the cached tokens that one process gets, in turn. */
interface Found {
  readonly locks: readonly (Lock | undefined)[];
  readonly cached?: readonly TokenAnswer[];
}

/** Shares a request; notes its steps. */
function share(found: Found, query: Partial<Query> = {}) {
  locks = [...found.locks];
  const cached = [...(found.cached ?? [])];
  const readCache = () => {
    steps.push('read');
    return cached.shift();
  };
  const fetch = async (limitMs: number) => {
    steps.push(`fetch within ${limitMs}`);
    return NEW;
  };
  return shareRequest({ ...QUERY, ...query }, world, readCache, fetch).catch((error: unknown) => error);
}
const held = (): Lock => ({ held: true, isHeld: () => true, release: () => void steps.push('release') });
/** Returns another process's lock; the wait for it ends like this. */
const othersLock = (end: 'released' | 'dead' | 'late' = 'released', tookMs = 0): Lock => ({
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
    steps: 'lock, read, fetch within 6000, release',
  },
  'a lock holder sends no request if another process has filled the cache': {
    locks: [held()],
    cached: [CACHED],
    steps: 'lock, read, release',
  },
  'a process that cannot use the lock sends the request': {
    locks: [undefined],
    steps: 'lock, fetch within 6000',
  },
  'a waiter uses the token that it then finds in the cache': {
    locks: [othersLock()],
    cached: [CACHED],
    steps: 'lock, wait 6000, read',
  },
  'each wait shortens the next one and the request': {
    locks: [othersLock('released', 2000), othersLock('dead', 1000), held()],
    steps: 'lock, wait 6000, read, lock, wait 4000, read, lock, read, fetch within 3000, release',
  },
  'a wait for a dead lock holder does not count as empty': {
    locks: [othersLock('dead'), othersLock('dead'), othersLock(), held()],
    steps:
      'lock, wait 6000, read, lock, wait 6000, read, lock, wait 6000, read, lock, read, fetch within 6000, release',
  },
  'after two empty waits a process sends its own request': {
    locks: [othersLock(), othersLock()],
    steps: 'lock, wait 6000, read, lock, wait 6000, read, fetch within 6000',
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

describe('a failure', () => {
  const ERROR = new GwtokenError('unreached', 'no answer\u001b[2J', { reason: 'time-limit', retry: {} });
  const rethrow = (error: unknown, query = QUERY) =>
    expect(rethrowAndShare(error, query, ownerOf(query, 'salt', world), world, CREDENTIALS)).rejects.toBe(
      error,
    );
  const waiterGets = (query: Partial<Query> = {}) => share({ locks: [othersLock(), held()] }, query);

  test('is shared with processes that began before it', async () => {
    nowMs = NOW + 1000;
    await rethrow(ERROR);
    expect(storedFailure).not.toContain('canary');
    const shared = { kind: 'unreached', message: 'no answer\\u001b[2J', reason: 'time-limit', hints: [] };
    expect(await waiterGets()).toMatchObject(shared);
    expect(await waiterGets({ startedAtMs: nowMs + 1 })).toBe(NEW);
  });

  test('is not shared with another secret or auth URL', async () => {
    await rethrow(ERROR);
    expect(await waiterGets({ source: givenSource('', { ...CREDENTIALS, clientSecret: 'x' }) })).toBe(NEW);
    expect(await waiterGets({ authUrl: { ...QUERY.authUrl, value: 'https://b.test' } })).toBe(NEW);
  });

  test('is not shared if it is caused by this process alone', async () => {
    for (const kind of ['usage', 'local', 'unreached'] as const) await rethrow(new GwtokenError(kind, 'm'));
    await rethrow(new TypeError('m'));
    await rethrow(ERROR, { ...QUERY, signal: AbortSignal.abort() });
    expect(storedFailure).toBe('');
  });

  test('is not shared for a token that has just expired', async () => {
    await rethrow(new GwtokenError('bad-reply', 'm', { reason: 'just-expired', retry: { afterMs: 600 } }));
    expect(storedFailure).toBe('');
  });

  test.each(['', 'null', '{"owner":{"loginId":"g"},"atMs":1}'])(
    'is ignored if its file contains %j',
    async (text) => {
      storedFailure = text;
      expect(await waiterGets()).toBe(NEW);
    },
  );
});
