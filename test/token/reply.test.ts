/** The error for each kind of reply, word for word, and the members that are read. */
import { describe, expect, test } from 'vitest';
import { GwtokenError } from '../../src/errors';
import { judgeReply } from '../../src/token/reply';
import type { Token } from '../../src/token/token';

const GOOD = { access_token: 'a.token', token_type: 'Bearer', expires_in: 3600 };
const SENT_MS = Date.UTC(2030, 0, 1);
const CENTURY_S = 100 * 366 * 24 * 3600;
const SECRET = 's3cret!!';

function judge(
  status: number,
  body: unknown = '',
  headers: Readonly<Record<string, string>> = {},
  secret = SECRET,
): Token | GwtokenError {
  const bytes = () => Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  try {
    return judgeReply({
      status,
      headers: { get: (name) => headers[name] ?? null },
      body: body === 'too-long' || Buffer.isBuffer(body) ? body : bytes(),
      endpoint: 'https://id.test/x/token',
      requestedAtMs: SENT_MS,
      secret,
    });
  } catch (error) {
    expect(error).toBeInstanceOf(GwtokenError);
    return error as GwtokenError;
  }
}

/** Returns the error for a reply. Its `problem` is the message without the endpoint. */
const errorFor = (...reply: Parameters<typeof judge>) => {
  const { kind, message, hints, reason, retry } = judge(...reply) as GwtokenError;
  const problem = message.replace('https://id.test/x/token ', '');
  return { kind, problem, hint: hints[0], reason, ...(retry && { retry }) };
};
const UNUSABLE = 'possible causes: gwtoken help network';
const CHECK_CREDENTIALS = 'check the client ID and secret';
const CHECK_AUTH_URL = 'check the auth URL (gwtoken adds /oauth2/token to it)';
const OUTAGE = 'the problem is on the server; try again later';

/** Returns the error that {@link errorFor} finds in a reply without a token. */
const bad = (problem: string, hint = UNUSABLE, more: object = {}) => ({
  kind: 'bad-reply',
  problem,
  hint,
  ...more,
});
/** Judges the usual token with these members instead of its own. */
const judgeToken = (members: object) => judge(200, { ...GOOD, ...members });

const HTML = { 'content-type': 'text/html; charset=utf-8' };

