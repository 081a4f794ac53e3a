/** The clockwork of a token file, on a clock that the test moves. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { startRenewal } from '../../src/commands/exec/renewal';
import { GwtokenError } from '../../src/errors';
import type { Token } from '../../src/token/token';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** On the test's clock. */
function after(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
}

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2030, 0, 1) });
});
afterEach(() => {
  const timers = vi.getTimerCount();
  vi.useRealTimers();
  // What is stopped leaves none, for which gwtoken would wait.
  expect(timers).toBe(0);
});

/** A renewal from a first token of some age; `next` gives the lifetime of each later one, or throws. */
function start(
  lifetimeS: number | undefined,
  next: () => { lifetimeS?: number | undefined; accessToken?: string } = () => ({}),
  ageS = 0,
) {
  const began = Date.now();
  const asked: number[] = [];
  const stored: string[] = [];
  const warnings: string[] = [];
  const pauses: number[] = [];
  let looks = 0;
  const token = (accessToken: string, seconds: number | undefined): Token => ({
    accessToken,
    tokenType: 'bearer',
    scope: '',
    requestedAtMs: Date.now(),
    lifetimeS: seconds,
  });
  const stop = startRenewal({
    first: { ...token('token-0', lifetimeS), requestedAtMs: began - ageS * SECOND },
    minTtlMs: undefined,
    async fetchFresh() {
      asked.push(Date.now() - began);
      const given = next();
      return token(
        given.accessToken ?? `token-${asked.length}`,
        'lifetimeS' in given ? given.lifetimeS : lifetimeS,
      );
    },
    store: ({ accessToken }) => stored.push(accessToken),
    looked: () => looks++,
    world: {
      warn: (text) => warnings.push(text),
      now: Date.now,
      after(ms, work) {
        pauses.push(ms);
        return after(ms, work);
      },
    },
  });
  return { asked, stored, warnings, pauses, stop, looks: () => looks };
}

describe('a token that lasts', () => {
  test('an hour is renewed five minutes before its end, each time', async () => {
    const { asked, stored, stop } = start(3600);
    await vi.advanceTimersByTimeAsync(3 * HOUR);
    expect(asked).toEqual([55 * MINUTE, 110 * MINUTE, 165 * MINUTE]);
    expect(stored).toEqual(['token-1', 'token-2', 'token-3']);
    stop();
  });

  test('a year is not requested at once, as a timer of that length would fire', async () => {
    const { asked, looks, stop } = start(365 * 24 * 3600);
    await vi.advanceTimersByTimeAsync(DAY);
    expect(asked).toEqual([]);
    expect(looks()).toBeGreaterThanOrEqual(DAY / (30 * SECOND) - 1);
    stop();
  });

  test('for an unknown time is not renewed, but its file is looked after', async () => {
    const { asked, looks, stop } = start(undefined);
    await vi.advanceTimersByTimeAsync(10 * MINUTE);
    expect(asked).toEqual([]);
    expect(looks()).toBe(20);
    stop();
  });

  test('for an unknown time after one with an expiry is not renewed', async () => {
    const { asked, stored, stop } = start(3600, () => ({ lifetimeS: undefined }));
    await vi.advanceTimersByTimeAsync(2 * HOUR);
    expect([asked, stored]).toEqual([[55 * MINUTE], ['token-1']]);
    stop();
  });

  test('for less than its minimum is renewed at once, without a negative pause', async () => {
    const { asked, pauses, stop } = start(3600, () => ({}), 3500);
    await vi.advanceTimersByTimeAsync(SECOND);
    expect([asked.length, pauses]).toEqual([1, [0, 30 * SECOND]]);
    stop();
  });
});

test('after a night asleep the token is renewed within 30 s of waking', async () => {
  const { asked, stop } = start(3600);
  await vi.advanceTimersByTimeAsync(MINUTE);
  // Timers stand still while a laptop sleeps; the clock does not.
  vi.setSystemTime(Date.now() + 8 * HOUR);
  await vi.advanceTimersByTimeAsync(30 * SECOND);
  expect(asked).toHaveLength(1);
  stop();
});

test('the same ageing token: repeated after half of what is left, at least 5 s, then 1 s', async () => {
  const expires = Date.now() + HOUR;
  const { asked, stored, stop } = start(3600, () => ({
    accessToken: 'token-0',
    lifetimeS: Math.max(1, Math.floor((expires - Date.now()) / 1000)),
  }));
  await vi.advanceTimersByTimeAsync(HOUR - 1);
  const left = asked.map((at) => (HOUR - at) / SECOND);
  expect(left[0]).toBe(300);
  for (const [index, next] of left.slice(1).entries()) {
    // As the endpoint tells it, in whole seconds.
    const seconds = Math.floor(left[index]!);
    expect(left[index]! - next).toBeCloseTo(Math.max(seconds > 5 ? 5 : 1, seconds / 2), 6);
  }
  expect(left.at(-1)).toBeLessThanOrEqual(1);
  expect(stored).toEqual([]);
  stop();
});

