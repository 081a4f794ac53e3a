/** How often, how long and after what an attempt is repeated: time and chance are ours, the rest is real. */
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { GwtokenError } from '../../src/errors';
import { fetchToken } from '../../src/token/fetch';
import { limitsOf } from '../../src/token/query';
import { retryOfReply } from '../../src/token/reply';
import type { FormReply } from '../../src/world';
import { EU } from '../harness/homes/client';
import { sources } from '../settings/sources';

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** How long it takes, in milliseconds. */
  readonly tookMs?: number;
  readonly error?: GwtokenError;
}

const OK: Answer = { body: '{"access_token":"t","token_type":"Bearer","expires_in":60}' };
const refusedConnection: Answer = { error: new GwtokenError('unreached', 'could not reach x') };
const START_MS = Date.UTC(2030, 0, 1);

/** Plays the answers in turn, the last one again and again, on a clock that only waiting moves. */
async function play(
  answers: readonly Answer[],
  { retries = 2, limitMs = 30_000 } = {},
  chance: () => number = () => 0,
) {
  let nowMs = START_MS;
  const waits: number[] = [];
  const trace: string[] = [];
  const limits: number[] = [];
  let attempts = 0;
  const from = sources({ flags: { retries: String(retries) } });
  const authUrl = { value: 'https://id.test' };
  const outcome = await fetchToken(
    { ...limitsOf(from, EU), authUrl, limitMs },
    { clientId: 'a', clientSecret: 's' },
    {
      version: 'test',
      now: () => nowMs,
      monotonicMs: () => nowMs,
      random: chance,
      async sleep(ms) {
        await setImmediate();
        waits.push(ms);
        nowMs += ms;
      },
      // No answer here is waited for in real time, so no time limit passes.
      trace: (line) => trace.push(line),
      async postForm(_, { timeoutMs }): Promise<FormReply> {
        limits.push(timeoutMs);
        const answer = answers[Math.min(attempts++, answers.length - 1)]!;
        nowMs += answer.tookMs ?? 0;
        if (answer.error) throw answer.error;
        const { status = 200, headers = {}, body = '' } = answer;
        return {
          status,
          headers: { get: (name) => headers[name] ?? null },
          body: Buffer.from(body),
        };
      },
    },
  ).catch((error: unknown) => error);
  return { outcome, waits, attempts, trace, limits, tookMs: nowMs - START_MS };
}

const failed = (outcome: unknown): GwtokenError => {
  expect(outcome).toBeInstanceOf(GwtokenError);
  return outcome as GwtokenError;
};

describe('attempts', () => {
  test('a failure that passes is not told', async () => {
    const { outcome, attempts } = await play([refusedConnection, { status: 503 }, OK]);
    expect(outcome).toMatchObject({ accessToken: 't', requestedAtMs: START_MS });
    expect(attempts).toBe(3);
  });

  test.each([
    [0, ''],
    [5, ' (6 attempts)'],
  ])('%i retries are as many, and the message counts the attempts', async (retries, counted) => {
    const { outcome, attempts, trace } = await play([{ status: 503 }], { retries });
    expect(attempts).toBe(retries + 1);
    expect(trace.join()).not.toContain('giving up');
    expect(failed(outcome).message).toBe(`https://id.test/oauth2/token answered 503${counted}`);
  });

  test('the last failure is told with all that belongs to it', async () => {
    const more = { hints: ['do this'], reason: 'ECONNRESET', detail: 'in detail', cause: new Error('cut') };
    const { outcome } = await play([{ error: new GwtokenError('unreached', 'it failed', more) }]);
    expect(outcome).toMatchObject({ kind: 'unreached', message: 'it failed (3 attempts)', ...more });
  });

  test('full jitter: anything from nothing to a span that doubles up to 10 s', async () => {
    const retries = 8;
    const limitMs = START_MS + 3_600_000;
    const least = await play([{ status: 503 }], { retries, limitMs });
    expect(least.waits).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
    const most = await play([{ status: 503 }], { retries, limitMs }, () => 1);
    expect(most.waits).toEqual([500, 1000, 2000, 4000, 8000, 10_000, 10_000, 10_000]);
  });

  test.each([{ status: 404 }, { status: 501 }, { body: '{}' }])('%j is final', async (answer) => {
    expect((await play([answer])).attempts).toBe(1);
  });

  test.each([
    ['certificate', 1],
    ['proxy-refusal', 1],
    ['ENOTLOOPBACK', 1],
    ['time-limit', 3],
    [undefined, 3],
  ])('an endpoint that was not reached (reason: %s) gets %i attempts', async (reason, attempts) => {
    const error = new GwtokenError('unreached', 'could not reach x', { reason });
    expect((await play([{ error }])).attempts).toBe(attempts);
  });

  test('a bug is not retried', async () => {
    const bug = new TypeError('oops');
    expect((await play([{ error: bug as GwtokenError }])).outcome).toBe(bug);
    expect((await play([refusedConnection, { error: bug as GwtokenError }])).outcome).toBe(bug);
  });
});

