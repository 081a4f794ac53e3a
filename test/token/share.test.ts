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

let left: string;
let nowMs: number;
let generation: string;
let told: string[];
let locks: (Lock | undefined)[];
const world = {
  tokens: {
    read: () => ({ text: left, generation }),
    async write(_: unknown, text: string) {
      left = text;
    },
    async acquireLock() {
      told.push('lock');
      return locks.shift();
    },
  },
  trace: () => told.push('wait'),
  now: () => nowMs,
  monotonicMs: () => nowMs,
  hmac,
} as unknown as Parameters<typeof shareRequest>[1];
beforeEach(() => {
  [left, nowMs, generation, told] = ['', NOW, 'g', []];
});

/** Plays the locks in their order. `told` lists the steps. */
function play(inTurn: typeof locks, cached: (TokenAnswer | undefined)[] = [], query: Partial<Query> = {}) {
  locks = inTurn;
  const readCache = () => {
    told.push('read');
    return cached.shift();
  };
  const fetch = async (limitMs: number) => {
    told.push(`fetch within ${limitMs}`);
    return NEW;
  };
  return shareRequest({ ...QUERY, ...query }, world, readCache, fetch).catch((error: unknown) => error);
}
const held = (): Lock => ({ held: true, release: () => told.push('release') });
const another = (end: 'released' | 'dead' | 'late' = 'released', tookMs = 0): Lock => ({
  held: false,
  async wait() {
    nowMs += tookMs;
    return end;
  },
});

test.each<[string, (Lock | undefined)[], (TokenAnswer | undefined)[], string]>([
  [
    'a lock holder reads the cache again, then sends the request',
    [held()],
    [],
    'lock, read, fetch within 6000, release',
  ],
  [
    'a lock holder sends no request if another process has filled the cache',
    [held()],
    [CACHED],
    'lock, read, release',
  ],
  ['a process that can have no lock sends the request', [undefined], [], 'lock, fetch within 6000'],
  ['a waiter uses the token that it then finds in the cache', [another()], [CACHED], 'lock, wait, read'],
  [
    'a waiter that finds nothing takes the lock, with the time that is left',
    [another('released', 2000), held()],
    [],
    'lock, wait, read, lock, read, fetch within 4000, release',
  ],
  [
    'a wait for a dead lock holder does not count as empty',
    [another('dead'), another('dead'), another(), held()],
    [],
    'lock, wait, read, lock, wait, read, lock, wait, read, lock, read, fetch within 6000, release',
  ],
  [
    'after two empty waits a process sends its own request',
    [another(), another()],
    [],
    'lock, wait, read, lock, wait, read, fetch within 6000',
  ],
])('%s', async (_, inTurn, cached, steps) => {
  const outcome = await play(inTurn, cached);
  expect([told.join(', '), outcome]).toEqual([steps, steps.includes('fetch') ? NEW : CACHED]);
});

test('a cancelled lock holder sends no request and releases the lock', async () => {
  await play([held()], [], { signal: AbortSignal.abort() });
  expect(told).toEqual(['lock', 'release']);
});

test('a waiter that gives up reports the client and its waiting time', async () => {
  const source = { ...QUERY.source, waitMs: 10_000 };
  expect(await play([another('late')], [], { source })).toMatchObject({
    kind: 'unreached',
    message: 'waited 16 s for another gwtoken process to get the token for default:production:eu',
    hints: ['raise --timeout, or use --no-cache to not wait'],
  });
});

describe('a failure', () => {
  const ERROR = new GwtokenError('unreached', 'no answer\u001b[2J', { reason: 'time-limit', retry: {} });
  const leave = (error: unknown, query = QUERY) =>
    expect(
      rethrowAndShare(
        error,
        query,
        ownerOf(query, generation, { hmac, salt: () => 'salt' }),
        world,
        CREDENTIALS,
      ),
    ).rejects.toBe(error);
  const seenBy = (query: Partial<Query> = {}) => play([another(), held()], [], query);

  test('is shared with processes that began before it', async () => {
    nowMs = NOW + 1000;
    await leave(ERROR);
    expect(left).not.toContain('canary');
    const shared = { kind: 'unreached', message: 'no answer\\u001b[2J', reason: 'time-limit', hints: [] };
    expect(await seenBy()).toMatchObject(shared);
    expect(await seenBy({ startedAtMs: nowMs + 1 })).toBe(NEW);
  });

  test('is not shared with another secret, auth URL or generation', async () => {
    await leave(ERROR);
    expect(await seenBy({ source: givenSource('', { ...CREDENTIALS, clientSecret: 'x' }) })).toBe(NEW);
    expect(await seenBy({ authUrl: { ...QUERY.authUrl, value: 'https://b.test' } })).toBe(NEW);
    generation = 'h';
    expect(await seenBy()).toBe(NEW);
  });

  test('is not shared if it is caused by this process alone', async () => {
    for (const kind of ['usage', 'local', 'unreached'] as const) await leave(new GwtokenError(kind, 'm'));
    await leave(new TypeError('m'));
    await leave(ERROR, { ...QUERY, signal: AbortSignal.abort() });
    expect(left).toBe('');
  });

  test('is not shared for a token that has just expired', async () => {
    await leave(new GwtokenError('bad-reply', 'm', { reason: 'just-expired', retry: { afterMs: 600 } }));
    expect(left).toBe('');
  });

  test.each(['', 'null', '{"owner":{"generation":"g"},"atMs":1}'])(
    'is ignored if its file contains %j',
    async (text) => {
      left = text;
      expect(await seenBy()).toBe(NEW);
    },
  );
});
