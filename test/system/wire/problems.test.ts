/** The sentence and the hints for each fault and step. wire.both.test.ts shows some with real servers. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TimedOut } from '../../../src/system/limit';
import { type ConnectionProgress, type FailedRequest, wireProblem } from '../../../src/system/wire/problems';
import { type HttpProxy, TunnelRefused } from '../../../src/system/wire/proxy';
import type { Env } from '../../../src/world';
import { shown } from './open-wire';

/** Like fast-check's unit `binary`, whose making takes two seconds. */
const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code));

type Phase = ConnectionProgress['waitingFor'];
const LABEL = 'the proxy p.test:3128 (from HTTPS_PROXY)';
const proxy: HttpProxy = { url: new URL('http://p.test:3128'), source: 'HTTPS_PROXY', label: LABEL };
const fault = (code: string, message = `message of ${code}`) => Object.assign(new Error(message), { code });
const parser = (message: string) => Object.assign(new Error(message), { name: 'HTTPParserError' });
/** Returns the error for a failure in this phase of a request. */
const errorFor = (error: unknown, waitingFor: Phase, more: Partial<FailedRequest> = {}) => {
  const request = {
    url: new URL('https://a.test/oauth2/token'),
    caFile: undefined,
    timeoutMs: 10_000,
    env: {},
  };
  const peer = more.proxy && ['connection', 'tunnel'].includes(waitingFor) ? 'proxy' : 'endpoint';
  return wireProblem(error, { ...request, proxy: undefined, progress: { peer, waitingFor }, ...more });
};
const problemOf = (...args: Parameters<typeof errorFor>) => shown(errorFor(...args));

const AT = 'could not reach a.test:';
test.each<[fault: string, says: string, hint: RegExp, through?: HttpProxy]>([
  ['ENOTFOUND', `${AT} host not found`, /^check the VPN, HTTPS_PROXY and the auth URL$/],
  ['ECONNREFUSED', `${AT} connection refused`, /port in the auth URL/],
  ['ECONNREFUSED', `could not reach ${LABEL}: connection refused`, /port in HTTPS_PROXY/, proxy],
  ['ECONNRESET', `${AT} connection closed`, /port in the auth URL$/],
  ['ETIMEDOUT', `${AT} connection timed out`, /VPN/],
  ['EHOSTUNREACH', `${AT} network unreachable`, /VPN/],
  ['EPROTO', `${AT} the TLS handshake failed (EPROTO)`, /TLS 1\.2/],
  [
    'ERR_SSL_WRONG_VERSION_NUMBER',
    `${AT} it does not speak TLS`,
    /^check the scheme and port in the auth URL$/,
  ],
  [
    'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE',
    `${AT} it accepts no TLS cipher, curve or key type of gwtoken`,
    /^the server may want a client certificate, which gwtoken does not have$/,
  ],
  ['EPERM', `${AT} connection failed (EPERM)`, /firewall/],
])('%s means: %s', (code, message, hint, through) => {
  expect(problemOf(fault(code), 'connection', { proxy: through })).toMatchObject({
    kind: 'unreached',
    message,
    hints: expect.arrayContaining([expect.stringMatching(hint)]),
    detail: `message of ${code}`,
    retry: {},
  });
});

const OPERATORS = 'ask the operator of the endpoint or proxy';
const CLOCK = "check this machine's clock, or contact the endpoint's operator";
const PASS_CA = 'pass its PEM file with --ca-file';
const INCOMPLETE = 'if the CA is public, the server omits its intermediate certificate';
const TRUST_IT = 'if you trust this server, pass its certificate with --ca-file';
const NO_NAME = 'is not valid for any host name (its CN does not count)';
const UNKNOWN = 'was issued by an unknown CA';
test.each<[code: string, end: string, hints: readonly string[], caFile?: string]>([
  ['CERT_HAS_EXPIRED', 'has expired', [CLOCK]],
  ['CERT_NOT_YET_VALID', 'is not yet valid', [CLOCK]],
  ['CERT_REVOKED', 'was rejected (message of CERT_REVOKED)', [OPERATORS]],
  // OpenSSL's reasons that Node has no name for, such as a violated name constraint.
  ['UNSPECIFIED', 'was rejected (message of UNSPECIFIED)', [OPERATORS]],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'is self-signed', [TRUST_IT]],
  ['ERR_TLS_CERT_ALTNAME_INVALID', NO_NAME, ['check the host name in the auth URL']],
  [
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    UNKNOWN,
    [`behind a company proxy or private CA? ${PASS_CA}`, INCOMPLETE],
  ],
  ['SELF_SIGNED_CERT_IN_CHAIN', UNKNOWN, [`this CA is not in /ca.pem: ${PASS_CA}`, INCOMPLETE], '/ca.pem'],
])('%s means that the certificate %s', (code, end, hints, caFile) => {
  // The endpoint is named, not the proxy, which has opened the tunnel before.
  expect(problemOf(fault(code), 'certificate', { caFile, proxy })).toMatchObject({
    message: `a.test is not trusted: its certificate ${end}`,
    hints,
    retry: undefined,
  });
});