describe('a token', () => {
  test('has exactly the known members of the reply', () => {
    expect(judge(200, { ...GOOD, scope: 'read write', refresh_token: 'r', other: 1 })).toEqual({
      accessToken: 'a.token',
      tokenType: 'Bearer',
      scope: 'read write',
      requestedAtMs: SENT_MS,
      lifetimeS: 3600,
    });
    expect(judgeToken({ scope: null, token_type: 'bEaReR' })).toMatchObject({
      scope: '',
      tokenType: 'bEaReR',
    });
  });

  test.each([
    [1, 1],
    ['60', 60],
    [3145.327, 3145],
    ['59.9', 59],
  ])('with expires_in %j lasts %s s', (expires_in, lifetimeS) => {
    expect(judgeToken({ expires_in })).toMatchObject({ accessToken: 'a.token', lifetimeS });
  });

  test('has an unknown lifetime if expires_in is null', () => {
    expect(judgeToken({ expires_in: null })).toMatchObject({ lifetimeS: undefined });
  });

  test('lasts a century at most, because longer lifetimes exceed the range of dates', () => {
    expect(judgeToken({ expires_in: 1e300 })).toMatchObject({ lifetimeS: CENTURY_S });
  });

  const expectBad = (members: object, problem: string) =>
    expect(errorFor(200, { ...GOOD, ...members })).toEqual(bad(problem));
  test.each([[undefined], [''], [['a']]])('is missing with the access_token %j', (access_token) => {
    expectBad({ access_token }, 'answered 200 without a valid access_token');
  });

  test.each([undefined, null, 'mac'])('is rejected with the token_type %j', (token_type) => {
    expectBad({ token_type }, 'returned a token_type other than bearer, or none');
  });

  test.each([7, 'a\x7fb'])('is rejected with the scope %j', (scope) => {
    expectBad({ scope }, 'returned an invalid scope');
  });

  const NO_LIFETIMES = [-1, '-1', '', '1 ', ' 12', '+5', '1e3', '0x10', '1.', true, [60]];
  // Rows, because Vitest would show a bare array as its first element.
  test.each(NO_LIFETIMES.map((each) => [each]))('is rejected with expires_in %j', (expires_in) => {
    expectBad({ expires_in }, 'returned an expires_in that is not a positive number');
  });

  test('is rejected if it contains a newline', () => {
    expectBad({ access_token: 'x\n' }, 'returned an access_token with invalid characters');
  });

  test('is rejected if it or its scope contains the client secret in any encoding', () => {
    const problem = 'returned the client secret as a token or scope';
    expectBad({ access_token: `a.${btoa(`id:${SECRET}`)}` }, problem);
    expectBad({ scope: 'read S3CRET%21!' }, problem);
  });

  const TRY_AGAIN = "try again after a second; if it persists, contact the endpoint's operator";
  test.each([0, 0.9, '0'])(
    'with expires_in %j has just expired, so the request is repeated after 0.6 s',
    (expires_in) => {
      expect(errorFor(200, { ...GOOD, expires_in })).toEqual(
        bad('returned a token that has just expired (expires_in is 0)', TRY_AGAIN, {
          reason: 'just-expired',
          retry: { afterMs: 600, isExact: true },
        }),
      );
    },
  );

  test('may contain a secret of less than eight characters', () => {
    const json = { ...GOOD, access_token: 'a.test-client' };
    expect(judge(200, json, {}, 'test-cl')).toMatchObject({ accessToken: 'a.test-client' });
    expect(errorFor(200, json, {}, 'test-cli').problem).toContain('client secret');
  });

  test('may be as long as 32 KiB', () => {
    const longest = 'x'.repeat(32_768);
    expect(judgeToken({ access_token: longest })).toMatchObject({ accessToken: longest });
    const { problem } = errorFor(200, { ...GOOD, access_token: `${longest}x` });
    expect(problem).toBe('returned an access_token longer than 32 KiB');
  });

  const NOT_UTF8 = Buffer.from('{"access_token":"\xff"}', 'latin1');
  test.each([
    ['an empty body', '', 'answered 200, but not with a JSON object'],
    ['a body over the limit', 'too-long', 'answered with more than 64 KiB'],
    ['an array', '[]', 'answered 200, but not with a JSON object'],
    ['a string', '"a"', 'answered 200, but not with a JSON object'],
    ['null', 'null', 'answered 200, but not with a JSON object'],
    ['a space', ' ', 'answered 200, but not with a JSON object'],
    ['60,000 open brackets', '['.repeat(60_000), 'answered 200, but not with a JSON object'],
    ['__proto__', `{"__proto__":${JSON.stringify(GOOD)}}`, 'answered 200 without a valid access_token'],
    ['bytes that are not UTF-8', NOT_UTF8, 'returned an access_token with invalid characters'],
    ['an error that is a number', { error: 1 }, 'answered 200 without a valid access_token'],
  ])('is missing in %s', (_, body, problem) => {
    expect(errorFor(200, body)).toEqual(bad(problem));
  });

  test('is missing in an error with 200, which is shown without the secret', () => {
    const problem = 'answered 200 without a valid access_token';
    expect(errorFor(200, { error: 'a', error_description: 'b' })).toEqual(
      bad(`${problem} (a: b)`, CHECK_CREDENTIALS),
    );
    expect(errorFor(200, { error: SECRET })).toEqual(bad(problem));
  });

  test('is accepted from a 201, and beside an error', () => {
    expect(judge(201, { ...GOOD, error: 'invalid_client' })).toMatchObject({ accessToken: 'a.token' });
  });

  test('is found in JSON with a wrong content type, or after a byte order mark', () => {
    const token = { accessToken: 'a.token' };
    expect(judge(200, GOOD, HTML)).toMatchObject(token);
    expect(judge(200, GOOD, { 'content-encoding': 'gzip' })).toMatchObject(token);
    expect(judge(200, `\ufeff${JSON.stringify(GOOD)}`)).toMatchObject(token);
  });
});

/** Returns the server's reason as the error shows it. */
const reason = (body: unknown) => errorFor(400, body).problem.replace('answered 400, ', '');

