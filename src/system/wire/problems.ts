/** Says what went wrong on the wire: a sentence for people and a reason for scripts. Loaded only after a failure. */
import { type ErrorKind, GwtokenError, limitReached, messageOf, systemCode } from '../../errors';
import { duration, foreign } from '../../text';
import { isAtProxy, type Progress, UNKNOWN_AUTHORITY } from './connection';
import { calledProxy } from './proxy';

/** The end of a sentence, and hints. */
type Row = readonly [what: string, ...hints: string[]];

interface Problem {
  readonly kind?: ErrorKind;
  /** The error's code if left out. */
  readonly reason?: string;
  readonly sentence: string;
  readonly hints: readonly string[];
}

/** What failed, and how the messages name the two sides. */
interface Fault {
  readonly error: unknown;
  /** A code from Node, OpenSSL or undici, or one of {@link httpFault}; the message if there is none. */
  readonly code: string;
  readonly message: string;
  readonly url: URL;
  readonly progress: Progress;
  /** Whom we were talking to: the endpoint or the proxy. */
  readonly peer: string;
  /** Where its address comes from. */
  readonly setting: string;
}

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
  const proxy = isAtProxy(progress) ? progress.via : undefined;
  // With several addresses Node throws an AggregateError, with an error for each of them.
  const errors = error instanceof AggregateError ? error.errors : [error];
  const code = systemCode(error) ?? systemCode(errors[0]);
  // Node's own words repeat names of the certificate.
  const message = foreign(errors.map(messageOf).join('; '));
  const fault: Fault = {
    error,
    code: httpFault(error) ?? code ?? message,
    message,
    url,
    progress,
    peer: proxy ? calledProxy(proxy) : url.host,
    setting: proxy?.source ?? 'the auth URL',
  };
  const isLate = lateAfterMs !== undefined;
  const {
    kind = 'unreached',
    reason = code,
    sentence,
    hints,
  } = isLate ? late(fault, lateAfterMs) : failed(fault);
  const detail = message.includes(code ?? '') ? message : `${code}: ${message}`;
  return new GwtokenError(kind, sentence, {
    hints,
    reason,
    cause: error,
    detail: isLate ? undefined : detail,
  });
}

function late({ url, progress, peer }: Fault, afterMs: number): Problem {
  const { via, waitingFor } = progress;
  const settings = via ? `${via.source} and the network` : 'the network and the auth URL';
  const waits: Partial<Record<Progress['waitingFor'], string>> = {
    lookup: `: DNS lookup of ${peer} timed out`,
    tunnel: `: ${peer} did not open a tunnel`,
    handshake: `: the TLS handshake with ${peer} did not finish`,
    reply: '',
    body: ': incomplete reply',
  };
  return {
    reason: 'time-limit',
    sentence: `${url.href} did not answer within ${duration(afterMs)}${waits[waitingFor] ?? `: could not connect to ${peer}`}`,
    hints: [`check ${settings}, or raise --timeout`],
  };
}

function failed(fault: Fault): Problem {
  const untrusted = certificateProblem(fault);
  if (untrusted) {
    const [what, ...hints] = untrusted;
    return { reason: 'certificate', sentence: `${fault.peer} is not trusted: ${what}`, hints };
  }
  switch (fault.progress.waitingFor) {
    case 'reply':
    case 'body':
      return inTheReply(fault);
    case 'tunnel':
      return inTheTunnel(fault);
    default: {
      const [what, ...hints] = notReached(fault);
      return { sentence: `could not reach ${fault.peer}: ${what}`, hints };
    }
  }
}

const NO_HTTP = 'did not answer with HTTP';
const BAD_HTTP = 'answered with invalid HTTP';
const ASK_ITS_OPERATORS = 'contact the operator of the endpoint or of your proxy';

/** The server's alert when it requires a certificate of ours. */
const CERTIFICATE_WANTED = /^ERR_SSL_\S*ALERT_(CERTIFICATE_REQUIRED|BAD_CERTIFICATE)$/;
/**
 * With TLS 1.3 that alert comes in place of the reply, when the handshake has ended for us. Then each of these means it:
 * Java, IIS and others choose for themselves which one they send.
 */