describe('the overall limit', () => {
  test('the last attempt gets what is left, and none is begun without any', async () => {
    const slow = { ...refusedConnection, tookMs: 10_000 };
    const { attempts, limits, tookMs } = await play([slow], { retries: 10 }, () => 0.5);
    expect(attempts).toBe(3);
    expect(limits).toEqual([10_000, 10_000, 9250]);
    expect(tookMs).toBeGreaterThanOrEqual(30_000);
    const late = await play([OK], { limitMs: 0 });
    expect(late.attempts).toBe(0);
    expect(late.outcome).toMatchObject({
      kind: 'unreached',
      reason: 'time-limit',
      message: 'out of time before contacting https://id.test/oauth2/token',
      hints: ['raise --timeout (a call may take three times that in total)'],
    });
  });

  test('waiting that would outlast it is not begun', async () => {
    const limitMs = 9000;
    const slow = { status: 503, tookMs: 2000 };
    const { attempts, waits, trace } = await play([slow], { retries: 10, limitMs }, () => 1);
    expect(attempts).toBe(3);
    expect(waits).toEqual([500, 1000]);
    expect(trace.at(-1)).toBe('giving up: the next attempt would start in 2 s, with 1.5 s left');
  });

  test('no attempt is begun with less than half a second left: it would only hide the cause', async () => {
    const slow = { ...refusedConnection, tookMs: 1000 };
    for (const [limitMs, times] of [
      [1499, 1],
      [1500, 2],
    ] as const) {
      const { outcome, attempts } = await play([slow], { limitMs });
      expect(attempts).toBe(times);
      expect(failed(outcome).message).toBe(`could not reach x${times === 1 ? '' : ' (2 attempts)'}`);
    }
    expect((await play([OK], { limitMs: 499 })).attempts).toBe(0);
  });

  test('where the overall limit cuts an attempt short, the one before it names the cause', async () => {
    const late = { error: new GwtokenError('unreached', 'late', { reason: 'time-limit' }), tookMs: 5000 };
    const cut = await play([{ ...refusedConnection, tookMs: 1000 }, late], { limitMs: 6000 });
    expect(failed(cut.outcome).message).toBe('could not reach x (2 attempts)');
    const whole = await play([{ ...refusedConnection, tookMs: 1000 }, late], { retries: 1 });
    expect(failed(whole.outcome).message).toBe('late (2 attempts)');
  });

  test('a first attempt that is cut short says so: the time in its message is none that was set', async () => {
    const late = { error: new GwtokenError('unreached', 'late', { reason: 'time-limit' }), tookMs: 5000 };
    const { outcome } = await play([late], { limitMs: 5000 });
    expect(failed(outcome).message).toBe('late (no more time was left)');
    const whole = await play([late], { retries: 0, limitMs: 10_000 });
    expect(failed(whole.outcome).message).toBe('late');
  });
});

describe('Retry-After', () => {
  const afterSeconds = (value: string, more: object = {}): Answer => ({
    status: 429,
    headers: { 'retry-after': value, ...more },
  });

  test('comes before the jitter', async () => {
    const { waits, trace } = await play([afterSeconds('3'), OK], {}, () => 1);
    expect(waits).toEqual([3500]);
    expect(trace[1]).toBe(
      'attempt 1 of 3 failed: https://id.test/oauth2/token answered 429 (retry after 3 s); retrying in 3500 ms',
    );
    expect((await play([afterSeconds('0'), OK])).waits).toEqual([0]);
  });

  test('is honoured up to the overall limit, and beyond it the seconds are named at once', async () => {
    expect((await play([afterSeconds('29'), OK])).waits).toEqual([29_000]);
    for (const [seconds, said] of [
      ['30', '30 s'],
      ['3600', '1 h'],
    ] as const) {
      const { outcome, attempts, tookMs } = await play([afterSeconds(seconds)]);
      expect([attempts, tookMs]).toEqual([1, 0]);
      expect(failed(outcome).message).toBe(`https://id.test/oauth2/token answered 429 (retry after ${said})`);
    }
  });

  const headers = (all: Record<string, string>) => ({ get: (name: string) => all[name] ?? null });
  test.each([
    ['0', 0],
    [' 17 ', 17_000],
    ['Tue, 01 Jan 2030 00:00:07 GMT', undefined],
    ['', undefined],
    ['-1', undefined],
    ['1.5', undefined],
  ])('%j is a pause of %s ms', (value, afterMs) => {
    expect(retryOfReply(503, headers({ 'retry-after': value }))).toEqual({ afterMs });
  });
});
