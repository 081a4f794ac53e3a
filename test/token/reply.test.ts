/** What is said of each reply, word for word, and what of its members is taken. */
import { describe, expect, test } from 'vitest';
import { GwtokenError } from '../../src/errors';
import { judgeReply } from '../../src/token/reply';
import { expiresAtMs, type Token } from '../../src/token/token';

const GOOD = { access_token: 'a.token', token_type: 'Bearer', expires_in: 3600 };
const SENT_MS = Date.UTC(2030, 0, 1);
const CENTURY_S = 100 * 366 * 24 * 3600;

function judge(
  status: number,
  body: unknown = '',
  headers: Readonly<Record<string, string>> = {},
): Token | GwtokenError {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  try {
    return judgeReply({
      status,
      headers: { get: (name) => headers[name] ?? null },
      body: body === 'too-long' ? body : Buffer.isBuffer(body) ? body : Buffer.from(text),
      endpoint: 'https://id.test/x/token',
      requestedAtMs: SENT_MS,
      secret: 's3cret!',
    });
  } catch (error) {
    expect(error).toBeInstanceOf(GwtokenError);
    return error as GwtokenError;
  }
}

const told = (...reply: Parameters<typeof judge>) => {
  const { kind, message, hints, reason, retry } = judge(...reply) as GwtokenError;
  const said = message.replace('https://id.test/x/token ', '');
  return { kind, said, hints, ...(reason && { reason }), ...(retry && { retry }) };
};
const good = (more: object) => judge(200, { ...GOOD, ...more });

const FURTHER = ['possible causes: gwtoken help network'];
const ADDRESS = ['check the auth URL (gwtoken adds /oauth2/token to it)'];
const FIREWALL = [
  'a firewall or proxy may be blocking this; ask its administrator',
  'or the server rejects the credentials in this way: check the client ID and secret',
];
const OUTAGE = ['the problem is on the server; try again later'];
const FEWER = [
  'too many requests: try again later; without --fresh and --no-cache, calls share the cached token',
];
const PAGE = ['check the auth URL; a login page or firewall may be answering instead'];
const HTML = { 'content-type': 'text/html; charset=utf-8' };