test('a new token that expires with the first one is repeated like the same one', async () => {
  const expires = Date.now() + 200 * SECOND;
  const { asked, stored, stop } = start(200, () => ({ lifetimeS: (expires - Date.now()) / SECOND }));
  await vi.advanceTimersByTimeAsync(200 * SECOND);
  // Half of what is left, 5 s at least until 5 s are left, then 1 s.
  expect(asked.map((at) => at / SECOND)).toEqual([160, 180, 190, 195, 197.5, 198.75, 199.75]);
  expect(stored).toEqual(asked.map((_, index) => `token-${index + 1}`));
  stop();
});

test('the same token rounded to expire up to 2 s later counts as no gain', async () => {
  const expires = Date.now() + HOUR;
  const gains = [2, 1, 0, 2, 2, 0, 1];
  let seemed = 0;
  const { asked, stored, stop } = start(3600, () => {
    // Never more than 2 s beyond what was said before.
    seemed += gains[asked.length % gains.length]!;
    return { accessToken: 'token-0', lifetimeS: Math.max(1, (expires - Date.now()) / SECOND + seemed) };
  });
  await vi.advanceTimersByTimeAsync(HOUR - 1);
  expect(asked.length).toBeGreaterThanOrEqual(6);
  expect(asked.length).toBeLessThanOrEqual(12);
  expect(stored).toEqual([]);
  stop();
});

describe('an outage', () => {
  test('is warned about once, and the next one once', async () => {
    let down = true;
    const { asked, stored, warnings, stop } = start(3600, () => {
      if (down) throw new GwtokenError('unreached', 'could not reach identity.example');
      return {};
    });
    await vi.advanceTimersByTimeAsync(2 * HOUR);
    expect(warnings).toEqual([
      'the token file keeps the last token, which expires at 2030-01-01T01:00:00.000Z, and is renewed as soon as that is possible: could not reach identity.example',
    ]);
    expect(stored).toEqual([]);
    // After half of what is left, and every 10 s once it has expired.
    expect(asked.map((at) => (HOUR - at) / SECOND).slice(0, 6)).toEqual([300, 150, 75, 37.5, 18.75, 9.375]);
    const pauses = asked.map((at, index) => at - (asked[index - 1] ?? at));
    expect(pauses.slice(-300).every((pause) => pause === 10 * SECOND)).toBe(true);

    down = false;
    await vi.advanceTimersByTimeAsync(10 * SECOND);
    expect(stored).toHaveLength(1);
    down = true;
    await vi.advanceTimersByTimeAsync(HOUR);
    expect(warnings).toHaveLength(2);
    stop();
  });

  test('that is a refusal is repeated every 5 minutes', async () => {
    const { asked, warnings, stop } = start(3600, () => {
      throw new GwtokenError('refused', 'identity.example refused these credentials');
    });
    await vi.advanceTimersByTimeAsync(HOUR + 30 * MINUTE);
    expect(warnings).toHaveLength(1);
    expect(asked).toEqual([55, 60, 65, 70, 75, 80, 85, 90].map((minutes) => minutes * MINUTE));
    stop();
  });

  test('of the disk counts too: a token that could not be stored is requested again', async () => {
    let full = true;
    const stored: string[] = [];
    const warnings: string[] = [];
    const token = { tokenType: 'bearer', scope: '', requestedAtMs: Date.now(), lifetimeS: 3600 };
    const stop = startRenewal({
      first: { ...token, accessToken: 'a' },
      minTtlMs: 30 * MINUTE,
      fetchFresh: async () => ({ ...token, accessToken: 'b', requestedAtMs: Date.now() }),
      store({ accessToken }) {
        if (full) throw new Error('ENOSPC');
        stored.push(accessToken);
      },
      looked() {},
      world: { warn: (text) => warnings.push(text), now: Date.now, after },
    });
    await vi.advanceTimersByTimeAsync(31 * MINUTE);
    expect(warnings).toHaveLength(1);
    full = false;
    await vi.advanceTimersByTimeAsync(15 * MINUTE);
    expect(stored).toEqual(['b']);
    stop();
  });
});

test('stopped, it requests, stores and warns no more', async () => {
  let answer = (): void => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const told: string[] = [];
  const token = { tokenType: 'bearer', scope: '', requestedAtMs: Date.now(), lifetimeS: 10 };
  const stop = startRenewal({
    first: { ...token, accessToken: 'a' },
    minTtlMs: undefined,
    fetchFresh: async () => held.then(() => ({ ...token, accessToken: 'b' })),
    store: ({ accessToken }) => told.push(accessToken),
    looked() {},
    world: { warn: (text) => told.push(text), now: Date.now, after },
  });
  await vi.advanceTimersByTimeAsync(8 * SECOND);
  stop();
  answer();
  await vi.advanceTimersByTimeAsync(HOUR);
  expect(told).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});
