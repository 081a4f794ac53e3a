/** Words and advice for each fault that Node or undici reports; the wire's cases meet many for real. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GwtokenError } from '../../../src/errors';
import { TimedOut } from '../../../src/system/limit';
import { type Asked, wireProblem } from '../../../src/system/wire/problems';
import type { HttpProxy } from '../../../src/system/wire/proxy';
import type { ConnectionProgress } from '../../../src/world';

type Phase = ConnectionProgress['waitingFor'];
const ASKED = { url: new URL('https://a.test/oauth2/token'), caFile: undefined, timeoutMs: 10_000 } as const;
const LABEL = 'the proxy p.test:3128 (from HTTPS_PROXY)';
const proxy: HttpProxy = {
  url: new URL('http://p.test:3128'),
  source: 'HTTPS_PROXY',
  name: 'p.test:3128',
  label: LABEL,
};
const fault = (code: string) => Object.assign(new Error(`message of ${code}`), { code });
const parser = (message: string) => Object.assign(new Error(message), { name: 'HTTPParserError' });
const met = (error: unknown, waitingFor: Phase, more: Partial<Asked> = {}) =>
  wireProblem(error, { ...ASKED, proxy: undefined, progress: { waitingFor }, ...more });

const OPERATORS = 'contact the operator of the endpoint or of your proxy';
const HOST_AND_PORT = 'check the network, and the host and port in the auth URL';
const NETWORK = 'check the network, the VPN and the firewall';
const BLOCKED = ['the connection was blocked on this machine', 'check the firewall and any sandbox'] as const;
const DOWN = 'check the host and port in the auth URL; if right, the server is down';
const HANDSHAKE = 'check the host and port in the auth URL: the server must support TLS 1.2 or later';

test.each<[code: string, what: string, hint: string]>([
  ['ENOTFOUND', 'host not found', 'check the auth URL for typos'],
  ['EAI_AGAIN', 'DNS is not responding', NETWORK],
  ['ENOTLOOPBACK', 'localhost does not resolve to this machine', 'use 127.0.0.1 in the auth URL'],
  ['ECONNREFUSED', 'connection refused', DOWN],
  ['ECONNRESET', 'connection closed', HOST_AND_PORT],
  ['UND_ERR_SOCKET', 'connection closed', HOST_AND_PORT],
  ['ETIMEDOUT', 'connection timed out', NETWORK],
  ['EHOSTUNREACH', 'network unreachable', NETWORK],
  ['ENETUNREACH', 'network unreachable', NETWORK],
  ['EACCES', ...BLOCKED],
  ['EPERM', ...BLOCKED],
  ['EADDRNOTAVAIL', 'connection failed (EADDRNOTAVAIL)', NETWORK],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'it does not speak TLS', 'check the scheme and port in the auth URL'],
  ['EPROTO', 'the TLS handshake failed (EPROTO)', HANDSHAKE],
  ['ERR_SSL_NO_CIPHER', 'the TLS handshake failed (ERR_SSL_NO_CIPHER)', HANDSHAKE],
])('%s: could not reach the endpoint, or the proxy: %s', (code, what, hint) => {
  expect(met(fault(code), 'connect')).toMatchObject({
    kind: 'unreached',
    reason: code,
    message: `could not reach a.test: ${what}`,
    hints: [hint],
    detail: `message of ${code}`,
  });
  expect(met(fault(code), 'handshake', { proxy })).toMatchObject({
    message: `could not reach a.test: ${what}`,
    hints: [hint],
  });
  const { message, hints } = met(fault(code), 'connect', { proxy });
  expect(message).toBe(`could not reach ${LABEL}: ${what}`);
  if (code !== 'ENOTLOOPBACK') expect(hints).toEqual([hint.replace('the auth URL', 'HTTPS_PROXY')]);
});

describe('a certificate', () => {
  const PASS = "pass the CA's PEM file with --ca-file or GWTOKEN_CA_FILE";
  const COMPANY = `behind a company proxy or private CA? ${PASS}`;
  const INCOMPLETE = 'if the CA is public, the server is not sending its intermediate certificate';
  const UNKNOWN = ['its certificate was issued by an unknown CA', COMPANY, INCOMPLETE];
  const CLOCK = "check this machine's clock; if it is right, contact the endpoint's operator";
  const TRUST = 'if you trust this server, pass its certificate with --ca-file or GWTOKEN_CA_FILE';
  test.each<[string, ...string[]]>([
    ['CERT_HAS_EXPIRED', 'its certificate has expired', CLOCK],
    ['CERT_NOT_YET_VALID', 'its certificate is not yet valid', CLOCK],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'its certificate is self-signed', TRUST],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', ...UNKNOWN],
    ['SELF_SIGNED_CERT_IN_CHAIN', ...UNKNOWN],
    ['CERT_REVOKED', 'its certificate was rejected (message of CERT_REVOKED)', OPERATORS],
    ['INVALID_PURPOSE', 'its certificate was rejected (message of INVALID_PURPOSE)', OPERATORS],
  ])('%s: it is not trusted, since %s', (code, what, ...hints) => {
    expect(met(fault(code), 'connect')).toMatchObject({
      kind: 'unreached',
      reason: 'certificate',
      message: `a.test is not trusted: ${what}`,
      hints,
    });
    expect(met(fault(code), 'connect', { caFile: '/ca.pem' }).hints).toEqual(
      hints.map((hint) => (hint === COMPANY ? `/ca.pem does not contain this CA: ${PASS}` : hint)),
    );
    expect(met(fault(code), 'connect', { proxy }).message).toBe(`${LABEL} is not trusted: ${what}`);
    expect(met(fault(code), 'handshake', { proxy }).message).toBe(`a.test is not trusted: ${what}`);
  });

  const said = (subjectaltname: string) => {
    const code = 'ERR_TLS_CERT_ALTNAME_INVALID';
    const error = new Error(`Hostname does not match: ${subjectaltname}`);
    const problem = met(Object.assign(error, { code, cert: { subjectaltname } }), 'connect');
    expect(problem).toMatchObject({ reason: 'certificate', hints: ['check the host name in the auth URL'] });
    const { message, detail } = problem;
    return { names: message.replace('a.test is not trusted: its certificate is ', ''), detail };
  };

  test('of other names: they are shown without their kind, 200 characters at most', () => {
    expect(said('DNS:x.test, IP Address:127.0.0.1').names).toBe('only valid for x.test, 127.0.0.1');
    expect(said('').names).toBe('not valid for any host name (its CN does not count)');
    expect(said(`DNS:${'x'.repeat(300)}`).names).toBe(`only valid for ${'x'.repeat(200)}`);
  });

  test('of other names: they are cleaned, for --verbose too', () => {
    expect(said('DNS:##vso[task.complete]\n::error::a')).toEqual({
      names: 'only valid for # #vso[task.complete] : :error::a',
      detail: 'ERR_TLS_CERT_ALTNAME_INVALID: Hostname does not match: DNS:# #vso[task.complete] : :error::a',
    });
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 400 }), (names) => {
        const { names: shown, detail } = said(`${names}.`);
        for (const text of [shown, detail]) expect(text).not.toMatch(/[\p{C}\u2028\u2029]/u);
      }),
    );
  });
});

test.each<[string, Partial<Asked>, string]>([
  ['directly', {}, 'check the network and the auth URL, or raise --timeout'],
  ['through a proxy', { proxy }, 'check HTTPS_PROXY and the network, or raise --timeout'],
])('a time limit is told as one, %s', (_, way, hint) => {
  expect(met(new TimedOut(), 'handshake', way)).toMatchObject({
    kind: 'unreached',
    reason: 'time-limit',
    message: 'https://a.test/oauth2/token did not answer within 10 s',
    hints: [hint],
    detail: undefined,
  });
});

const MISMATCH = fault('UND_ERR_RES_CONTENT_LENGTH_MISMATCH');
test.each<[Phase, Error]>([
  ['reply', fault('UND_ERR_HEADERS_OVERFLOW')],
  ['body', parser('Invalid character in chunk size')],
  ['reply', MISMATCH],
  ['reply', new Error('bad upgrade')],
  ['reply', new Error('bad response')],
  ['reply', parser('Expected HTTP/')],
])('waiting for the %s, %s: the endpoint did not answer with valid HTTP', (waitingFor, error) => {
  expect(met(error, waitingFor)).toMatchObject({
    kind: 'bad-reply',
    message: 'https://a.test/oauth2/token did not answer with valid HTTP',
    hints: [`check the auth URL; if it is right, ${OPERATORS}`],
  });
});

test.each<[Phase, Error, string]>([
  ['reply', fault('ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR'), 'closed the connection without a reply'],
  ['reply', fault('ECONNRESET'), 'reset the connection without a reply'],
  ['reply', fault('UND_ERR_SOCKET'), 'closed the connection without a reply'],
  ['body', fault('ECONNRESET'), 'reset the connection in the middle of the reply'],
  ['body', fault('UND_ERR_SOCKET'), 'closed the connection in the middle of the reply'],
  ['body', parser('Invalid EOF state'), 'closed the connection in the middle of the reply'],
  ['body', MISMATCH, 'closed the connection in the middle of the reply'],
])('waiting for the %s, %s: the endpoint %s', (waitingFor, error, what) => {
  expect(met(error, waitingFor)).toMatchObject({
    kind: 'unreached',
    message: `a.test ${what}`,
    hints: [`try again; if it persists, ${OPERATORS}`],
  });
});

test.each([
  [new Error('bad response'), 'did not answer with valid HTTP'],
  [parser('Invalid header value char'), 'did not answer with valid HTTP'],
  [new Error('closed'), 'closed the connection without opening a tunnel'],
])('waiting for the tunnel, %s: the proxy %s', (error, what) => {
  expect(met(error, 'tunnel', { proxy })).toMatchObject({
    kind: 'unreached',
    message: `${LABEL} ${what}`,
    hints: ['check that HTTPS_PROXY is the URL of an HTTP proxy'],
  });
});

describe('for --verbose there is', () => {
  const coded = (code: string, message: string) => Object.assign(new Error(message), { code });

  test('the code before a message without it, and only the message if there is no code', () => {
    expect(met(coded('EPROTO', 'handshake failed'), 'connect').detail).toBe('EPROTO: handshake failed');
    expect(met(new Error('closed'), 'connect')).toMatchObject({
      message: 'could not reach a.test: connection failed (closed)',
      reason: undefined,
      detail: 'closed',
    });
  });

  test('what each address of a name said; the first one counts', () => {
    const each = [coded('ECONNREFUSED', 'ECONNREFUSED ::1:9'), coded('ETIMEDOUT', 'ETIMEDOUT 127.0.0.1:9')];
    const all = new AggregateError(each);
    expect(met(all, 'connect')).toMatchObject({
      reason: 'ECONNREFUSED',
      message: 'could not reach a.test: connection refused',
      detail: 'ECONNREFUSED ::1:9; ETIMEDOUT 127.0.0.1:9',
      cause: all,
    });
  });
});

test('what has its own words keeps them, and so does a limit of the system', () => {
  const own = new GwtokenError('usage', 'the CA file is none');
  expect(met(own, 'connect')).toBe(own);
  const limit = Object.assign(new Error('socket EMFILE'), { code: 'EMFILE', syscall: 'socket' });
  const message = expect.stringContaining('a system limit is reached');
  expect(met(limit, 'connect')).toMatchObject({ kind: 'local', message });
});