describe('a token', () => {
  test('is taken member by member, and nothing else with it', () => {
    expect(judge(200, { ...GOOD, scope: 'read write', refresh_token: 'r', other: 1 })).toEqual({
      accessToken: 'a.token',
      tokenType: 'Bearer',
      scope: 'read write',
      requestedAtMs: SENT_MS,
      lifetimeS: 3600,
    });
    expect(good({ scope: null })).toMatchObject({ scope: '' });
    expect(good({ token_type: 'bEaReR' })).toMatchObject({ tokenType: 'bEaReR' });
  });

  test.each([
    [1, 1],
    ['60', 60],
    [null, undefined],
    [1e300, CENTURY_S],
    ['9'.repeat(300), CENTURY_S],
  ])(
    'that expires in %.20j lives %s s, a century at most, of which a date can be made',
    (expires_in, lifetimeS) => {
      const token = good({ expires_in }) as Token;
      expect(token).toMatchObject({ accessToken: 'a.token', lifetimeS });
      expect(() => new Date(expiresAtMs(token) ?? 0).toISOString()).not.toThrow();
    },
  );

  test.each<[object, string]>([
    [{ access_token: undefined }, 'answered 200 without a valid access_token'],
    [{ access_token: '' }, 'answered 200 without a valid access_token'],
    [{ access_token: ['a'] }, 'answered 200 without a valid access_token'],
    [{ access_token: 'x\n' }, 'returned an access_token with invalid characters'],
    [{ token_type: undefined }, 'returned no token_type'],
    [{ token_type: null }, 'returned a token_type other than bearer'],
    [{ token_type: 'mac' }, 'returned a token_type other than bearer'],
    [{ scope: 7 }, 'returned an invalid scope'],
    [{ scope: 'a\x7fb' }, 'returned an invalid scope'],
    [{ access_token: `a.${btoa('id:s3cret!')}` }, 'returned the client secret as a token or scope'],
    [{ scope: 'read S3CRET%21' }, 'returned the client secret as a token or scope'],
    ...[0, -1, 1.5, '-1', '', ' 1', '1 ', true, [60]].map((expires_in): [object, string] => [
      { expires_in },
      'returned an expires_in that is not a positive integer',
    ]),
  ])('with %j is none', (more, said) => {
    expect(told(200, { ...GOOD, ...more })).toEqual({ kind: 'bad-reply', said, hints: FURTHER });
  });

  test('may be as long as 32 KiB', () => {
    const longest = 'x'.repeat(32_768);
    expect(good({ access_token: longest })).toMatchObject({ accessToken: longest });
    expect(told(200, { ...GOOD, access_token: `${longest}x` })).toEqual({
      kind: 'bad-reply',
      said: 'returned an access_token longer than 32 KiB',
      hints: FURTHER,
    });
  });

  test.each([
    ['', 'answered 200 with an empty body', FURTHER],
    ['too-long', 'answered with more than 64 KiB', FURTHER],
    ['[]', 'answered 200, but not with a JSON object', FURTHER],
    ['null', 'answered 200, but not with a JSON object', FURTHER],
    ['"a"', 'answered 200, but not with a JSON object', FURTHER],
    [' ', 'answered 200, but not with a JSON object', FURTHER],
    ['['.repeat(60_000), 'answered 200, but not with a JSON object', FURTHER],
    [`{"__proto__":${JSON.stringify(GOOD)}}`, 'answered 200 without a valid access_token', FURTHER],
    [Buffer.from('{"a":"\xff"}', 'latin1'), 'answered 200, but not with a JSON object', FURTHER],
    ['<html>', 'answered 200 with an HTML page (from a proxy?)', PAGE],
    [' \n<!DocType html>', 'answered 200 with an HTML page (from a proxy?)', PAGE],
    ['x <html>', 'answered 200, but not with a JSON object', FURTHER],
    [`${' '.repeat(96)}<html>`, 'answered 200, but not with a JSON object', FURTHER],
    [`${' '.repeat(95)}<html>`, 'answered 200 with an HTML page (from a proxy?)', PAGE],
    [{ error: 'invalid_client' }, 'answered 200 with an error instead of a token (invalid_client)', FURTHER],
    [{ error: 'a', error_description: 'b' }, 'answered 200 with an error instead of a token (a: b)', FURTHER],
    [{ error: 's3cret!' }, 'answered 200 with an error instead of a token', FURTHER],
    [{ error: 1 }, 'answered 200 without a valid access_token', FURTHER],
  ])('is not in %.60j', (body, said, hints) => {
    expect(told(200, body)).toEqual({ kind: 'bad-reply', said, hints });
  });

  test('is found in JSON that is called HTML, and after a byte order mark', () => {
    const token = { accessToken: 'a.token' };
    expect(judge(200, GOOD, HTML)).toMatchObject(token);
    expect(judge(200, `\ufeff${JSON.stringify(GOOD)}`)).toMatchObject(token);
  });
});

describe('a refusal', () => {
  const CODES = [
    'invalid_request',
    'invalid_client',
    'invalid_grant',
    'unauthorized_client',
    'unsupported_grant_type',
    'invalid_scope',
  ];
  test.each(CODES)('is each error of RFC 6749 under each 4xx: %s', (error) => {
    for (const status of [400, 401, 404, 499])
      expect(told(status, { error, error_description: 'why' })).toEqual({
        kind: 'refused',
        said: `rejected the credentials (HTTP ${status}, ${error}: why)`,
        hints: [],
        reason: error,
      });
  });

  test.each([
    ['', '401'],
    [{ error_description: 'why' }, '401, why'],
    ['<html>', '401 with an HTML page (from a proxy?)'],
  ])('is 401 without an error: %j', (body, words) => {
    expect(told(401, body)).toEqual({
      kind: 'refused',
      said: `rejected the credentials (HTTP ${words})`,
      hints: [],
      reason: 'unauthorized',
    });
  });

  test.each([400, 401])('is none with a word that RFC 6749 does not have, as an API has it: %i', (status) => {
    const whose = status === 401 ? ": this is an API's answer, not a token endpoint's" : '';
    expect(told(status, { error: 'invalid_token', error_description: 's3cret!' })).toMatchObject({
      kind: 'bad-reply',
      said: `answered ${status}, invalid_token${whose}`,
    });
  });

  test('under 429 may be repeated, and a 5xx is none', () => {
    const busy = told(429, { error: 'invalid_request' }, { 'retry-after': '7' });
    expect(busy).toMatchObject({ kind: 'refused', reason: 'invalid_request', retry: { afterMs: 7000 } });
    const said = 'answered 500, invalid_client';
    expect(told(500, { error: 'invalid_client' })).toMatchObject({ kind: 'bad-reply', said });
  });
});

