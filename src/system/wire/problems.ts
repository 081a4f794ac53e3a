/** Says what went wrong on the wire: a sentence for people and a reason for scripts. Loaded only after a failure. */
import { type ErrorKind, GwtokenError, limitReached, messageOf, systemCode } from '../../errors';
import { seconds } from '../../text';
import { isAtProxy, type Progress, UNKNOWN_AUTHORITY } from './connection';
import { calledProxy } from './proxy';

/**
 * Turns what Node or undici threw into a GwtokenError.
 *
 * @param lateAfterMs the timeout, if that is what ended the request
 */
export function wireProblem(
  error: unknown,
  url: URL,
  progress: Progress,
  lateAfterMs: number | undefined,
): GwtokenError {
  if (error instanceof GwtokenError) return error;
  const limit = limitReached(error);
  if (limit !== undefined) return limit;
  const { waitingFor, via, caFile } = progress;
  const proxy = isAtProxy(progress) ? via : undefined;
  // With several addresses Node throws an AggregateError, with an error for each of them.
  const errors = error instanceof AggregateError ? error.errors : [error];
  const code = systemCode(error) ?? systemCode(errors[0]);
  const message = errors.map(messageOf).join('; ');
  const values: Record<string, string> = {
    url: url.href,
    host: url.host,
    peer: proxy ? calledProxy(proxy) : url.host,
    setting: proxy?.source ?? 'the auth URL',
    settings: via ? `${via.source} and the network` : 'the network and the auth URL',
    limit: seconds(lateAfterMs ?? 0),
    passItsCa:
      caFile === undefined
        ? `behind a company proxy or private CA? ${PASS_ITS_CA}`
        : `${caFile} does not contain this CA: ${PASS_ITS_CA}`,
    validFor: validFor(error),
    code: code ?? message,
    message,
  };
  const fill = (text: string): string => text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '');
  const isLate = lateAfterMs !== undefined;
  const happened = `${isLate ? 'late' : (httpFault(error) ?? code)} ${waitingFor}`;
  const { group, row } = PROBLEMS.flatMap((group) => group.rows.map((row) => ({ group, row }))).find(
    ({ row: [which] }) => which.test(happened),
  ) as { group: Group; row: Row };
  const [, what, ...hints] = row;
  return new GwtokenError(group.kind ?? 'unreached', fill(`${group.says} ${what}`), {
    hints: [...hints, ...(group.hints ?? [])].map(fill),
    reason: group.reason ?? code,
    cause: error,
    detail: isLate ? undefined : message.includes(code ?? '') ? message : `${code}: ${message}`,
  });
}

/**
 * What happened and what we were waiting for, as in `ECONNRESET reply`: a code from Node, OpenSSL or undici, one
 * of {@link httpFault}, or `late`. Then the rest of the sentence, and hints.
 */
type Row = readonly [which: RegExp, what: string, ...hints: string[]];

/** Problems whose sentences begin alike. The first matching row of all groups is used. */
interface Group {
  /** Default: `unreached`. */
  readonly kind?: ErrorKind;
  /** Default: the code. */
  readonly reason?: string;
  /** How the sentence begins. */
  readonly says: string;
  readonly rows: readonly Row[];
  /** Shown after the row's own. */
  readonly hints?: readonly string[];
}

const UNKNOWN = 'its certificate was issued by an unknown CA';
const PASS_ITS_CA = "pass the CA's PEM file with --ca-file or GWTOKEN_CA_FILE";
const NO_HTTP = 'did not answer with HTTP';
const BAD_HTTP = 'answered with invalid HTTP';
const ASK_ITS_OPERATORS = 'contact the operator of the endpoint or of your proxy';
const CHECK_BOTH = 'check the network, and the host and port in {setting}';
const CHECK_VPN = 'check the network and the VPN';