describe('the reason', () => {
  const WHY = 'the client is unknown';
  test.each<[object, string]>([
    [{ error: 'code', error_description: 'why', message: WHY }, 'code: why'],
    [{ error: WHY, message: WHY }, WHY],
    [{ error: 'code', error_description: ' ', message: 'why' }, 'code: why'],
    [{ error: 401, Message: WHY }, WHY],
    [{ error: { code: 'x', message: WHY } }, WHY],
    [{ fault: { faultstring: WHY, detail: { errorcode: 'x' } } }, WHY],
    [{ errors: [{ code: 'x', message: WHY }, { message: 'this is not it' }] }, WHY],
    [{ errors: [WHY, 'this is not it'] }, WHY],
    [{ status: 'x', timestamp: 'Mon Jan 01 2030 00:00:00 GMT', developerMessage: WHY }, WHY],
    [{ title: 'A bad request of the client', detail: WHY }, WHY],
    [{ message: WHY, details: ['request 0f5c0f5c-0f5c-0f5c-0f5c-0f5c0f5c0f5c'] }, WHY],
    [{ title: 'Bad Request', detail: null }, 'Bad Request'],
    [{ detail: [{ loc: ['body', 'id'], msg: 'field required' }] }, 'field required'],
  ])('in %j is shown', (body, shown) => {
    expect(reason(body)).toBe(shown);
  });

  test('is withheld if it contains the secret, and cut after 200 characters', () => {
    expect(reason({ error: 'code', message: `it is not ${SECRET}` })).toBe('code');
    expect(reason({ message: 'x'.repeat(300) })).toBe(`${'x'.repeat(200)}…`);
  });

  test.each([
    { status: 'it has failed', user: { name: WHY, message: WHY }, token: `Bearer ${WHY}`, id: ['0f5c', 12] },
    { token_details: [WHY], tokenInformation: WHY, access_token: { message: WHY }, debug_message: WHY },
    `${'{"a":'.repeat(9000)}"${WHY}"${'}'.repeat(9000)}`,
  ])('is no other member and no text deep inside a reply', (body) => {
    expect(errorFor(400, body)).toEqual(bad('answered 400'));
  });
});

describe('a refusal', () => {
  const rejected = 'rejected the credentials';
  const NO_GRANT = [
    'does not let this client use the client_credentials grant',
    'check on the Clients page that the client may use client_credentials',
  ] as const;
  const NO_SCOPE = "ask the endpoint's operator to give this client a default scope";
  const MORE_NEEDED = "ask the endpoint's operator what else a token request needs";
  test.each<[error: string, problem: string, hint?: string]>([
    ['invalid_client', rejected],
    ['invalid_grant', rejected],
    ['unauthorized_client', ...NO_GRANT],
    ['unsupported_grant_type', ...NO_GRANT],
    ['invalid_scope', 'requires a scope, and gwtoken sends none', NO_SCOPE],
    ['invalid_request', 'rejected the request as invalid', MORE_NEEDED],
  ])('is recognized with any status: %s', (error, problem, hint) => {
    for (const status of [200, 201, 400, 403, 499, 500, 501])
      expect(errorFor(status, { error, error_description: 'why' })).toEqual({
        kind: 'refused',
        problem: `${problem} (HTTP ${status}, ${error}: why)`,
        hint,
        reason: hint === undefined ? 'rejected' : undefined,
      });
  });

  test('is a 401 whose error is no text, and so no code', () => {
    expect(errorFor(401, { error: { message: 'why not' } })).toEqual({
      kind: 'refused',
      problem: `${rejected} (HTTP 401, why not)`,
      hint: CHECK_AUTH_URL,
      reason: 'rejected',
    });
  });

  const BEARER = { 'www-authenticate': 'Basic realm="a", Bearer realm="api", error="invalid_token"' };
  const API_ANSWER = "check the auth URL: this is an API's answer, not a token endpoint's";
  test.each<[status: number, body: object, headers: Record<string, string>, problem: string]>([
    [401, { error: 'Unauthorized' }, BEARER, 'answered 401, Unauthorized'],
    [400, { error: 'invalid_request' }, { 'www-authenticate': 'bearer' }, 'answered 400, invalid_request'],
  ])('is not an error of RFC 6750: %i %j', (status, body, headers, problem) => {
    expect(errorFor(status, body, headers)).toEqual(bad(problem, API_ANSWER));
  });

  test('is told from an error of RFC 6750 only with a 4xx', () => {
    const challenge = { 'www-authenticate': 'bearer' };
    expect(errorFor(200, { error: 'invalid_request' }, challenge).kind).toBe('refused');
    expect(errorFor(500, { error: 'invalid_token' })).toMatchObject({ kind: 'bad-reply', hint: OUTAGE });
  });

  test('is 401 invalid_request with a challenge for Basic', () => {
    const headers = { 'www-authenticate': 'Basic realm="bearer", error="invalid_token"' };
    expect(errorFor(401, { error: 'invalid_request' }, headers).kind).toBe('refused');
  });

  test('is not retried, whatever the status', () => {
    for (const status of [408, 429, 503])
      expect(errorFor(status, { error: 'invalid_client' }, { 'retry-after': '7' })).toEqual({
        kind: 'refused',
        problem: `${rejected} (HTTP ${status}, invalid_client)`,
        reason: 'rejected',
      });
  });
});