test.each<[string, Error]>([
  ['closed the connection without opening a tunnel', fault('UND_ERR_SOCKET')],
  ['did not answer with valid HTTP', parser('Response does not match the HTTP/1.1 protocol')],
])('wireProblem() reports a proxy that %s', (what, error) => {
  expect(problemOf(error, 'tunnel', { proxy })).toMatchObject({
    kind: 'unreached',
    message: `${LABEL} ${what}`,
    hints: ['check that HTTPS_PROXY is the URL of an HTTP proxy'],
  });
});

test('wireProblem() names the setting of the peer that did not answer', () => {
  const late = (waitingFor: Phase) => problemOf(new TimedOut(), waitingFor, { proxy });
  expect(late('reply')).toMatchObject({
    reason: 'timed-out',
    message: 'https://a.test/oauth2/token did not answer',
    hints: ['check the VPN, HTTPS_PROXY and the auth URL, or raise --timeout'],
  });
  expect(late('tunnel').hints).toEqual(['check the VPN and HTTPS_PROXY, or raise --timeout']);
});

const socketError = (message: string) => Object.assign(new Error(message), { name: 'SocketError' });
test.each<[Phase, Error, string]>([
  ['body', parser('Invalid character in chunk size'), 'did not answer with valid HTTP'],
  ['reply', parser('Invalid header'), 'did not answer with valid HTTP'],
  [
    'reply',
    Object.assign(new Error(''), { name: 'HeadersOverflowError' }),
    'sent more than 16 KiB of headers',
  ],
  ['reply', socketError('bad response'), 'answered with a status 1xx, which gwtoken did not ask for'],
])('wireProblem() reports in the %s (%s): the endpoint %s', (waitingFor, error, end) => {
  const message = `https://a.test/oauth2/token ${end}`;
  const hints = [`check the auth URL, or ${OPERATORS}`];
  expect(problemOf(error, waitingFor)).toMatchObject({ kind: 'bad-reply', message, hints });
});

test.each<[cause: string, end: string, Phase, Error]>([
  ['a TLS alert', 'without a reply', 'reply', fault('ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR')],
  ['a reset', 'without a reply', 'reply', fault('ECONNRESET')],
  ['an unexpected end', 'in the middle of the reply', 'body', parser('Invalid EOF state')],
  ['a socket error', 'in the middle of the reply', 'body', fault('UND_ERR_SOCKET')],
])('after %s, the endpoint closed the connection %s', (_, end, waitingFor, error) => {
  const message = `a.test closed the connection ${end}`;
  // In TLS 1.3, a server that misses the certificate closes the connection after the handshake.
  const missing = 'the server may want a client certificate, which gwtoken does not have';
  const hints = [`try again; if it persists, ${OPERATORS}`, ...(waitingFor === 'reply' ? [missing] : [])];
  expect(problemOf(error, waitingFor)).toMatchObject({ kind: 'unreached', message, hints });
});

const ofNames = (subjectaltname: string) => {
  const error = fault('ERR_TLS_CERT_ALTNAME_INVALID', `Hostname does not match: ${subjectaltname}`);
  const { message, detail } = problemOf(Object.assign(error, { cert: { subjectaltname } }), 'certificate');
  return { names: message.replace('a.test is not trusted: its certificate is ', ''), detail };
};

test('wireProblem() shows the names in a certificate, up to 200 characters', () => {
  expect(ofNames('DNS:x.test, IP Address:127.0.0.1').names).toBe('only valid for x.test, 127.0.0.1');
  expect(ofNames('').names).toBe('not valid for any host name (its CN does not count)');
  expect(ofNames(`DNS:${'x'.repeat(300)}`).names).toBe(`only valid for ${'x'.repeat(200)}…`);
});

