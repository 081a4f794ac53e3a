/** The lock at the endpoint: who asks, what the holder leaves to the others, and what is believed of it. */
import { beforeEach, describe, expect, test } from 'vitest';
import { givenSource } from '../../src/credentials/sources';
import { GwtokenError } from '../../src/errors';
import { sha256 } from '../../src/system/form';
import type { Query, TokenAnswer } from '../../src/token/query';
import { leaveFailure, shareRequest } from '../../src/token/share';
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
const NEW = answer('new');
const CACHED = answer('cached');

let left: string;
let nowMs: number;
let generation: string;
beforeEach(() => {
  [left, nowMs, generation] = ['', NOW, 'g'];
});
const world = (locks: (Lock | undefined)[] = [], told: string[] = []) =>
  ({
    tokens: {
      read: () => ({ text: left, generation }),
      async write(_: unknown, text: string) {
        left = text;
      },
      acquireLock: async () => {
        told.push('lock');
        return locks.shift();
      },
    },
    trace: () => told.push('wait'),
    now: () => nowMs,
    monotonicMs: () => nowMs,
    sha256,
  }) as unknown as Parameters<typeof shareRequest>[1];

/** Plays the locks in their order, and tells what was done. */
async function play(
  locks: (Lock | undefined)[],
  looks: (TokenAnswer | undefined)[] = [],
  query: Query = QUERY,
) {
  const told: string[] = [];
  const look = () => {
    told.push('look');
    return looks.shift();
  };
  const fetch = async (limitMs: number) => {
    told.push(`fetch within ${limitMs}`);
    return NEW;
  };
  const outcome = await shareRequest(query, world(locks, told), look, fetch).catch((error: unknown) => error);
  return { outcome, told: told.join(', ') };
}

const held = (): Lock => ({ held: true, release: () => {} });
const another = (end: 'released' | 'late' = 'released', tookMs = 0): Lock => ({
  held: false,
  async wait() {
    nowMs += tookMs;
    return end;
  },
});

test.each<[string, (Lock | undefined)[], (TokenAnswer | undefined)[], string]>([
  ['a holder looks once more, and asks', [held()], [], 'lock, look, fetch within 6000'],
  ['a holder does not ask if another has filled the cache', [held()], [CACHED], 'lock, look'],
  ['without locks everybody asks', [undefined], [], 'lock, fetch within 6000'],
  ['a waiter takes what is in the cache then', [another()], [CACHED], 'lock, wait, look'],
  [
    'a waiter that finds nothing wants the lock, and has the time that is left',
    [another('released', 2000), held()],
    [],
    'lock, wait, look, lock, look, fetch within 4000',
  ],
  [
    'who comes away empty twice asks for itself',
    [another(), another()],
    [],
    'lock, wait, look, lock, wait, look, fetch within 6000',
  ],
])('%s', async (_, locks, looks, told) => {
  const { outcome, ...seen } = await play(locks, looks);
  expect([seen.told, outcome]).toEqual([told, told.includes('fetch') ? NEW : CACHED]);
});

test('a waiter says whom it has waited for, and how long: also for a keychain', async () => {
  const source = { ...QUERY.source, waitMs: 10_000 };
  expect((await play([another('late')], [], { ...QUERY, source })).outcome).toMatchObject({
    kind: 'unreached',
    message: 'waited 16 s for another gwtoken process to get the token for default:production:eu',
    hints: ['raise --timeout, or use --no-cache to not wait'],
  });
});

describe('a failure', () => {
  const ERROR = new GwtokenError('unreached', 'no answer\u001b[2J', { reason: 'time-limit' });
  const leave = (error: unknown, query = QUERY) =>
    leaveFailure(error, { query, generation, sent: CREDENTIALS }, world());
  const seenBy = async (query: Partial<Query> = {}) =>
    (await play([another(), held()], [], { ...QUERY, ...query })).outcome;

  test('is that of those who began before it, without control characters or a secret', async () => {
    nowMs = NOW + 1000;
    await leave(ERROR);
    expect(left).not.toContain('canary');
    expect(await seenBy()).toMatchObject({
      kind: 'unreached',
      message: 'no answer\\u001b[2J',
      reason: 'time-limit',
      hints: [],
    });
    expect(await seenBy({ startedAtMs: nowMs + 1 })).toBe(NEW);
  });

  test('is nobody else’s: of another secret, address or generation', async () => {
    await leave(ERROR);
    expect(await seenBy({ source: givenSource('', { ...CREDENTIALS, clientSecret: 'x' }) })).toBe(NEW);
    expect(await seenBy({ authUrl: { ...QUERY.authUrl, value: 'https://b.test' } })).toBe(NEW);
    generation = 'h';
    expect(await seenBy()).toBe(NEW);
  });

  test.each([
    ['a fault of its own flags', new GwtokenError('usage', 'm')],
    ['a fault of its own disk', new GwtokenError('local', 'm')],
    ['a bug', new TypeError('m')],
  ])('that is %s is not left', async (_, error) => {
    await leave(error);
    expect(left).toBe('');
  });

  test('of a cancelled request is not left', async () => {
    await leave(ERROR, { ...QUERY, signal: AbortSignal.abort() });
    expect(left).toBe('');
  });

  test.each(['', 'null', '{"owner":{}}', '{"owner":{"generation":"g"},"atMs":1}'])(
    'that is %j is none',
    async (text) => {
      left = text;
      expect(await seenBy()).toBe(NEW);
    },
  );
});