describe('any other status', () => {
  test.each([
    [201, GOOD, 'answered 201', FURTHER],
    [400, '', 'answered 400', FURTHER],
    [400, { error: 'no_coffee' }, 'answered 400, no_coffee', FURTHER],
    [403, '<html>', 'answered 403 with an HTML page (from a proxy?)', FIREWALL],
    [404, '', 'answered 404', ADDRESS],
    [405, '', 'answered 405', ADDRESS],
    [410, '', 'answered 410', ADDRESS],
    [501, 'too-long', 'answered 501', OUTAGE],
  ])('%i is told, and what to do', (status, body, said, hints) => {
    expect(told(status, body)).toEqual({ kind: 'bad-reply', said, hints });
  });

  const HINTS = {
    408: FURTHER,
    425: FURTHER,
    429: FEWER,
    500: OUTAGE,
    502: OUTAGE,
    503: OUTAGE,
    504: OUTAGE,
  };
  test.each(Object.entries(HINTS))('%s passes by itself, after the wait that it asks for', (name, hints) => {
    const status = Number(name);
    const plain = { kind: 'bad-reply', hints };
    expect(told(status)).toEqual({ ...plain, said: `answered ${status}`, retry: { afterMs: undefined } });
    expect(told(status, '', { 'retry-after': '7' })).toEqual({
      ...plain,
      said: `answered ${status} (retry after 7 s)`,
      retry: { afterMs: 7000 },
    });
    expect(told(status, '', { 'retry-after': '0' }).said).toBe(`answered ${status}`);
  });

  test('HTML is told by its type too, but not by a word in it', () => {
    expect(told(500, 'sorry', HTML).said).toBe('answered 500 with an HTML page (from a proxy?)');
    for (const type of ['text/xhtml', 'text/htmlx'])
      expect(told(500, 'sorry', { 'content-type': type }).said).toBe('answered 500');
    // What is JSON is read as such.
    expect(told(500, { error: 'why' }, HTML).said).toBe('answered 500, why');
    expect(told(500, 'too-long', HTML).said).toBe('answered 500 with an HTML page (from a proxy?)');
  });
});

describe('a redirect', () => {
  const to = (location: string, status = 302) => told(status, GOOD, { location });
  const hints = ['check the auth URL: it must not redirect'];

  test.each([300, 302, 399])('(%i) is told with where it points, and not followed', (status) => {
    expect(to('/login', status)).toEqual({
      kind: 'bad-reply',
      said: `answered ${status}, a redirect to https://id.test/login; gwtoken never follows redirects`,
      hints,
    });
  });

  test.each([
    ['https://user:pass@other.test:8443/a/?token=1#x', ' to https://other.test:8443/a/'],
    ['b', ' to https://id.test/x/b'],
    ['', ''],
    ['http://[', ''],
    ['/s3cret!', ''],
    ['https://S3cret!.test/', ''],
    ['/##vso[a]b', ' to https://id.test/'],
  ])('to %j: without what may be a secret in it', (location, target) => {
    expect(to(location).said).toBe(`answered 302, a redirect${target}; gwtoken never follows redirects`);
  });
});
