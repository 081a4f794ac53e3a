/** What is said and advised, word for word, of each fault that Node or undici reports; the wire's cases meet many for real. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GwtokenError } from '../../../src/errors';
import type { Progress } from '../../../src/system/wire/connection';
import { wireProblem } from '../../../src/system/wire/problems';
import type { HttpProxy } from '../../../src/system/wire/proxy';

const URL_ = new URL('https://a.test/oauth2/token');
const via: HttpProxy = {
  secure: false,
  hostname: 'p.test',
  port: 3128,
  source: 'HTTPS_PROXY',
  name: 'p.test:3128',
  authorization: undefined,
};
const PROXY = 'the proxy p.test:3128 (from HTTPS_PROXY)';
/** A code and what was waited for, as in `ECONNRESET reply`. */
const met = (happened: string, progress: Partial<Progress> = {}) => {
  const [code = '', waitingFor] = happened.split(' ');
  const error = Object.assign(new Error(`message of ${code}`), { code });
  return wireProblem(
    error,
    URL_,
    { waitingFor: waitingFor as Progress['waitingFor'], ...progress },
    undefined,
  );
};

const OPERATORS = 'contact the operator of the endpoint or of your proxy';
const AGAIN = `try again; if it persists, ${OPERATORS}`;
const HOST_AND_PORT = 'check the network, and the host and port in the auth URL';
const VPN = 'check the network and the VPN';
const TLS_OPERATORS = 'contact the operator of the endpoint, or of your proxy or firewall';
const PASS = "pass the CA's PEM file with --ca-file or GWTOKEN_CA_FILE";
const COMPANY = `behind a company proxy or private CA? ${PASS}`;
const UNKNOWN = 'its certificate was issued by an unknown CA';
const CERTIFICATE_WANTED = [
  'it requires a client certificate (mTLS), which gwtoken does not support',
  'check the auth URL: the endpoint must accept a client ID and secret',
] as const;

describe('it could not reach the endpoint, since', () => {
  test.each<[string, string, string]>([
    [
      'ENOTLOOPBACK lookup',
      'localhost does not resolve to this machine',
      'use 127.0.0.1: an http: auth URL must be on this machine',
    ],
    ['ENOTFOUND lookup', 'host not found', 'check the auth URL for typos'],
    ['EAI_AGAIN lookup', 'DNS is not responding', VPN],
    [
      'ECONNREFUSED connect',
      'connection refused',
      'check the host and port in the auth URL; if they are right, the server is down',
    ],
    ['ECONNRESET handshake', 'connection reset', HOST_AND_PORT],
    ['EPIPE handshake', 'connection closed', HOST_AND_PORT],
    ['UND_ERR_SOCKET handshake', 'connection closed', HOST_AND_PORT],
    ['ETIMEDOUT connect', 'connection timed out', 'check the network, the VPN and the firewall'],
    ['EHOSTUNREACH connect', 'no route to host', VPN],
    ['ENETUNREACH connect', 'network unreachable', "check this machine's network"],
    ...['EACCES', 'EPERM'].map((code): [string, string, string] => [
      `${code} connect`,
      'the connection was blocked on this machine',
      'check the firewall and any sandbox that gwtoken runs in',
    ]),
    ...['WRONG_VERSION_NUMBER', 'HTTP_REQUEST', 'PACKET_LENGTH_TOO_LONG'].map(
      (code): [string, string, string] => [
        `ERR_SSL_${code} handshake`,
        'it does not speak TLS',
        'check the scheme and port in the auth URL',
      ],
    ),
    [
      'ERR_SSL_TLSV1_UNRECOGNIZED_NAME handshake',
      'it does not serve this host name (ERR_SSL_TLSV1_UNRECOGNIZED_NAME)',
      'check the host name in the auth URL',
    ],
    [
      'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL handshake',
      'it does not support HTTP/1.1 (ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL)',
      'it may support only HTTP/2, which gwtoken does not: check the port in the auth URL, or contact its operator',
    ],
    [
      'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE handshake',
      'the TLS handshake failed (ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE)',
      'there is no common cipher, or it requires a client certificate (mTLS), which gwtoken does not support: contact its operator',
    ],
    ...['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'ERR_SSL_UNSUPPORTED_PROTOCOL'].map(
      (code): [string, string, string] => [
        `${code} handshake`,
        `the TLS handshake failed (${code})`,
        'both sides need TLS 1.2 or later',
      ],
    ),
    ...['EPROTO', 'ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR'].map((code): [string, string, string] => [
      `${code} handshake`,
      `the TLS handshake failed (${code})`,
      TLS_OPERATORS,
    ]),
    ['EADDRNOTAVAIL connect', 'connection failed (EADDRNOTAVAIL)', 'check the network'],
  ])('%s', (happened, what, hint) => {
    const [code] = happened.split(' ');
    expect(met(happened)).toMatchObject({
      kind: 'unreached',
      reason: code,
      message: `could not reach a.test: ${what}`,
      hints: [hint],
      detail: `message of ${code}`,
    });
    expect(met(happened, { via, tunnel: false })).toMatchObject({
      message: `could not reach ${PROXY}: ${what}`,
      hints: [hint.replace('the auth URL', 'HTTPS_PROXY')],
    });
    expect(met(happened, { via, tunnel: true })).toMatchObject({ hints: [hint] });
  });
});