const CERTIFICATE_WANTED_LATE =
  /^ERR_SSL_\S*ALERT_(CERTIFICATE_UNKNOWN|UNKNOWN_CA|ACCESS_DENIED|HANDSHAKE_FAILURE|UNSUPPORTED_CERTIFICATE)$/;

/** OpenSSL's other reasons, by Node's names for them. */
const REJECTED = [
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
];

function certificateProblem({ code, error, message, progress, setting }: Fault): Row | undefined {
  const { caFile, waitingFor } = progress;
  const isLate = waitingFor === 'reply' || waitingFor === 'body';
  if (CERTIFICATE_WANTED.test(code) || (isLate && CERTIFICATE_WANTED_LATE.test(code))) {
    return [
      'it requires a client certificate (mTLS), which gwtoken does not support',
      'check the auth URL: the endpoint must accept a client ID and secret',
    ];
  }
  if (REJECTED.includes(code)) return [`its certificate was rejected (${message})`, ASK_ITS_OPERATORS];
  const unknown = 'its certificate was issued by an unknown CA';
  const pass = "pass the CA's PEM file with --ca-file or GWTOKEN_CA_FILE";
  const passItsCa =
    caFile === undefined
      ? `behind a company proxy or private CA? ${pass}`
      : `${caFile} does not contain this CA: ${pass}`;
  const incomplete: Row = [
    unknown,
    passItsCa,
    'if the CA is public, the server is not sending its intermediate certificate',
    // Bun does not distinguish this case from a self-signed certificate.
    'if it is self-signed and you trust this server, pass the certificate itself with --ca-file or GWTOKEN_CA_FILE',
  ];
  const rows: Readonly<Record<string, Row>> = {
    CERT_HAS_EXPIRED: [
      'its certificate has expired',
      "check this machine's clock; if it is right, the endpoint's operator must renew the certificate",
    ],
    CERT_NOT_YET_VALID: [
      'its certificate is not yet valid',
      "check this machine's clock; if it is right, contact the endpoint's operator",
    ],
    DEPTH_ZERO_SELF_SIGNED_CERT: [
      'its certificate is self-signed',
      'if you trust this server, pass its certificate with --ca-file or GWTOKEN_CA_FILE',
    ],
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: incomplete,
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY: incomplete,
    ERR_TLS_CERT_ALTNAME_INVALID: [
      `its certificate is ${validFor(error)}`,
      `check the host name in ${setting}`,
    ],
  };
  return rows[code] ?? (UNKNOWN_AUTHORITY.includes(code) ? [unknown, passItsCa] : undefined);
}

/** The names in a certificate without the one that is needed. */
function validFor(error: unknown): string {
  const names = (error as { cert?: { subjectaltname?: string } } | undefined)?.cert?.subjectaltname ?? '';
  const shown = foreign(names.replaceAll(/\b(DNS|IP Address):/g, '')).slice(0, 200);
  return shown === '' ? 'not valid for any host name' : `only valid for ${shown}`;
}

const BAD_REPLIES: Readonly<Record<string, Row>> = {
  UND_ERR_HEADERS_OVERFLOW: ['sent too many headers'],
  BAD_HTTP: [BAD_HTTP, ASK_ITS_OPERATORS],
  UPGRADE: ['answered 101 (unexpected protocol switch)'],
  NO_HTTP: [NO_HTTP],
};

function inTheReply({ code, url, progress }: Fault): Problem {
  const isBody = progress.waitingFor === 'body';
  // In the headers, undici reports any fault after a Content-Length this way; in the body it is one that was cut short.
  const isBadLength = code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' && !isBody;
  const bad = BAD_REPLIES[isBadLength ? 'BAD_HTTP' : code];
  if (bad) {
    const [what, ...hints] = bad;
    return { kind: 'bad-reply', sentence: `${url.href} ${what}`, hints: [...hints, 'check the auth URL'] };
  }
  const how = code === 'ECONNRESET' ? 'reset' : 'closed';
  const where = isBody ? 'in the middle of the reply' : 'without a reply';
  const what = /^ERR_SSL_\S*ALERT_/.test(code)
    ? `ended the connection with a TLS alert (${code})`
    : `${how} the connection ${where}`;
  const hints = [`try again; if it persists, ${ASK_ITS_OPERATORS}`];
  return { sentence: `${url.host} ${what}`, hints };
}