const PROBLEMS: readonly Group[] = [
  {
    reason: 'time-limit',
    says: '{url} did not answer within {limit}:',
    rows: [
      [/^late lookup$/, 'DNS lookup of {peer} timed out'],
      [/^late tunnel$/, '{peer} did not open a tunnel'],
      [/^late handshake$/, 'the TLS handshake with {peer} did not finish'],
      [/^late reply$/, 'no reply'],
      [/^late body$/, 'incomplete reply'],
      [/^late /, 'could not connect to {peer}'],
    ],
    hints: ['check {settings}, or raise --timeout'],
  },
  {
    reason: 'certificate',
    says: '{peer} is not trusted:',
    rows: [
      [
        /^CERT_HAS_EXPIRED /,
        'its certificate has expired',
        "check this machine's clock; if it is right, the endpoint's operator must renew the certificate",
      ],
      [
        /^CERT_NOT_YET_VALID /,
        'its certificate is not yet valid',
        "check this machine's clock; if it is right, contact the endpoint's operator",
      ],
      [
        /^DEPTH_ZERO_SELF_SIGNED_CERT /,
        'its certificate is self-signed',
        'if you trust this server, pass its certificate with --ca-file or GWTOKEN_CA_FILE',
      ],
      [
        /^UNABLE_TO_(VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT_LOCALLY) /,
        UNKNOWN,
        '{passItsCa}',
        'if the CA is public, the server is not sending its intermediate certificate',
        // Bun does not distinguish this case from a self-signed certificate.
        'if it is self-signed and you trust this server, pass the certificate itself with --ca-file or GWTOKEN_CA_FILE',
      ],
      [new RegExp(`^(${UNKNOWN_AUTHORITY.join('|')}) `), UNKNOWN, '{passItsCa}'],
      [/^ERR_TLS_CERT_ALTNAME_INVALID /, 'its certificate is {validFor}', 'check the host name in {setting}'],
      // The server's alert when it wants one from us. With TLS 1.3 it comes in place of the reply, and then each of
      // these means that: the handshake has ended, and Java, IIS and others choose for themselves which one they send.
      [
        /^ERR_SSL_\S*ALERT_(CERTIFICATE_REQUIRED|BAD_CERTIFICATE|(CERTIFICATE_UNKNOWN|UNKNOWN_CA|ACCESS_DENIED|HANDSHAKE_FAILURE|UNSUPPORTED_CERTIFICATE) (reply|body)$)/,
        'it requires a client certificate (mTLS), which gwtoken does not support',
        'check the auth URL: the endpoint must accept a client ID and secret',
      ],
      // OpenSSL's other reasons, by Node's names for them.
      [
        /^(CERT_(REVOKED|REJECTED|SIGNATURE_FAILURE|CHAIN_TOO_LONG)|INVALID_(CA|PURPOSE)|PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH|UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY|UNABLE_TO_DECRYPT_CERT_SIGNATURE|ERROR_IN_CERT_NOT_(BEFORE|AFTER)_FIELD|UNSPECIFIED) /,
        'its certificate was rejected ({message})',
        ASK_ITS_OPERATORS,
      ],
    ],
  },
  {
    kind: 'bad-reply',
    says: '{url}',
    rows: [
      [/^UND_ERR_HEADERS_OVERFLOW (reply|body)$/, 'sent too many headers'],
      [/^BAD_HTTP (reply|body)$/, BAD_HTTP, ASK_ITS_OPERATORS],
      [/^UPGRADE (reply|body)$/, 'answered 101 (unexpected protocol switch)'],
      [/^NO_HTTP (reply|body)$/, NO_HTTP],
      // In the headers, undici reports any fault after a Content-Length this way.
      [/^UND_ERR_RES_CONTENT_LENGTH_MISMATCH reply$/, BAD_HTTP, ASK_ITS_OPERATORS],
    ],
    hints: ['check the auth URL'],
  },
  {
    says: '{host}',
    rows: [
      [/^ERR_SSL_\S*ALERT_\S+ (reply|body)$/, 'ended the connection with a TLS alert ({code})'],
      [/^ECONNRESET reply$/, 'reset the connection without a reply'],
      [/ reply$/, 'closed the connection without a reply'],
      [/^ECONNRESET body$/, 'reset the connection in the middle of the reply'],
      [/ body$/, 'closed the connection in the middle of the reply'],
    ],
    hints: ['try again; if it persists, contact the operator of the endpoint or of your proxy'],
  },
  {
    says: '{peer}',
    rows: [
      [/^NO_HTTP tunnel$/, NO_HTTP],
      [/^BAD_HTTP tunnel$/, BAD_HTTP],
      [/ tunnel$/, 'closed the connection without opening a tunnel'],
    ],
    hints: ['check that {setting} is the URL of an HTTP proxy'],
  },
  {
    says: 'could not reach {peer}:',
    rows: [
      [
        /^ENOTLOOPBACK /,
        'localhost does not resolve to this machine',
        'use 127.0.0.1: an http: auth URL must be on this machine',
      ],
      [/^ENOTFOUND /, 'host not found', 'check {setting} for typos'],
      [/^EAI_AGAIN /, 'DNS is not responding', CHECK_VPN],
      [
        /^ECONNREFUSED /,
        'connection refused',
        'nothing is listening there; check the host and port in {setting}',
      ],
      [/^ECONNRESET /, 'connection reset', CHECK_BOTH],
      [/^(EPIPE|UND_ERR_SOCKET) /, 'connection closed', CHECK_BOTH],
      [/^ETIMEDOUT /, 'connection timed out', 'check the network, the VPN and the firewall'],
      [/^EHOSTUNREACH /, 'no route to host', CHECK_VPN],
      [/^ENETUNREACH /, 'network unreachable', "check this machine's network"],
      [
        /^(EACCES|EPERM) /,
        'the connection was blocked on this machine',
        'check the firewall and any sandbox that gwtoken runs in',
      ],
      // OpenSSL's codes for handshakes that failed for other reasons than the certificate.
      [
        /^ERR_SSL_.*(WRONG_VERSION_NUMBER|HTTP_REQUEST|PACKET_LENGTH_TOO_LONG)/,
        'it does not speak TLS',
        'check the scheme and port in {setting}',
      ],
      [
        /^ERR_SSL_\S*UNRECOGNIZED_NAME /,
        'it does not serve this host name ({code})',
        'check the host name in {setting}',
      ],
      [
        /^ERR_SSL_\S*NO_APPLICATION_PROTOCOL /,
        'it does not support HTTP/1.1 ({code})',
        'it may support only HTTP/2, which gwtoken does not: check the port in {setting}, or contact its operator',
      ],
      [
        /^ERR_SSL_\S*HANDSHAKE_FAILURE /,
        'the TLS handshake failed ({code})',
        'there is no common cipher, or it requires a client certificate (mTLS), which gwtoken does not support: contact its operator',
      ],
      [
        /^ERR_SSL_\S*(VERSION|UNSUPPORTED_PROTOCOL)/,
        'the TLS handshake failed ({code})',
        'both sides need TLS 1.2 or later',
      ],
      [
        /^(EPROTO|ERR_SSL_\S+) /,
        'the TLS handshake failed ({code})',
        'contact the operator of the endpoint, or of your proxy or firewall',
      ],
      [/^/, 'connection failed ({code})', 'check the network'],
    ],
  },
];