describe('it is not trusted, since', () => {
  test.each<[string, string, readonly string[]]>([
    [
      'CERT_HAS_EXPIRED handshake',
      'its certificate has expired',
      ["check this machine's clock; if it is right, the endpoint's operator must renew the certificate"],
    ],
    [
      'CERT_NOT_YET_VALID handshake',
      'its certificate is not yet valid',
      ["check this machine's clock; if it is right, contact the endpoint's operator"],
    ],
    [
      'DEPTH_ZERO_SELF_SIGNED_CERT handshake',
      'its certificate is self-signed',
      ['if you trust this server, pass its certificate with --ca-file or GWTOKEN_CA_FILE'],
    ],
    ...['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'].map(
      (code): [string, string, readonly string[]] => [
        `${code} handshake`,
        UNKNOWN,
        [
          COMPANY,
          'if the CA is public, the server is not sending its intermediate certificate',
          'if it is self-signed and you trust this server, pass the certificate itself with --ca-file or GWTOKEN_CA_FILE',
        ],
      ],
    ),
    ...['UNABLE_TO_GET_ISSUER_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'CERT_UNTRUSTED'].map(
      (code): [string, string, readonly string[]] => [`${code} handshake`, UNKNOWN, [COMPANY]],
    ),
    [
      'ERR_TLS_CERT_ALTNAME_INVALID handshake',
      'its certificate is not valid for any host name',
      ['check the host name in the auth URL'],
    ],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED reply', CERTIFICATE_WANTED[0], [CERTIFICATE_WANTED[1]]],
    ['ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE handshake', CERTIFICATE_WANTED[0], [CERTIFICATE_WANTED[1]]],
    // With TLS 1.3 each of these comes when the handshake has ended for us.
    ...[
      'SSLV3_ALERT_CERTIFICATE_UNKNOWN',
      'SSLV3_ALERT_UNSUPPORTED_CERTIFICATE',
      'SSLV3_ALERT_HANDSHAKE_FAILURE',
      'TLSV1_ALERT_UNKNOWN_CA',
      'TLSV1_ALERT_ACCESS_DENIED',
    ].flatMap((alert) =>
      ['reply', 'body'].map((phase): [string, string, readonly string[]] => [
        `ERR_SSL_${alert} ${phase}`,
        CERTIFICATE_WANTED[0],
        [CERTIFICATE_WANTED[1]],
      ]),
    ),
    ...[
      'CERT_REVOKED',
      'CERT_REJECTED',
      'CERT_SIGNATURE_FAILURE',
      'CERT_CHAIN_TOO_LONG',
      'INVALID_CA',
      'INVALID_PURPOSE',
      'PATH_LENGTH_EXCEEDED',
      'HOSTNAME_MISMATCH',
      'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY',
      'UNABLE_TO_DECRYPT_CERT_SIGNATURE',
      'ERROR_IN_CERT_NOT_BEFORE_FIELD',
      'ERROR_IN_CERT_NOT_AFTER_FIELD',
      'UNSPECIFIED',
    ].map((code): [string, string, readonly string[]] => [
      `${code} handshake`,
      `its certificate was rejected (message of ${code})`,
      [OPERATORS],
    ]),
  ])('%s', (happened, what, hints) => {
    expect(met(happened)).toMatchObject({
      kind: 'unreached',
      reason: 'certificate',
      message: `a.test is not trusted: ${what}`,
      hints,
    });
    const withFile = met(happened, { caFile: '/ca.pem' });
    expect(withFile.hints).toEqual(
      hints.map((hint) => (hint === COMPANY ? `/ca.pem does not contain this CA: ${PASS}` : hint)),
    );
  });
});