describe('any other status', () => {
  test.each([
    [202, GOOD, UNUSABLE],
    [400, '', UNUSABLE],
    [400, { error: 'why' }, CHECK_CREDENTIALS],
    [403, '', 'check the auth URL, and the client ID and secret'],
    [403, { error: 'why' }, CHECK_CREDENTIALS],
    [404, '', CHECK_AUTH_URL],
    [405, '', CHECK_AUTH_URL],
    [501, 'too-long', OUTAGE],
  ])('%i with %j has a hint', (status, body, hint) => {
    expect(errorFor(status, body)).toMatchObject({ kind: 'bad-reply', hint });
  });

  const TOO_MANY = 'too many requests: try again later';
  test.each([
    ...[408, 425].map((status) => [status, UNUSABLE] as const),
    [429, TOO_MANY] as const,
    ...[500, 502, 503, 504].map((status) => [status, OUTAGE] as const),
  ])('%s is retried after its Retry-After', (status, hint) => {
    expect(errorFor(status)).toEqual(bad(`answered ${status}`, hint, { retry: { afterMs: undefined } }));
    expect(errorFor(status, '', { 'retry-after': '7' })).toEqual(
      bad(`answered ${status} (retry after 7 s)`, hint, { retry: { afterMs: 7000 } }),
    );
  });
});

describe('an outage', () => {
  test.each(['temporarily_unavailable', 'server_error'])('is %s with any status, and retried', (error) => {
    for (const status of [200, 400, 401, 403, 501, 503])
      expect(errorFor(status, { error, error_description: 'why' }, { 'retry-after': '7' })).toEqual(
        bad(`answered ${status}, ${error}: why (retry after 7 s)`, OUTAGE, { retry: { afterMs: 7000 } }),
      );
  });
});

describe('Retry-After', () => {
  const SENT = new Date(SENT_MS).toUTCString();
  const retryAfter = (value: string, more: Readonly<Record<string, string>> = {}) =>
    errorFor(503, '', { 'retry-after': value, ...more }).retry?.afterMs;

  test('is a number of seconds', () => {
    expect([retryAfter('0'), retryAfter(' 17 ')]).toEqual([0, 17_000]);
  });

  test('is a date, counted from the Date of the reply, or else from the request', () => {
    expect(SENT).toBe('Tue, 01 Jan 2030 00:00:00 GMT');
    expect(retryAfter('Tue, 01 Jan 2030 00:00:07 GMT')).toBe(7000);
    expect(retryAfter('Tuesday, 01-Jan-30 00:00:07 GMT')).toBe(7000);
    expect(retryAfter('Tue, 01 Jan 2030 00:00:07 GMT', { date: 'Tue, 01 Jan 2030 00:00:05 GMT' })).toBe(2000);
    expect(retryAfter('Tue, 01 Jan 2030 00:00:07 GMT', { date: 'no date' })).toBe(7000);
    expect(retryAfter('Mon, 31 Dec 2029 23:59:59 GMT')).toBe(0);
  });

  test.each(['', '-1', '1.5', '1000000000', 'soon GMT', '2030-01-01'])('is ignored if it is %j', (value) => {
    expect(retryAfter(value)).toBeUndefined();
  });
});

test('a reply is an HTML page by its content type, unless its body is JSON', () => {
  const page = 'with an HTML page, perhaps from a proxy';
  expect(errorFor(200, 'sorry', HTML)).toMatchObject({
    problem: `answered 200 ${page}`,
    hint: 'check the auth URL; a login page or firewall may be answering instead',
  });
  expect(errorFor(500, 'too-long', HTML).problem).toBe(`answered 500 ${page}`);
  expect(errorFor(500, 'sorry', { 'content-type': 'text/htmlx' }).problem).toBe('answered 500');
  expect(errorFor(500, { error: 'why' }, HTML).problem).toBe('answered 500, why');
});

describe('a redirect', () => {
  test.each([
    [300, '/login', ' to https://id.test/login'],
    [302, 'https://user:pass@other.test:8443/a/?token=1#x', ' to https://other.test:8443/a/'],
    [302, 'b', ' to https://id.test/x/b'],
    [302, '', ''],
    [302, 'http://[', ''],
    [399, `/${SECRET}`, ''],
    [302, '/##vso[a]b', ' to https://id.test/'],
  ])(
    '(%i) to %j is not followed, and is reported without parts that may be secret',
    (status, location, target) => {
      expect(errorFor(status, GOOD, { location })).toEqual(
        bad(`answered ${status}, a redirect${target}; gwtoken never follows redirects`, CHECK_AUTH_URL),
      );
    },
  );
});
