/** The token request and its retries, with simulated time and chance. */
import { describe, expect, test } from 'vitest';
import { GwtokenError } from '../../src/errors';
import type { PostForm } from '../../src/post-form';
import { fetchToken } from '../../src/token/fetch';

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Time that the answer takes. */
  readonly tookMs?: number;
  readonly error?: Error;
}

const OK: Answer = { body: '{"access_token":"t","token_type":"Bearer","expires_in":60}' };
const UNREACHED: Answer = {
  error: new GwtokenError('unreached', 'could not reach x', undefined, { retry: {} }),
};
const START_MS = Date.UTC(2030, 0, 1);

/** Plays the answers in turn and repeats the last one, on a clock that only waiting moves. */
async function play(
  answers: readonly Answer[],
  { attempts = 3, limitMs = 30_000, chance = 0, asleepMs = 0 } = {},
) {
  let nowMs = START_MS;
  const waits: number[] = [];
  const trace: string[] = [];
  const sent: Parameters<PostForm>[] = [];
  const source = { kind: 'flag', name: '' } as const;
  const outcome = await fetchToken(
    {
      attempts,
      timeoutMs: 10_000,
      limitMs,
      caFile: { value: '/ca.pem', text: '', source },
    },
    { clientId: 'an id&', clientSecret: 's3cret /+', authUrl: 'https://id.test' },
    {
      version: '1.2.3',
      // All limits and times are those of the monotonic clock.
      now: () => START_MS,
      monotonicMs: () => nowMs,
      random: () => chance,
      async sleep(ms) {
        waits.push(ms);
        nowMs += ms + asleepMs;
      },
      trace: (line) => trace.push(line),
      async postForm(...call) {
        sent.push(call);
        const answer = answers[Math.min(sent.length, answers.length) - 1]!;
        nowMs += answer.tookMs ?? 0;
        if (answer.error) throw answer.error;
        const { status = 200, headers = {}, body = '' } = answer;
        return { status, headers: new Headers(headers), body: Buffer.from(body) };
      },
    },
  ).catch((error: unknown) => error);
  const message = outcome instanceof Error ? outcome.message : undefined;
  return { outcome, message, waits, trace, sent, posts: sent.length, tookMs: nowMs - START_MS };
}

describe('the request', () => {
  test('is a POST of client ID, secret and grant type, without an Authorization header', async () => {
    const { sent, trace } = await play([OK]);
    expect(sent).toEqual([
      [
        'https://id.test/oauth2/token',
        {
          headers: {
            'content-type': 'application/x-www-form-urlencoded',
            accept: 'application/json',
            'accept-encoding': 'identity',
            'user-agent': 'gwtoken/1.2.3',
          },
          body: 'client_id=an+id%26&client_secret=s3cret+%2F%2B&grant_type=client_credentials',
          timeoutMs: 10_000,
          maxBytes: 64 * 1024,
          caFile: '/ca.pem',
          signal: undefined,
          trace: expect.any(Function),
        },
      ],
    ]);
    sent[0]![1].trace?.('on the way');
    expect(trace.at(-1)).toBe('on the way');
  });

  test('is traced, and the lifetime counts from its start', async () => {
    const { outcome, trace } = await play([{ ...OK, tookMs: 1234 }]);
    expect(outcome).toMatchObject({ accessToken: 't', requestedAtMs: START_MS, lifetimeS: 60 });
    expect(trace).toEqual(['POST https://id.test/oauth2/token: 200 after 1234 ms']);
    for (const [date, ...lines] of [
      [
        'Tue, 01 Jan 2030 00:05:00 GMT',
        "the endpoint's clock: 2030-01-01T00:05:00Z, this machine's: 2030-01-01T00:00:00Z",
      ],
      ['no date'],
    ] as const)
      expect((await play([{ ...OK, headers: { date } }])).trace.slice(1)).toEqual(lines);
    const lost = await play([{ ...UNREACHED, tookMs: 10 }], { attempts: 1 });
    expect(lost.trace).toEqual(['POST https://id.test/oauth2/token: no reply after 10 ms']);
  });
});

