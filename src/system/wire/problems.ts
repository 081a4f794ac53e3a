/** Describes failures on the wire. Loaded only after a failure. */
import { ASK_OPERATORS, type Cause, type ConnectionReason, type Hints } from '../../causes';
import { type ErrorKind, GwtokenError, messageOf } from '../../errors';
import type { ConnectionProgress } from '../../post-form';
import { limitReached, systemCode } from '../../system-errors';
import { cleaned, listOf } from '../../text';
import type { Env } from '../../world';
import { IS_EXECUTABLE } from '../form';
import { TimedOut } from '../limit';
import { type HttpProxy, TunnelRefused, unusedProxy } from './proxy';

/** The failed request, its proxy and its progress. */
export interface FailedRequest {
  readonly url: URL;
  readonly proxy: HttpProxy | undefined;
  readonly progress: ConnectionProgress;
  readonly caFile: string | undefined;
  readonly env: Env;
}

/** The failed request with its error, in the words of messages. */
interface Failure extends FailedRequest {
  readonly error: unknown;
  /** The error's code, or its message if it has none. */
  readonly code: string;
  readonly message: string;
  /** The peer of the failed step: `id.example.com`, or the proxy's label. */
  readonly peer: string;
  /** The setting with the peer's address. */
  readonly setting: string;
}

/** What is known of a failure by its code, and the end of its sentence. The first match counts. */
type Endings<T> = readonly (readonly [
  codes: RegExp,
  known: T,
  end: string | ((failure: Failure) => string),
])[];

/** Codes of an unknown CA. Nothing has been sent yet, and other CAs may help. */
export const UNKNOWN_CA =
  /^(UNABLE_TO_(GET_ISSUER_CERT|VERIFY_LEAF)|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED|CERT_UNTRUSTED)/;

const CHECK_CLOCK = "check this machine's clock; if it is right, contact the endpoint's operator";

/** Rejected certificates, by Node's names for OpenSSL's reasons, with their hints. */
const CERTIFICATES: Endings<(failure: Failure) => Hints> = [
  [/^CERT_HAS_EXPIRED$/, () => [CHECK_CLOCK], 'has expired'],
  [/^CERT_NOT_YET_VALID$/, () => [CHECK_CLOCK], 'is not yet valid'],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    ({ setting }) => [`check the host name in ${setting}`],
    ({ error }) => `is ${validFor(error)}`,
  ],
  [
    /^DEPTH_ZERO_SELF_SIGNED_CERT$/,
    () => ['if you trust this server, pass its certificate with --ca-file or GWTOKEN_CA_FILE'],
    'is self-signed',
  ],
  [UNKNOWN_CA, unknownCaHints, 'was issued by an unknown CA'],
  [/^/, () => [ASK_OPERATORS], ({ message }) => `was rejected (${message})`],
];

/** Returns the hints to pass a CA, with the places where gwtoken has looked for it. */
function unknownCaHints({ caFile, progress: { insteadOfSystem = [] } }: Failure): Hints {
  const tried = [...(caFile === undefined ? [] : [caFile]), ...insteadOfSystem];
  const why =
    tried.length > 0 ? `this CA is not in ${listOf(tried)}:` : 'behind a company proxy or private CA?';
  return [
    `${why} pass the CA's PEM file with --ca-file or GWTOKEN_CA_FILE`,
    'if the CA is public, the server is not sending its intermediate certificate',
  ];
}

/** Failed connections, by the system's code or OpenSSL's. */
const CONNECTIONS: Endings<ConnectionReason> = [
  [/^ENOTFOUND$/, 'host-not-found', 'host not found'],
  [/^EAI_AGAIN$/, 'network', 'DNS is not responding'],
  [/^ECONNREFUSED$/, 'connection-refused', 'connection refused'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'connection-closed', 'connection closed'],
  [/^ETIMEDOUT$/, 'network', 'connection timed out'],
  [/^E(HOST|NET)UNREACH$/, 'network', 'network unreachable'],
  [
    /^ERR_SSL_.*(WRONG_VERSION_NUMBER|HTTP_REQUEST|PACKET_LENGTH_TOO_LONG)/,
    'no-tls',
    'it does not speak TLS',
  ],
  [
    /^ERR_SSL_.*HANDSHAKE_FAILURE$/,
    IS_EXECUTABLE ? 'no-cipher-of-executable' : 'no-cipher',
    'it accepts no TLS cipher, curve or key type of gwtoken',
  ],
  [/^(EPROTO$|ERR_SSL_)/, 'handshake-failed', ({ code }) => `the TLS handshake failed (${code})`],
  [/^/, 'network', ({ code }) => `connection failed (${code})`],
];

/** A sentence with its cause. The kind is by default `unreached`. */
interface Problem {
  readonly message: string;
  readonly cause: Cause;
  readonly kind?: ErrorKind;
  /** True if no retry helps, because something has to be changed first. */
  readonly isFinal?: boolean;
}

/** Returns the GwtokenError for an error of Node or undici. */
export function wireProblem(thrown: unknown, request: FailedRequest): GwtokenError {
  if (thrown instanceof GwtokenError) return thrown;
  const limit = limitReached(thrown);
  if (limit !== undefined) return limit;
  const failure = failureOf(thrown, request);
  const { message, cause, kind = 'unreached', isFinal = false } = problemOf(failure);
  const detail = failure.message.includes(failure.code)
    ? failure.message
    : `${failure.code}: ${failure.message}`;
  return new GwtokenError(kind, message, cause, { detail, retry: isFinal ? undefined : {} });
}

