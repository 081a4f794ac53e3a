/** Describes failures on the wire. Loaded only after a failure. */
import { type ErrorKind, GwtokenError, type Hints, messageOf, type Reason } from '../../errors';
import { isProcessLimit, systemCode } from '../../system-errors';
import { cleaned } from '../../text';
import { TimedOut } from '../limit';
import { type HttpProxy, TunnelRefused } from './proxy';

/** The step of a connection that is under way or has failed, and the other end of that step. */
export interface ConnectionProgress {
  peer: 'endpoint' | 'proxy';
  /** `certificate`: the peer's certificate was rejected; `tunnel`: the proxy has to open one. */
  waitingFor: 'connection' | 'certificate' | 'tunnel' | 'reply' | 'body';
}

/** The failed request, and how far it came. */
export interface FailedRequest {
  readonly url: URL;
  readonly proxy: HttpProxy | undefined;
  readonly progress: ConnectionProgress;
  readonly caFile: string | undefined;
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

/** How the sentence about a failure with one of these codes ends, and its hints. The first match counts. */
interface Ending {
  readonly codes: RegExp;
  readonly end: string | ((failure: Failure) => string);
  readonly hints: (failure: Failure) => Hints;
}

/** Codes of an unknown CA. Nothing has been sent yet, and other CAs may help. */
export const UNKNOWN_CA =
  /^(UNABLE_TO_(GET_ISSUER_CERT|VERIFY_LEAF)|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED|CERT_UNTRUSTED)/;

const CHECK_CLOCK = "check this machine's clock, or contact the endpoint's operator";
const CHECK_NETWORK = 'check the network, the VPN and the firewall';
const ASK_OPERATORS = 'ask the operator of the endpoint or proxy';

/** Rejected certificates, by Node's names for OpenSSL's reasons. */
const CERTIFICATES: readonly Ending[] = [
  { codes: /^CERT_HAS_EXPIRED$/, end: 'has expired', hints: () => [CHECK_CLOCK] },
  { codes: /^CERT_NOT_YET_VALID$/, end: 'is not yet valid', hints: () => [CHECK_CLOCK] },
  {
    codes: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    end: ({ error }) => `is ${validFor(error)}`,
    hints: ({ setting }) => [`check the host name in ${setting}`],
  },
  {
    codes: /^DEPTH_ZERO_SELF_SIGNED_CERT$/,
    end: 'is self-signed',
    hints: () => ['if you trust this server, pass its certificate with --ca-file'],
  },
  { codes: UNKNOWN_CA, end: 'was issued by an unknown CA', hints: passCa },
  { codes: /^/, end: ({ message }) => `was rejected (${message})`, hints: () => [ASK_OPERATORS] },
];

/** Codes of a failed TLS handshake. */
const HANDSHAKE = /^(EPROTO$|ERR_SSL_)/;

/** Failed connections, by the system's code or OpenSSL's. */
const CONNECTIONS: readonly Ending[] = [
  { codes: /^(ENOTFOUND|EAI_AGAIN)$/, end: 'host not found', hints: (failure) => [checkAddress(failure)] },
  {
    codes: /^ECONNREFUSED$/,
    end: 'connection refused',
    hints: ({ setting }) => [`check the host and port in ${setting}; if right, the server is down`],
  },
  {
    codes: /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/,
    end: 'connection closed',
    hints: ({ setting }) => [`check the network, and the host and port in ${setting}`],
  },
  {
    codes: /^ERR_SSL_.*(WRONG_VERSION_NUMBER|HTTP_REQUEST|PACKET_LENGTH_TOO_LONG)/,
    end: 'it does not speak TLS',
    hints: ({ setting }) => [`check the scheme and port in ${setting}`],
  },
  {
    codes: HANDSHAKE,
    end: ({ code }) => `the TLS handshake failed (${code})`,
    hints: () => ['what the server has to support: gwtoken help network'],
  },
  { codes: /^/, end: ({ code }) => `connection failed (${code})`, hints: () => [CHECK_NETWORK] },
];

function passCa({ caFile }: Failure): Hints {
  const why = caFile === undefined ? 'behind a company proxy or private CA?' : `this CA is not in ${caFile}:`;
  return [
    `${why} pass its PEM file with --ca-file`,
    'if the CA is public, the server omits its intermediate certificate',
  ];
}

/** The parts of an error. Its kind is by default `unreached`. */
interface Problem {
  readonly message: string;
  readonly hints: Hints;
  readonly reason?: Reason | undefined;
  readonly kind?: ErrorKind;
  /** True if no retry helps, because something has to be changed first. */
  readonly isFinal?: boolean;
}

/** Returns the GwtokenError for an error of Node or undici. */
export function wireProblem(thrown: unknown, request: FailedRequest): GwtokenError {
  if (thrown instanceof GwtokenError) return thrown;
  const failure = failureOf(thrown, request);
  // A limit of this process; another one may do better. undici lacks memory under `ulimit -v` (RangeError),
  // and WebAssembly under `--jitless` (ReferenceError).
  const isOfRuntime = thrown instanceof RangeError || thrown instanceof ReferenceError;
  if (isProcessLimit(failure.code) || isOfRuntime) return new GwtokenError('local', failure.message);
  const { message, hints, reason, kind = 'unreached', isFinal = false } = problemOf(failure);
  const detail = failure.message.includes(failure.code)
    ? failure.message
    : `${failure.code}: ${failure.message}`;
  return new GwtokenError(kind, message, hints, { reason, detail, retry: isFinal ? undefined : {} });
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
  const { error, code, peer, setting, proxy, url, progress } = failure;
  const { waitingFor } = progress;
  // Without a proxy, a connection is lost for all processes.
  const disconnected = proxy === undefined ? 'unreachable' : undefined;
  if (error instanceof TimedOut) {
    const hints = [`${checkAddress(failure)}, or raise --timeout`];
    return { message: `${url.href} did not answer`, hints, reason: 'timed-out' };
  }
  if (error instanceof TunnelRefused && proxy) return tunnelRefused(error, failure, proxy);
  if (waitingFor === 'certificate') {
    const { hints, end } = endingOf(CERTIFICATES, failure);
    return { message: `${peer} is not trusted: its certificate ${end}`, hints, isFinal: true };
  }
  const invalid = isInvalidHttp(failure) ? 'did not answer with valid HTTP' : undefined;
  if (waitingFor === 'tunnel') {
    const end = invalid ?? 'closed the connection without opening a tunnel';
    return { message: `${peer} ${end}`, hints: [checkProxy(setting)] };
  }
  if (waitingFor === 'connection') {
    const { hints, end } = endingOf(CONNECTIONS, failure);
    return {
      message: `could not reach ${peer}: ${end}`,
      hints,
      // The executable and the npm package differ in their ciphers.
      reason: HANDSHAKE.test(code) ? undefined : disconnected,
    };
  }
  if (invalid) {
    const hints = [`check the auth URL, or ${ASK_OPERATORS}`];
    return { message: `${url.href} ${invalid}`, hints, kind: 'bad-reply', isFinal: true };
  }
  const end = waitingFor === 'body' ? 'in the middle of the reply' : 'without a reply';
  const hints = [`try again; if it persists, ${ASK_OPERATORS}`];
  return { message: `${peer} closed the connection ${end}`, hints, reason: disconnected };
}

/** Returns the hints and the end of the sentence. The last row matches every code. */
function endingOf(endings: readonly Ending[], failure: Failure): { hints: Hints; end: string } {
  const { hints, end } = endings.find(({ codes }) => codes.test(failure.code))!;
  return { hints: hints(failure), end: typeof end === 'string' ? end : end(failure) };
}

/** Returns whether undici has rejected the reply. Otherwise the connection broke. */
function isInvalidHttp({ error, message }: Failure): boolean {
  const { name } = error as Error;
  // undici's words for an unexpected status 100 and 101.
  if (name === 'SocketError') return /^bad (response|upgrade)$/.test(message);
  // An unexpected end in the parser is a broken connection after valid HTTP.
  return (
    /^(HTTPParser|HeadersOverflow|ResponseContentLengthMismatch)Error$/.test(name) && !/EOF/.test(message)
  );
}

/** Describes the answer of a proxy to CONNECT. */
function tunnelRefused(
  { status }: TunnelRefused,
  { url, peer }: Failure,
  { source: setting, url: { protocol, host, username } }: HttpProxy,
): Problem {
  const target = `${url.hostname}:${url.port || 443}`;
  const isOutage = status >= 500;
  const problem = (end: string, hints: Hints): Problem => {
    return { message: `${peer} ${end} (${status})`, hints, isFinal: !isOutage };
  };
  // tinyproxy answers 401 to a wrong password, and 407 to a missing one.
  if (status === 401 || status === 407) {
    if (username)
      return problem(`rejected the user name or password in ${setting}`, [
        'percent-encode them: @ is %40, / is %2F',
      ]);
    const example = `${protocol}//USER:PASSWORD@${host}`;
    return problem('requires a user name and password', [`export ${setting}=${example}`]);
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

/**
 * Returns the step after a host was not found or did not answer. While a VPN is off, the names of its hosts
 * are unknown, or their addresses do not answer.
 */
function checkAddress({ progress, setting }: Failure): string {
  return progress.peer === 'proxy'
    ? `check the VPN and ${setting}`
    : `check the VPN, HTTPS_PROXY and ${setting}`;
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
