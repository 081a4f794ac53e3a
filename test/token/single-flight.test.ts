/** The lock at the endpoint: who asks, what the holder tells the others, and what is believed of it. */
import { describe, expect, test } from 'vitest';
import type { Client } from '../../src/client';
import { GwtokenError } from '../../src/errors';
import { sharedBy } from '../../src/token/cache';
import type { Query, TokenAnswer } from '../../src/token/query';
import { shareRequest } from '../../src/token/single-flight';
import type { Lock, Waited } from '../../src/world';
import { EU } from '../harness/homes/client';

const QUERY = {
  client: EU,
  authUrl: { value: 'https://a.test', source: { kind: 'config', name: 'auth-url in /c.json' } },
  source: { kind: 'keychain', name: 'the test', identity: '' },
  timeoutMs: 2000,
  attempts: 3,
  limitMs: 6000,
} as unknown as Query;

const OF_QUERY = sharedBy(QUERY, 'g');

const answer = (name: string) => ({ clientId: name }) as TokenAnswer;
const NEW = answer('new');
const CACHED = answer('cached');

interface Played {
  readonly locks: readonly (Lock | undefined)[];
  /** What the cache has at each look. */
  readonly looks?: readonly (TokenAnswer | undefined)[];
  readonly error?: unknown;
}

/** Plays the locks in their order, and tells what was done. */
async function play({ locks, looks = [], error }: Played, query = QUERY) {
  const told: string[] = [];
  const left = [...locks];
  const inCache = [...looks];
  const world = {
    tokens: {
      read: () => ({ generation: 'g' }),
      acquireLock: async (client: Client, whose: string) => {
        told.push(client === EU && whose === OF_QUERY ? 'lock' : `lock of ${whose}`);
        return left.shift();
      },
    },
    trace: (line: string) => told.push(line),
  } as unknown as Parameters<typeof shareRequest>[1];
  const outcome = await shareRequest(query, world, {
    look() {
      told.push('look');
      return inCache.shift();
    },
    async fetch() {
      told.push('fetch');
      if (error) throw error;
      return { answer: NEW, isShared: true };
    },
  }).catch((thrown: unknown) => thrown);
  return { outcome, told };
}

function holding() {
  const released: string[] = [];
  const release = (outcome = '') => released.push(outcome);
  const lock: Lock = { held: true, startClock: () => {}, release };
  return { lock, released };
}

function waiting(text: string, end: Waited['end'] = 'released', countedMs = 0) {
  const limits: number[] = [];
  const lock: Lock = {
    held: false,
    async wait(limitMs) {
      limits.push(limitMs);
      return { end, text, countedMs };
    },
  };
  return { lock, limits };
}

const WAITS = 'waiting for another gwtoken process to get this token';

describe('who has the lock', () => {
  test('looks once more, asks, and tells the others nothing: the token is in the cache', async () => {
    const { lock, released } = holding();
    expect(await play({ locks: [lock] })).toEqual({ outcome: NEW, told: ['lock', 'look', 'fetch'] });
    expect(released).toEqual(['']);
  });

  test('does not ask when another has just filled the cache', async () => {
    const { lock, released } = holding();
    expect(await play({ locks: [lock], looks: [CACHED] })).toEqual({
      outcome: CACHED,
      told: ['lock', 'look'],
    });
    expect(released).toEqual(['']);
  });

  test('tells a failure by its kind, its sentence and its reason, cut to a thousand characters', async () => {
    const { lock, released } = holding();
    const error = new GwtokenError('refused', 'm'.repeat(1001), {
      hints: ['a hint'],
      detail: 'a detail',
      reason: 'invalid_client',
    });
    expect((await play({ locks: [lock], error })).outcome).toBe(error);
    expect(released.map((text) => JSON.parse(text))).toEqual([
      { failure: { kind: 'refused', message: 'm'.repeat(1000), reason: 'invalid_client' } },
    ]);
  });

  test('tells what was tried before a failure that is worth a retry', async () => {
    const { lock, released } = holding();
    await play({ locks: [lock], error: new GwtokenError('unreached', 'm') });
    expect(JSON.parse(released[0] ?? '')).toEqual({
      failure: { kind: 'unreached', message: 'm', tried: { attempts: 3, limitMs: 6000, timeoutMs: 2000 } },
    });
  });

  test.each([
    ['a fault of its own flags', new GwtokenError('usage', 'm')],
    ['a fault of its own disk', new GwtokenError('local', 'm')],
    ['a bug', new TypeError('m')],
  ])('keeps %s to itself, and lets go of the lock', async (_, error) => {
    const { lock, released } = holding();
    expect((await play({ locks: [lock], error })).outcome).toBe(error);
    expect(released).toEqual(['']);
  });

  test('where there can be no locks everybody asks', async () => {
    expect(await play({ locks: [undefined] })).toEqual({ outcome: NEW, told: ['lock', 'fetch'] });
  });
});