function failureOf(error: unknown, request: FailedRequest): Failure {
  const { url, proxy, progress } = request;
  // For several addresses Node throws an AggregateError with an error for each of them.
  const errors = error instanceof AggregateError ? error.errors : [error];
  // Node's messages repeat names from the certificate.
  const message = cleaned(errors.map(messageOf).join('; '));
  const isAtProxy = proxy && progress.peer === 'proxy';
  return {
    ...request,
    error,
    code: systemCode(error) ?? systemCode(errors[0]) ?? message,
    message,
    peer: isAtProxy ? proxy.label : url.host,
    setting: isAtProxy ? proxy.source : 'the auth URL',
  };
}

/** Describes the failure by the step that failed. */
function problemOf(failure: Failure): Problem {
  const { error, peer, setting, proxy, url, progress } = failure;
  const { waitingFor } = progress;
  const isDirect = proxy === undefined;
  const address = { setting, unusedProxy: unusedProxy(url, failure.env), isDirect };
  if (error instanceof TimedOut)
    return { message: `${url.href} did not answer`, cause: { ...address, reason: 'time-limit' } };
  if (error instanceof TunnelRefused && proxy) return tunnelRefused(error, failure, proxy);
  if (waitingFor === 'certificate') {
    const [hints, end] = endingOf(CERTIFICATES, failure);
    const message = `${peer} is not trusted: its certificate ${end}`;
    return { message, cause: hints(failure), isFinal: true };
  }
  const invalid = invalidHttp(failure);
  if (waitingFor === 'tunnel') {
    const end = invalid ?? 'closed the connection without opening a tunnel';
    return { message: `${peer} ${end}`, cause: [checkProxy(setting)] };
  }
  if (waitingFor !== 'reply' && waitingFor !== 'body') {
    const [reason, end] = endingOf(CONNECTIONS, failure);
    return { message: `could not reach ${peer}: ${end}`, cause: { ...address, reason } };
  }
  if (invalid) {
    const cause = [`check the auth URL; if it is right, ${ASK_OPERATORS}`];
    return { message: `${url.href} ${invalid}`, cause, kind: 'bad-reply', isFinal: true };
  }
  const end = waitingFor === 'body' ? 'in the middle of the reply' : 'without a reply';
  // In TLS 1.3, a server that misses the client's certificate closes the connection after the handshake.
  const mayWantCertificate = waitingFor === 'reply' && url.protocol === 'https:';
  return {
    message: `${peer} closed the connection ${end}`,
    cause: { reason: 'no-reply', mayWantCertificate, isDirect },
  };
}

/** Returns what is known, and the end of the sentence. The last row matches every code. */
function endingOf<T>(endings: Endings<T>, failure: Failure): readonly [T, string] {
  const [, known, end] = endings.find(([codes]) => codes.test(failure.code))!;
  return [known, typeof end === 'string' ? end : end(failure)];
}

/** Returns the end of a sentence about a reply that is not valid HTTP; undefined if the connection broke. */
function invalidHttp({ error, message }: Failure): string | undefined {
  const { name } = error as Error;
  if (name === 'HeadersOverflowError') return 'sent more than 16 KiB of headers';
  // undici's words for an unexpected status 100 and 101.
  if (name === 'SocketError' && /^bad (response|upgrade)$/.test(message))
    return 'answered with a status 1xx, which gwtoken did not ask for';
  // An unexpected end in the parser is a broken connection after valid HTTP.
  const isInvalid = /^(HTTPParser|ResponseContentLengthMismatch)Error$/.test(name) && !/EOF/.test(message);
  return isInvalid ? 'did not answer with valid HTTP' : undefined;
}

/** Describes the answer to CONNECT of a proxy, or of a web server that is taken for one. */
function tunnelRefused(
  { status }: TunnelRefused,
  { url, peer }: Failure,
  { source: setting, url: { protocol, host, username } }: HttpProxy,
): Problem {
  const target = `${url.hostname}:${url.port || 443}`;
  // A web server that is taken for a proxy does not implement CONNECT: 501.
  const isOutage = status >= 500 && status !== 501;
  const problem = (end: string, cause: Cause): Problem => {
    return { message: `${peer} ${end} (${status})`, cause, isFinal: !isOutage };
  };
  // tinyproxy answers 401 to a wrong password, and 407 to a missing one.
  if (status === 401 || status === 407) {
    if (username)
      return problem(`rejected the user name or password in ${setting}`, [
        'percent-encode them: @ is %40, / is %2F',
      ]);
    const example = `${protocol}//USER:PASSWORD@${host}`;
    return problem('requires a user name and password', [`set ${setting}=${example}`]);
  }
  if (isOutage)
    return problem(`could not reach ${target}`, [
      `if ${target} is reachable without a proxy, add it to NO_PROXY`,
    ]);
  return problem(`refused to connect to ${target}`, [
    `ask the proxy's administrator to allow ${target}`,
    checkProxy(setting),
  ]);
}

function checkProxy(setting: string): string {
  return `check that ${setting} is the URL of an HTTP proxy`;
}

/** Returns the names that a certificate is valid for, as the end of a sentence. */
function validFor(error: unknown): string {
  const names = (error as { cert?: { subjectaltname?: string } } | undefined)?.cert?.subjectaltname ?? '';
  const shown = cleaned(names.replaceAll(/\b(DNS|IP Address):/g, ''));
  return shown === '' ? 'not valid for any host name (its CN does not count)' : `only valid for ${shown}`;
}