/** Faults that undici has no code for: a parse error (other than a premature end), or a 101. */
function httpFault(error: unknown): 'NO_HTTP' | 'BAD_HTTP' | 'UPGRADE' | undefined {
  const message = messageOf(error);
  if (message === 'bad upgrade') return 'UPGRADE';
  // undici's "bad response" is one that arrived before there was a request.
  if (message === 'bad response') return 'NO_HTTP';
  const isParserError = error instanceof Error && error.name === 'HTTPParserError';
  if (!isParserError || message.includes('EOF')) return undefined;
  // Something that does not begin like HTTP, as opposed to a fault later on. undici passes on only the parser's
  // message, the action's client only its code.
  const isOther = /Expected HTTP\/|Invalid HTTP version|^HPE_INVALID_(CONSTANT|VERSION)$/.test(message);
  return isOther ? 'NO_HTTP' : 'BAD_HTTP';
}

/**
 * The names in a certificate without the one that is needed; the other side chose them, so they are cleaned and cut.
 */
function validFor(error: unknown): string {
  const names = (error as { cert?: { subjectaltname?: string } } | undefined)?.cert?.subjectaltname ?? '';
  const clean = names
    .replace(/[^\x20-\x7e]/g, '?')
    .replaceAll(/\b(DNS|IP Address):/g, '')
    .slice(0, 200);
  return clean === '' ? 'not valid for any host name' : `only valid for ${clean}`;
}