describe('who waits', () => {
  test('takes what is in the cache then, and waits no longer than its own deadline', async () => {
    const { lock, limits } = waiting('');
    expect(await play({ locks: [lock], looks: [CACHED] })).toEqual({
      outcome: CACHED,
      told: ['lock', WAITS, 'look'],
    });
    expect(limits).toEqual([6000]);
  });

  test('asks itself, without another lock, for a token that is not shared', async () => {
    const { lock } = waiting('{"unshared":true}');
    expect(await play({ locks: [lock] })).toEqual({ outcome: NEW, told: ['lock', WAITS, 'look', 'fetch'] });
  });

  test.each(['', '{"unshared":1}', 'null'])('wants the lock when the holder left %j', async (text) => {
    const { outcome, told } = await play({ locks: [waiting(text).lock, holding().lock] });
    expect(outcome).toBe(NEW);
    expect(told).toEqual(['lock', WAITS, 'look', 'lock', 'look', 'fetch']);
  });

  test('asks itself, without another lock, if it comes away empty twice or a dead lock stays', async () => {
    const twice = [waiting('').lock, waiting('').lock];
    expect((await play({ locks: twice })).told).toEqual([
      'lock',
      WAITS,
      'look',
      'lock',
      WAITS,
      'look',
      'fetch',
    ]);
    const stays = waiting('', 'without').lock;
    expect((await play({ locks: [stays] })).told).toEqual(['lock', WAITS, 'look', 'fetch']);
  });

  test.each([
    [{ attempts: 3, limitMs: 5000, timeoutMs: 2000 }, 'takes'],
    [{ attempts: 2, limitMs: 6000, timeoutMs: 2000 }, 'does not take'],
    [{ attempts: 3, limitMs: 4999, timeoutMs: 2000 }, 'does not take'],
    [{ attempts: 3, limitMs: 6000, timeoutMs: 1999 }, 'does not take'],
  ])('of a holder that had %j it %s a failure that is worth a retry', async (tried, does) => {
    const failure = { kind: 'unreached', message: 'm', tried };
    const { lock } = waiting(JSON.stringify({ failure }), 'released', 1000);
    const { outcome } = await play({ locks: [lock, holding().lock] });
    expect(outcome === NEW ? 'does not take' : 'takes').toBe(does);
  });

  test('says whom it has waited for, and how long, when its time is up', async () => {
    const { outcome } = await play({ locks: [waiting('', 'late').lock] });
    expect(outcome).toMatchObject({
      kind: 'unreached',
      message: 'waited 6 s for another gwtoken process to get the token for default:production:eu',
      hints: ['raise --timeout, or use --no-cache to not wait'],
    });
  });

  const failed = async (failure: unknown, query = QUERY) => {
    const { lock } = waiting(JSON.stringify({ failure }));
    return (await play({ locks: [lock, holding().lock] }, query)).outcome;
  };

  test('takes the failure as its own', async () => {
    expect(await failed({ kind: 'refused', message: 'it said no', reason: 'invalid_client' })).toMatchObject({
      kind: 'refused',
      message: 'it said no',
      reason: 'invalid_client',
      hints: [],
      ofAnotherProcess: true,
    });
    expect(await failed({ kind: 'unreached', message: 'a\u001b[2J\nb', reason: 1 })).toMatchObject({
      message: 'a\\u001b[2J\\u000ab',
      reason: undefined,
    });
  });

  test.each([
    [{ kind: 'usage', message: 'm' }],
    [{ kind: 'local', message: 'm' }],
    [{ kind: 'unknown', message: 'm' }],
    [{ kind: 'refused', message: ['m'] }],
    [null],
  ])('believes no failure that is none: %#', async (failure) => {
    expect(await failed(failure)).toBe(NEW);
  });
});