function inTheTunnel({ code, peer, setting }: Fault): Problem {
  const whats: Readonly<Record<string, string>> = { NO_HTTP, BAD_HTTP };
  const what = whats[code] ?? 'closed the connection without opening a tunnel';
  return { sentence: `${peer} ${what}`, hints: [`check that ${setting} is the URL of an HTTP proxy`] };
}

function notReached({ code, setting }: Fault): Row {
  const checkBoth = `check the network, and the host and port in ${setting}`;
  const checkVpn = 'check the network and the VPN';
  const closed: Row = ['connection closed', checkBoth];
  const blocked: Row = [
    'the connection was blocked on this machine',
    'check the firewall and any sandbox that gwtoken runs in',
  ];
  const rows: Readonly<Record<string, Row>> = {
    ENOTLOOPBACK: [
      'localhost does not resolve to this machine',
      'use 127.0.0.1: an http: auth URL must be on this machine',
    ],
    ENOTFOUND: ['host not found', `check ${setting} for typos`],
    EAI_AGAIN: ['DNS is not responding', checkVpn],
    ECONNREFUSED: [
      'connection refused',
      `check the host and port in ${setting}; if they are right, the server is down`,
    ],
    ECONNRESET: ['connection reset', checkBoth],
    EPIPE: closed,
    UND_ERR_SOCKET: closed,
    ETIMEDOUT: ['connection timed out', 'check the network, the VPN and the firewall'],
    EHOSTUNREACH: ['no route to host', checkVpn],
    ENETUNREACH: ['network unreachable', "check this machine's network"],
    EACCES: blocked,
    EPERM: blocked,
  };
  return (
    rows[code] ?? handshakeProblem(code, setting) ?? [`connection failed (${code})`, 'check the network']
  );
}

/** OpenSSL's codes for handshakes that failed for other reasons than the certificate. */
function handshakeProblem(code: string, setting: string): Row | undefined {
  if (code !== 'EPROTO' && !code.startsWith('ERR_SSL_')) return undefined;
  if (/WRONG_VERSION_NUMBER|HTTP_REQUEST|PACKET_LENGTH_TOO_LONG/.test(code))
    return ['it does not speak TLS', `check the scheme and port in ${setting}`];
  if (code.endsWith('UNRECOGNIZED_NAME'))
    return [`it does not serve this host name (${code})`, `check the host name in ${setting}`];
  if (code.endsWith('NO_APPLICATION_PROTOCOL')) {
    const hint = `it may support only HTTP/2, which gwtoken does not: check the port in ${setting}, or contact its operator`;
    return [`it does not support HTTP/1.1 (${code})`, hint];
  }
  const tlsFailed = `the TLS handshake failed (${code})`;
  if (code.endsWith('HANDSHAKE_FAILURE')) {
    const hint =
      'there is no common cipher, or it requires a client certificate (mTLS), which gwtoken does not support: contact its operator';
    return [tlsFailed, hint];
  }
  if (/VERSION|UNSUPPORTED_PROTOCOL/.test(code)) return [tlsFailed, 'both sides need TLS 1.2 or later'];
  return [tlsFailed, 'contact the operator of the endpoint, or of your proxy or firewall'];
}

/** Faults that undici has no code for: a parse error (other than a premature end), or a 101. */
function httpFault(error: unknown): 'NO_HTTP' | 'BAD_HTTP' | 'UPGRADE' | undefined {
  const message = messageOf(error);
  if (message === 'bad upgrade') return 'UPGRADE';
  // undici's "bad response" is one that arrived before there was a request.
  if (message === 'bad response') return 'NO_HTTP';
  const isParserError = error instanceof Error && error.name === 'HTTPParserError';
  if (!isParserError || message.includes('EOF')) return undefined;
  // Something that does not begin like HTTP, as opposed to a fault later on. undici passes on only the parser's message.
  return /Expected HTTP\/|Invalid HTTP version/.test(message) ? 'NO_HTTP' : 'BAD_HTTP';
}
