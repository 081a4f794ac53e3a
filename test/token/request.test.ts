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
  readonly chunks?: readonly string[];
  readonly address?: string;
  /** How long the reply and then its body take, in milliseconds. */
  readonly tookMs?: readonly [number, number];
  readonly error?: Error;
}

/** Plays one reply, on a clock that only moves by what it takes. */
async function play(played: Played) {
  const { status = 200, headers = {}, chunks = [GOOD], address, tookMs = [0, 0], error } = played;
  let nowMs = START_MS;
  const sent: Parameters<PostForm>[] = [];
  const trace: string[] = [];
  let read = 0;
  const outcome = await requestToken(
    { endpoint: ENDPOINT, credentials: CREDENTIALS, timeoutMs: 4321, caFile: '/ca.pem' },
    {
      version: '1.2.3',
      now: () => nowMs,
      trace: (line) => trace.push(line),
      async postForm(...call) {
        sent.push(call);
        nowMs += tookMs[0];
        if (error) throw error;
        const body = async function* () {
          nowMs += tookMs[1];
          for (const chunk of chunks) {
            read++;
            yield Buffer.from(chunk);
          }
        };
        return { status, headers: { get: (name) => headers[name] ?? null }, body: body(), address };
      },
    },
  ).catch((thrown: unknown) => thrown);
  return { outcome, sent, trace, read };
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
        caFile: '/ca.pem',
        trace: expect.any(Function),
      },
    ],
  ]);
  sent[0]![1].trace?.('on the way');
  expect(trace.at(-1)).toBe('on the way');
});

test('a token’s life counts from before the request, however long the reply takes', async () => {
  const { outcome } = await play({ tookMs: [1234, 5678] });
  expect(outcome).toEqual({
    accessToken: 't',
    tokenType: 'Bearer',
    scope: '',
    requestedAtMs: START_MS,
    lifetimeS: 60,
  });
});

describe('a body', () => {
  test('in pieces is one, and none is an empty one', async () => {
    expect((await play({ chunks: [...GOOD] })).outcome).toMatchObject({ accessToken: 't' });
    expect((await play({ chunks: [] })).outcome).toMatchObject({
      message: 'https://id.test/oauth2/token answered 200 with an empty body',
    });
  });

  test('is read up to 64 KiB, and left at the first piece beyond', async () => {
    const blank = ' '.repeat(64 * 1024 - GOOD.length);
    expect((await play({ chunks: [blank, GOOD] })).outcome).toMatchObject({ accessToken: 't' });
    const { outcome, read } = await play({ chunks: [blank, GOOD, ' ', ' ', ' '] });
    expect(outcome).toMatchObject({
      kind: 'bad-reply',
      message: 'https://id.test/oauth2/token answered with more than 64 KiB',
    });
    expect(read).toBe(3);
  });
});

describe('the trace', () => {
  test.each([
    [{}, '200 from the endpoint after 30 ms'],
    [{ address: '127.0.0.1:443', status: 503 }, '503 from 127.0.0.1:443 after 30 ms'],
    [{ headers: { 'x-request-id': ' a\tb ' } }, '200 from the endpoint after 30 ms, request ID a b'],
    [
      { headers: { 'x-request-id': '', 'x-correlation-id': 'c', other: 'o' } },
      '200 from the endpoint after 30 ms, request ID c',
    ],
    [
      { headers: { 'request-id': 'r', 'x-request-id': 'x' } },
      '200 from the endpoint after 30 ms, request ID x',
    ],
    [{ headers: { 'x-request-id': 'of s3cret /+' } }, '200 from the endpoint after 30 ms'],
  ] as const)('of %j is: %s', async (played, line) => {
    const { trace } = await play({ ...played, tookMs: [10, 20] });
    expect(trace).toEqual([`POST https://id.test/oauth2/token: ${line}`]);
  });

  test('of a request without a reply says so, and the error is what the wire threw', async () => {
    const error = new Error('cut');
    const { outcome, trace } = await play({ error, tookMs: [10, 0] });
    expect(outcome).toBe(error);
    expect(trace).toEqual(['POST https://id.test/oauth2/token: no reply after 10 ms']);
  });
});
