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
    warn: (text) => warnings.push(text),
    now: Date.now,
    after(ms, work) {
      pauses.push(ms);
      return after(ms, work);
    },
  });
  return { asked, stored, warnings, pauses, stop, looks: () => looks };
}

describe('a token that lives', () => {
  test('an hour is renewed five minutes before its end, each time', async () => {
    const { asked, stored, stop } = start(3600);
    await vi.advanceTimersByTimeAsync(3 * HOUR);
    expect(asked).toEqual([55 * MINUTE, 110 * MINUTE, 165 * MINUTE]);
    expect(stored).toEqual(['token-1', 'token-2', 'token-3']);
    stop();
  });

  test('a second is asked for once a second', async () => {
    const { asked, stop } = start(1);
    await vi.advanceTimersByTimeAsync(10 * SECOND);
    expect(asked).toEqual(Array.from({ length: 10 }, (_, index) => 800 + index * SECOND));
    stop();
  });

  test('a year is not asked for at once: a timer of that length would fire immediately', async () => {
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

  test('for an unknown time in the place of one that told its end is not renewed', async () => {
    const { asked, stored, stop } = start(3600, () => ({ lifetimeS: undefined }));
    await vi.advanceTimersByTimeAsync(2 * HOUR);
    expect([asked, stored]).toEqual([[55 * MINUTE], ['token-1']]);
    stop();
  });

  test('for less than its minimum when it begins is renewed at once, which is no negative pause', async () => {
    const { asked, pauses, stop } = start(3600, () => ({}), 3500);
    await vi.advanceTimersByTimeAsync(SECOND);
    expect([asked.length, pauses]).toEqual([1, [0, 30 * SECOND]]);
    stop();
  });
});

describe('the wall clock decides', () => {
  test('after a night asleep the token is renewed within 30 s of waking', async () => {
    const { asked, stop } = start(3600);
    await vi.advanceTimersByTimeAsync(MINUTE);
    // Timers stand still while a laptop sleeps; the clock does not.
    vi.setSystemTime(Date.now() + 8 * HOUR);
    await vi.advanceTimersByTimeAsync(30 * SECOND);
    expect(asked).toHaveLength(1);
    stop();
  });

  test('set back before the token was asked for, nothing that was reckoned from it holds', async () => {
    const { asked, stop } = start(3600);
    await vi.advanceTimersByTimeAsync(MINUTE);
    vi.setSystemTime(Date.now() - 2 * HOUR);
    await vi.advanceTimersByTimeAsync(30 * SECOND);
    expect(asked).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(10 * MINUTE);
    expect(asked).toHaveLength(1);
    stop();
  });
});

test('a clock set back under a token that tells no end: one that comes then is not asked for again', async () => {
  const { asked, stop } = start(undefined);
  vi.setSystemTime(Date.now() - HOUR);
  await vi.advanceTimersByTimeAsync(10 * MINUTE);
  expect(asked).toHaveLength(1);
  stop();
});

test('a clock set back by a second is a small correction, and by more than that the token is renewed', async () => {
  for (const [backMs, times] of [
    [SECOND, 0],
    [SECOND + 1, 1],
  ] as const) {
    const { asked, stop } = start(3600);
    await vi.advanceTimersByTimeAsync(MINUTE);
    // The next look is half a minute later by the timers, and by the clock so much earlier than the last one.
    vi.setSystemTime(Date.now() - 30 * SECOND - backMs);
    await vi.advanceTimersByTimeAsync(30 * SECOND);
    expect(asked).toHaveLength(times);
    stop();
  }
});

test('the same ageing token again: after half of what is left, 5 s at least while that is left, then 1 s', async () => {
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

test('a new token each time that expires when the first one does is no gain either', async () => {
  const expires = Date.now() + 200 * SECOND;
  const { asked, stored, stop } = start(200, () => ({ lifetimeS: (expires - Date.now()) / SECOND }));
  await vi.advanceTimersByTimeAsync(200 * SECOND);
  // Half of what is left, 5 s at least until 5 s are left, then 1 s.
  expect(asked.map((at) => at / SECOND)).toEqual([160, 180, 190, 195, 197.5, 198.75, 199.75]);
  expect(stored).toEqual(asked.map((_, index) => `token-${index + 1}`));
  stop();
});

test('the same token reckoned anew seems to live up to 2 s longer, and is not asked for every second', async () => {
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

test('an endpoint that gives a new token only when the old one has expired leaves the file expired for a second at most', async () => {
  const lifetimeS = 20;
  let issuedMs = Date.now();
  let number = 0;
  const { asked, stored, stop } = start(lifetimeS, () => {
    if (Date.now() >= issuedMs + lifetimeS * SECOND) {
      issuedMs = Date.now();
      number++;
    }
    const leftS = Math.max(1, Math.floor(issuedMs / SECOND + lifetimeS - Date.now() / SECOND));
    return { accessToken: `token-${number}`, lifetimeS: leftS };
  });
  await vi.advanceTimersByTimeAsync(HOUR);
  const cycles = HOUR / SECOND / (lifetimeS + 1);
  expect(stored.length).toBeGreaterThanOrEqual(Math.floor(cycles));
  // Some 8 for each token, and not one a millisecond.
  expect(asked.length / stored.length).toBeLessThan(10);
  stop();
});

describe('an outage', () => {
  test('is warned about once, then again only for the next one', async () => {
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
    const pauses = asked.map((at, index) => at - (asked[index - 1] ?? at)).slice(1);
    // Every 30 s while there is time, closer as the end comes, every 10 s after it.
    expect(Math.max(...pauses)).toBe(30 * SECOND);
    expect(Math.min(...pauses)).toBe(5 * SECOND);
    expect(pauses.slice(-300).every((pause) => pause === 10 * SECOND)).toBe(true);

    down = false;
    await vi.advanceTimersByTimeAsync(10 * SECOND);
    expect(stored).toHaveLength(1);
    down = true;
    await vi.advanceTimersByTimeAsync(HOUR);
    expect(warnings.slice(1)).toEqual([
      'the token file keeps the last token, which expires at 2030-01-01T03:00:02.500Z, and is renewed as soon as that is possible: could not reach identity.example',
    ]);
    stop();
  });

  test('names no expiry where the endpoint tells none', async () => {
    const { asked, warnings, stop } = start(undefined, () => {
      throw new GwtokenError('unreached', 'could not reach identity.example');
    });
    vi.setSystemTime(Date.now() - HOUR);
    await vi.advanceTimersByTimeAsync(MINUTE);
    // From the next look on, as one that has expired.
    expect(asked.map((at) => (at + HOUR) / SECOND)).toEqual([30, 40, 50, 60]);
    expect(warnings).toEqual([
      'the token file keeps the last token, and is renewed as soon as that is possible: could not reach identity.example',
    ]);
    stop();
  });

  test('that is a refusal is not repeated so soon', async () => {
    const { asked, warnings, stop } = start(3600, () => {
      throw new GwtokenError('refused', 'identity.example refused these credentials');
    });
    await vi.advanceTimersByTimeAsync(HOUR + 30 * MINUTE);
    expect(warnings).toHaveLength(1);
    expect(asked).toEqual([55, 60, 65, 70, 75, 80, 85, 90].map((minutes) => minutes * MINUTE));
    stop();
  });

  test('of the disk counts too: a token that could not be stored is asked for again', async () => {
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
      warn: (text) => warnings.push(text),
      now: Date.now,
      after,
    });
    await vi.advanceTimersByTimeAsync(31 * MINUTE);
    expect(warnings).toHaveLength(1);
    full = false;
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(stored).toEqual(['b']);
    stop();
  });
});

test('stopped, it asks, stores and warns no more', async () => {
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
    warn: (text) => told.push(text),
    now: Date.now,
    after,
  });
  await vi.advanceTimersByTimeAsync(8 * SECOND);
  stop();
  answer();
  await vi.advanceTimersByTimeAsync(HOUR);
  expect(told).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});