test('wireProblem() cleans the names in a certificate, also for --verbose', () => {
  expect(ofNames('DNS:##vso[task.complete]\n::error::a')).toEqual({
    names: 'only valid for # #vso[task.complete] : :error::a',
    detail: 'ERR_TLS_CERT_ALTNAME_INVALID: Hostname does not match: DNS:# #vso[task.complete] : :error::a',
  });
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, minLength: 1, maxLength: 400 }), (names) => {
      const { names: shown, detail } = ofNames(`${names}.`);
      for (const text of [shown, detail]) expect(text).not.toMatch(/[\p{C}\u2028\u2029]/u);
    }),
  );
});

test('wireProblem() reports the first of several addresses, and all in its detail', () => {
  const each = [fault('ECONNREFUSED', 'ECONNREFUSED ::1:9'), fault('ETIMEDOUT', 'ETIMEDOUT 127.0.0.1:9')];
  expect(problemOf(new AggregateError(each), 'connection')).toMatchObject({
    message: 'could not reach a.test: connection refused',
    detail: 'ECONNREFUSED ::1:9; ETIMEDOUT 127.0.0.1:9',
  });
});

test('wireProblem() marks a failed direct connection as unreachable for all processes', () => {
  for (const phase of ['connection', 'reply', 'body'] as const) {
    expect(errorFor(fault('ECONNRESET'), phase).reason).toBe('unreachable');
    expect(errorFor(fault('ECONNRESET'), phase, { proxy }).reason).toBeUndefined();
  }
  for (const code of ['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'ETIMEDOUT', 'ENETUNREACH'])
    expect(errorFor(fault(code), 'connection').reason).toBe('unreachable');
  for (const code of ['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_TLSV1_ALERT_HANDSHAKE_FAILURE'])
    expect(errorFor(fault(code), 'connection').reason).toBeUndefined();
});

test.each<[string, Error]>([
  ['EMFILE', fault('EMFILE', 'connect EMFILE 127.0.0.1:9')],
  ['ulimit -v', new RangeError('WebAssembly.instantiate(): Out of memory')],
])('wireProblem() leaves a limit of this process in its own words, without a retry: %s', (_, error) => {
  for (const phase of ['connection', 'reply'] as const)
    expect(errorFor(error, phase)).toMatchObject({ kind: 'local', message: error.message, retry: undefined });
});

test('wireProblem() names the endpoint once the proxy has opened the tunnel', () => {
  const progress = { peer: 'endpoint', waitingFor: 'connection' } as const;
  const { message, hints } = problemOf(fault('ECONNRESET'), 'connection', { proxy, progress });
  expect(message).toBe(`${AT} connection closed`);
  expect(hints).toEqual(['check the network, and the host and port in the auth URL']);
});

test('wireProblem() hints at an https: URL for an https: proxy with a password', () => {
  const secure = { ...proxy, url: new URL('https://p.test:3128') };
  const { hints } = problemOf(new TunnelRefused(407), 'tunnel', { proxy: secure });
  expect(hints).toEqual(['export HTTPS_PROXY=https://USER:PASSWORD@p.test:3128']);
});

test('wireProblem() names a proxy variable that gwtoken does not use', () => {
  const hintsWith = (env: Env, error: Error = fault('EAI_AGAIN'), url = 'https://a.test') =>
    problemOf(error, 'connection', { env, url: new URL(url) }).hints.slice(0, -1);
  const hintAt = (name: string) => [`gwtoken does not use ${name}; to use the proxy, set HTTPS_PROXY`];
  for (const name of ['ALL_PROXY', 'all_proxy', 'HTTP_PROXY', 'http_proxy'])
    expect(hintsWith({ [name]: 'p.test:3128' })).toEqual(hintAt(name));
  expect(hintsWith({ HTTP_PROXY: 'p.test' }, new TimedOut())).toEqual(hintAt('HTTP_PROXY'));
  expect(hintsWith({ HTTP_PROXY: '' })).toEqual([]);
  for (const name of ['HTTPS_PROXY', 'https_proxy'])
    expect(hintsWith({ ALL_PROXY: 'p.test', [name]: 'p.test' })).toEqual([]);
  expect(hintsWith({ ALL_PROXY: 'p.test' }, fault('ECONNREFUSED'), 'http://127.0.0.1:9')).toEqual([]);
});
