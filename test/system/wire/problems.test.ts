/** The sentence and the hints for each fault and step. wire.both.test.ts shows some with real servers. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TimedOut } from '../../../src/system/limit';
import { type ConnectionProgress, type FailedRequest, wireProblem } from '../../../src/system/wire/problems';
import { type HttpProxy, TunnelRefused } from '../../../src/system/wire/proxy';
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
  const request = { url: new URL('https://a.test/oauth2/token'), caFile: undefined };
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
  ['EPROTO', `${AT} the TLS handshake failed (EPROTO)`, /gwtoken help network$/],
  [
    'ERR_SSL_WRONG_VERSION_NUMBER',
    `${AT} it does not speak TLS`,
    /^check the scheme and port in the auth URL$/,
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

test.each<[Phase, Error]>([
  ['body', parser('Invalid character in chunk size')],
  ['reply', parser('Invalid header')],
])('wireProblem() reports invalid HTTP in the %s (%s)', (waitingFor, error) => {
  const message = 'https://a.test/oauth2/token did not answer with valid HTTP';
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
  const hints = [`try again; if it persists, ${OPERATORS}`];
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
  ['--jitless', new ReferenceError('WebAssembly is not defined')],
])('wireProblem() leaves a limit of this process in its own words, without a retry: %s', (_, error) => {
  const local = { kind: 'local', message: error.message, retry: undefined };
  expect(errorFor(error, 'connection')).toMatchObject(local);
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