describe('it did not answer in time:', () => {
  const late = (waitingFor: Progress['waitingFor'], more: Partial<Progress> = {}) =>
    wireProblem(new Error('closed'), URL_, { waitingFor, ...more }, 10_000);

  test.each<[Progress['waitingFor'], string]>([
    ['route', ': could not connect to a.test'],
    ['roots', ': could not connect to a.test'],
    ['lookup', ': DNS lookup of a.test timed out'],
    ['connect', ': could not connect to a.test'],
    ['handshake', ': the TLS handshake with a.test did not finish'],
    ['reply', ''],
    ['body', ': incomplete reply'],
  ])('%s', (waitingFor, what) => {
    expect(late(waitingFor)).toMatchObject({
      kind: 'unreached',
      reason: 'time-limit',
      message: `https://a.test/oauth2/token did not answer within 10 s${what}`,
      hints: ['check the network and the auth URL, or raise --timeout'],
      detail: undefined,
    });
  });

  test('a proxy', () => {
    const hints = ['check HTTPS_PROXY and the network, or raise --timeout'];
    const before = 'https://a.test/oauth2/token did not answer within 10 s: ';
    for (const [waitingFor, what] of [
      ['lookup', `DNS lookup of ${PROXY} timed out`],
      ['connect', `could not connect to ${PROXY}`],
      ['handshake', `the TLS handshake with ${PROXY} did not finish`],
      ['tunnel', `${PROXY} did not open a tunnel`],
    ] as const)
      expect(late(waitingFor, { via, tunnel: false })).toMatchObject({ message: before + what, hints });
    expect(late('handshake', { via, tunnel: true })).toMatchObject({
      message: `${before}the TLS handshake with a.test did not finish`,
      hints,
    });
  });
});

