/** The one request: what is sent, from when a life counts, and what is told of it. */
import { describe, expect, test } from 'vitest';
import { requestToken } from '../../src/token/request';
import type { PostForm } from '../../src/world';

const START_MS = Date.UTC(2030, 0, 1);
const ENDPOINT = 'https://id.test/oauth2/token';
const GOOD = '{"access_token":"t","token_type":"Bearer","expires_in":60}';
const CREDENTIALS = { clientId: 'an id&', clientSecret: 's3cret /+' };

interface Played {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | 'too-long';
  readonly tookMs?: number;
  readonly error?: Error;
}

/** Plays one reply, on a clock that only moves by what it takes. */
async function play(played: Played) {
  const { status = 200, headers = {}, body = GOOD, tookMs = 0, error } = played;
  let nowMs = START_MS;
  const sent: Parameters<PostForm>[] = [];
  const trace: string[] = [];
  const outcome = await requestToken(
    { endpoint: ENDPOINT, credentials: CREDENTIALS, timeoutMs: 4321, caFile: '/ca.pem' },
    {
      version: '1.2.3',
      now: () => nowMs,
      trace: (line) => trace.push(line),
      async postForm(...call) {
        sent.push(call);
        nowMs += tookMs;
        if (error) throw error;
        return {
          status,
          headers: { get: (name) => headers[name] ?? null },
          body: body === 'too-long' ? body : Buffer.from(body),
        };
      },
    },
  ).catch((thrown: unknown) => thrown);
  return { outcome, sent, trace };
}

test('is a POST of three form fields, without an Authorization header, within the time and with the authorities given', async () => {
  const { sent, trace } = await play({});
  expect(sent).toEqual([
    [
      ENDPOINT,
      {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          accept: 'application/json',
          'user-agent': 'gwtoken/1.2.3',
        },
        body: 'client_id=an+id%26&client_secret=s3cret+%2F%2B&grant_type=client_credentials',
        timeoutMs: 4321,
        maxBytes: 64 * 1024,
        caFile: '/ca.pem',
        trace: expect.any(Function),
      },
    ],
  ]);
  sent[0]![1].trace?.('on the way');
  expect(trace.at(-1)).toBe('on the way');
});

test('a token’s life counts from before the request, however long the reply takes', async () => {
  const { outcome } = await play({ tookMs: 1234 });
  expect(outcome).toEqual({
    accessToken: 't',
    tokenType: 'Bearer',
    scope: '',
    requestedAtMs: START_MS,
    lifetimeS: 60,
  });
});

test('a body that is longer than a token can be is no token', async () => {
  expect((await play({ body: 'too-long' })).outcome).toMatchObject({
    kind: 'bad-reply',
    message: 'https://id.test/oauth2/token answered with more than 64 KiB',
  });
});

describe('the trace', () => {
  test.each([
    [{}, '200 after 30 ms'],
    [{ status: 503 }, '503 after 30 ms'],
    [{ headers: { 'x-request-id': ' a\tb ' } }, '200 after 30 ms, request ID a b'],
    [
      { headers: { 'x-request-id': '', 'x-correlation-id': 'c', other: 'o' } },
      '200 after 30 ms, request ID c',
    ],
    [{ headers: { 'request-id': 'r', 'x-request-id': 'x' } }, '200 after 30 ms, request ID x'],
    [{ headers: { 'x-request-id': 'of s3cret /+' } }, '200 after 30 ms'],
  ] as const)('of %j is: %s', async (played, line) => {
    const { trace } = await play({ ...played, tookMs: 30 });
    expect(trace).toEqual([`POST https://id.test/oauth2/token: ${line}`]);
  });

  test('of a request without a reply says so, and the error is what the wire threw', async () => {
    const error = new Error('cut');
    const { outcome, trace } = await play({ error, tookMs: 10 });
    expect(outcome).toBe(error);
    expect(trace).toEqual(['POST https://id.test/oauth2/token: no reply after 10 ms']);
  });
});