describe('attempts', () => {
  test('end with the first token or with the last failure', async () => {
    expect(await play([UNREACHED, { status: 503 }, OK])).toMatchObject({
      outcome: { accessToken: 't' },
      posts: 3,
    });
    const hints = ['a hint'];
    const more = { detail: 'in detail', retry: {} };
    const { outcome } = await play([{ error: new GwtokenError('unreached', 'it failed', hints, more) }]);
    expect(outcome).toMatchObject({ kind: 'unreached', message: 'it failed (3 attempts)', hints, ...more });
    expect(await play([UNREACHED], { attempts: 1 })).toMatchObject({
      message: 'could not reach x',
      posts: 1,
    });
  });

  test('report their total time if the last one timed out', async () => {
    const late = new GwtokenError('unreached', 'https://id.test/oauth2/token did not answer', [], {
      reason: 'timed-out',
      retry: {},
    });
    const { outcome } = await play([{ error: late, tookMs: 9_800 }]);
    expect(outcome).toMatchObject({
      message: 'https://id.test/oauth2/token did not answer within 29 s (3 attempts)',
    });
  });

  test('follow after a random part of a span that doubles up to 10 s', async () => {
    const often = { attempts: 7, limitMs: 3_600_000 };
    expect((await play([UNREACHED], often)).waits).toEqual([0, 0, 0, 0, 0, 0]);
    const most = await play([UNREACHED], { ...often, chance: 1 });
    expect(most.waits).toEqual([500, 1000, 2000, 4000, 8000, 10_000]);
  });

  test('follow 0.6 s after a token that has just expired, without jitter', async () => {
    const expired = { body: '{"access_token":"t","token_type":"Bearer","expires_in":0}' };
    expect((await play([expired], { chance: 1 })).waits).toEqual([600, 600]);
  });

  const NOT_RETRIED: Readonly<Record<string, Answer>> = {
    'a 404': { status: 404 },
    'a 501': { status: 501 },
    'a 200 without a token': { body: '{}' },
    'a bug': { error: new TypeError('a bug') },
    'an error without retry': { error: new GwtokenError('unreached', '') },
    'a refusal with 503': { status: 503, body: '{"error":"invalid_client"}' },
  };
  test.each(Object.entries(NOT_RETRIED))('end with %s', async (_, answer) => {
    expect((await play([answer])).posts).toBe(1);
  });
});

describe('the overall limit', () => {
  test('shortens the last attempt', async () => {
    const slow = { ...UNREACHED, tookMs: 10_000 };
    const { sent } = await play([slow], { attempts: 11, chance: 0.5 });
    expect(sent.map(([, { timeoutMs }]) => timeoutMs)).toEqual([10_000, 10_000, 9250]);
  });

  test('allows no first attempt if less than half a second is left', async () => {
    expect(await play([OK], { limitMs: 500 })).toMatchObject({ posts: 1 });
    expect(await play([OK], { limitMs: 499 })).toMatchObject({
      posts: 0,
      outcome: {
        kind: 'unreached',
        message: 'out of time before contacting https://id.test',
        hints: ['raise --timeout (a call may take three times that in total)'],
      },
    });
  });

  test('allows no wait beyond it and no attempt in its last half second', async () => {
    const slow = { status: 503, tookMs: 2000 };
    const { waits } = await play([slow], { attempts: 11, limitMs: 9000, chance: 1 });
    expect(waits).toEqual([500, 1000]);
    for (const [limitMs, posts] of [
      [2499, 1],
      [2500, 2],
    ] as const)
      expect((await play([slow], { limitMs })).posts).toBe(posts);
  });

  test('that passes while the machine sleeps ends with the earlier failure', async () => {
    const { posts, message } = await play([{ status: 503 }], { asleepMs: 60_000 });
    expect({ posts, message }).toEqual({ posts: 1, message: 'https://id.test/oauth2/token answered 503' });
  });
});

describe('Retry-After', () => {
  const waiting = (seconds: string): Answer => ({ status: 429, headers: { 'retry-after': seconds } });

  test('is added to the jitter', async () => {
    const { waits, trace } = await play([waiting('3'), OK], { chance: 1 });
    expect(waits).toEqual([3500]);
    expect(trace[1]).toBe(
      'attempt 1 of 3 failed: https://id.test/oauth2/token answered 429 (retry after 3 s); retrying in 3500 ms',
    );
  });

  test('beyond the overall limit ends the attempts at once', async () => {
    expect((await play([waiting('29'), OK])).waits).toEqual([29_000]);
    expect(await play([waiting('30')])).toMatchObject({
      posts: 1,
      tookMs: 0,
      message: 'https://id.test/oauth2/token answered 429 (retry after 30 s)',
    });
  });
});