describe('it answered, and broke off or spoke no proper HTTP:', () => {
  const parser = (message: string) => Object.assign(new Error(message), { name: 'HTTPParserError' });
  const overflow = Object.assign(new Error('overflow'), { code: 'UND_ERR_HEADERS_OVERFLOW' });
  const mismatch = Object.assign(new Error('x'), { code: 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' });

  test.each<[Error, string, readonly string[]]>([
    [overflow, 'sent too many headers', []],
    [parser('Invalid header value char'), 'answered with invalid HTTP', [OPERATORS]],
    [mismatch, 'answered with invalid HTTP', [OPERATORS]],
    [new Error('bad upgrade'), 'answered 101 (unexpected protocol switch)', []],
    [new Error('bad response'), 'did not answer with HTTP', []],
    ...['Expected HTTP/', 'Invalid HTTP version'].map((message): [Error, string, readonly string[]] => [
      parser(message),
      'did not answer with HTTP',
      [],
    ]),
  ])('%s', (error, what, hints) => {
    for (const waitingFor of ['reply', 'body'] as const) {
      // In the body that is one which ended too early.
      if (error === mismatch && waitingFor === 'body') continue;
      expect(wireProblem(error, URL_, { waitingFor }, undefined)).toMatchObject({
        kind: 'bad-reply',
        message: `https://a.test/oauth2/token ${what}`,
        hints: [...hints, 'check the auth URL'],
      });
    }
  });

  test.each<[string, string]>([
    ...['reply', 'body'].map((waitingFor): [string, string] => [
      `ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR ${waitingFor}`,
      'ended the connection with a TLS alert (ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR)',
    ]),
    ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH body', 'closed the connection in the middle of the reply'],
    ['ECONNRESET reply', 'reset the connection without a reply'],
    ['UND_ERR_SOCKET reply', 'closed the connection without a reply'],
    ['ECONNRESET body', 'reset the connection in the middle of the reply'],
    ['UND_ERR_SOCKET body', 'closed the connection in the middle of the reply'],
  ])('%s', (happened, what) => {
    expect(met(happened)).toMatchObject({ kind: 'unreached', message: `a.test ${what}`, hints: [AGAIN] });
  });

  test('too early for its parser', () => {
    expect(wireProblem(parser('Invalid EOF state'), URL_, { waitingFor: 'body' }, undefined)).toMatchObject({
      message: 'a.test closed the connection in the middle of the reply',
    });
  });

  test('a proxy', () => {
    const hints = ['check that HTTPS_PROXY is the URL of an HTTP proxy'];
    for (const [error, what] of [
      [new Error('bad response'), 'did not answer with HTTP'],
      [parser('Invalid header value char'), 'answered with invalid HTTP'],
      [new Error('closed'), 'closed the connection without opening a tunnel'],
    ] as const)
      expect(wireProblem(error, URL_, { waitingFor: 'tunnel', via, tunnel: false }, undefined)).toMatchObject(
        { kind: 'unreached', message: `${PROXY} ${what}`, hints },
      );
  });
});

describe('for -v there is', () => {
  const connecting = (error: unknown) => wireProblem(error, URL_, { waitingFor: 'connect' }, undefined);
  const coded = (code: string, message: string) => Object.assign(new Error(message), { code });

  test('the code before a message that has it not, and the message alone where there is no code', () => {
    expect(connecting(coded('EPROTO', 'handshake failed')).detail).toBe('EPROTO: handshake failed');
    expect(connecting(new Error('closed'))).toMatchObject({
      message: 'could not reach a.test: connection failed (closed)',
      hints: ['check the network'],
      reason: undefined,
      detail: 'closed',
    });
  });

  test('what each address of a name said, of which the first one counts', () => {
    const each = [coded('ECONNREFUSED', 'ECONNREFUSED ::1:9'), coded('ETIMEDOUT', 'ETIMEDOUT 127.0.0.1:9')];
    const all = new AggregateError(each);
    expect(connecting(all)).toMatchObject({
      reason: 'ECONNREFUSED',
      message: 'could not reach a.test: connection refused',
      detail: 'ECONNREFUSED ::1:9; ETIMEDOUT 127.0.0.1:9',
      cause: all,
    });
  });
});

test('what has its own words already keeps them, and so does a limit of the system', () => {
  const own = new GwtokenError('usage', 'the CA file is none');
  const limit = Object.assign(new Error('socket EMFILE'), { code: 'EMFILE', syscall: 'socket' });
  for (const lateAfterMs of [undefined, 1000]) {
    const told = (error: unknown) => wireProblem(error, URL_, { waitingFor: 'roots' }, lateAfterMs);
    expect(told(own)).toBe(own);
    expect(told(limit)).toMatchObject({
      kind: 'local',
      message: expect.stringContaining('a system limit is reached'),
    });
  }
});

describe('the names in a certificate', () => {
  const said = (subjectaltname: string) => {
    const message = `Hostname does not match: ${subjectaltname}`;
    const code = 'ERR_TLS_CERT_ALTNAME_INVALID';
    const error = Object.assign(new Error(message), { code, cert: { subjectaltname } });
    const problem = wireProblem(error, URL_, { waitingFor: 'handshake' }, undefined);
    expect([problem.kind, problem.reason]).toEqual(['unreached', 'certificate']);
    return {
      names: problem.message.replace('a.test is not trusted: its certificate is ', ''),
      detail: problem.detail,
    };
  };

  test('are shown without their kind, 200 characters at most', () => {
    expect(said('DNS:x.test, IP Address:127.0.0.1').names).toBe('only valid for x.test, 127.0.0.1');
    expect(said('').names).toBe('not valid for any host name');
    expect(said(`DNS:${'x'.repeat(300)}`).names).toBe(`only valid for ${'x'.repeat(200)}`);
  });

  test('are cleaned, for --verbose too', () => {
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
