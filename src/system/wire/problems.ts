/** Describes failures on the wire. Loaded only after a failure. */
import { GwtokenError, limitReached, messageOf, type Reason, systemCode } from '../../errors';
import { cleaned, duration } from '../../text';
import type { ConnectionProgress, Env } from '../../world';
import { IS_EXECUTABLE } from '../form';
import { TimedOut } from '../limit';
import { type HttpProxy, TunnelRefused } from './proxy';

/** The failed request, its proxy and its progress. */
export interface FailedRequest {
  readonly url: URL;
  readonly proxy: HttpProxy | undefined;
  readonly progress: ConnectionProgress & {
    /** The variables whose CAs were tried instead of the system's. */
    insteadOfSystem?: readonly string[] | undefined;
  };
  readonly caFile: string | undefined;
  readonly timeoutMs: number;
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

/** The end of a sentence, then its hints. */
type Ending = readonly [end: string, ...hints: string[]];
/** Endings by the code of the failure. The first match counts. */
type Endings = readonly (readonly [codes: RegExp, ending: (failure: Failure) => Ending])[];

const ASK_OPERATORS = 'contact the operator of the endpoint or of your proxy';
const CHECK_CLOCK = "check this machine's clock; if it is right, contact the endpoint's operator";
const CHECK_NETWORK = 'check the network, the VPN and the firewall';

/** Codes of an unknown CA. Nothing has been sent yet, and other CAs may help. */
export const UNKNOWN_CA =
  /^(UNABLE_TO_(GET_ISSUER_CERT|VERIFY_LEAF)|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED|CERT_UNTRUSTED)/;

/** Rejected certificates that have a sentence of their own, by Node's names for OpenSSL's reasons. */
const CERTIFICATES: Endings = [
  [/^CERT_HAS_EXPIRED$/, () => ['has expired', CHECK_CLOCK]],
  [/^CERT_NOT_YET_VALID$/, () => ['is not yet valid', CHECK_CLOCK]],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    ({ error, setting }) => [`is ${validFor(error)}`, `check the host name in ${setting}`],
  ],
  [
    /^DEPTH_ZERO_SELF_SIGNED_CERT$/,
    () => [
      'is self-signed',
      'if you trust this server, pass its certificate with --ca-file or GWTOKEN_CA_FILE',
    ],
  ],
  [
    UNKNOWN_CA,
    (failure) => [
      'was issued by an unknown CA',
      `${whereCaIsMissing(failure)} pass the CA's PEM file with --ca-file or GWTOKEN_CA_FILE`,
      'if the CA is public, the server is not sending its intermediate certificate',
    ],
  ],
];

/** Failed connections, by the system's code or OpenSSL's. */
const CONNECTIONS: Endings = [
  [/^ENOTFOUND$/, ({ setting }) => ['host not found', `check ${setting} for typos`]],
  [/^EAI_AGAIN$/, () => ['DNS is not responding', CHECK_NETWORK]],
  [
    /^ECONNREFUSED$/,
    ({ setting }) => [
      'connection refused',
      `check the host and port in ${setting}; if right, the server is down`,
    ],
  ],
  [
    /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/,
    ({ setting }) => ['connection closed', `check the network, and the host and port in ${setting}`],
  ],
  [/^ETIMEDOUT$/, () => ['connection timed out', CHECK_NETWORK]],
  [/^E(HOST|NET)UNREACH$/, () => ['network unreachable', CHECK_NETWORK]],
  [
    /^ERR_SSL_.*(WRONG_VERSION_NUMBER|HTTP_REQUEST|PACKET_LENGTH_TOO_LONG)/,
    ({ setting }) => ['it does not speak TLS', `check the scheme and port in ${setting}`],
  ],
  [/^ERR_SSL_.*NO_APPLICATION_PROTOCOL$/, () => ['it does not offer HTTP/1.1', ASK_OPERATORS]],
  [
    /^ERR_SSL_.*HANDSHAKE_FAILURE$/,
    () => ['it accepts no TLS cipher, curve or key type of gwtoken', ...NO_CIPHER],
  ],
  [
    /^(EPROTO$|ERR_SSL_)/,
    ({ code, setting }) => [
      `the TLS handshake failed (${code})`,
      `check the host and port in ${setting}: the server must support TLS 1.2 or later`,
    ],
  ],
];

const NO_CLIENT_CERTIFICATE = 'the server may require a client certificate, which gwtoken does not have';
const NO_CIPHER = IS_EXECUTABLE
  ? ['try the npm package, which knows more of them than the executable', `or ${NO_CLIENT_CERTIFICATE}`]
  : [NO_CLIENT_CERTIFICATE];

/** A sentence with its hints. The kind is by default `unreached`. */
interface Problem {
  readonly message: string;
  readonly hints: readonly string[];
  readonly kind?: GwtokenError['kind'];
  readonly reason?: Reason;
}

/** Returns the GwtokenError for an error of Node or undici. */
export function wireProblem(thrown: unknown, request: FailedRequest): GwtokenError {
  if (thrown instanceof GwtokenError) return thrown;
  const limit = limitReached(thrown);
  if (limit !== undefined) return limit;
  const failure = failureOf(thrown, request);
  const { code, message: cause } = failure;
  const { message, hints, kind = 'unreached', reason = reasonOf(request) } = problemOf(failure);
  const detail = cause.includes(code) ? cause : `${code}: ${cause}`;
  // After these reasons something has to be changed first.
  const isFinal = kind !== 'unreached' || reason === 'certificate' || reason === 'proxy-refusal';
  return new GwtokenError(kind, message, { hints, reason, detail, retry: isFinal ? undefined : {} });
}

function reasonOf({ progress }: FailedRequest): Reason | undefined {
  return progress.peer === 'proxy' ? 'proxy-failure' : undefined;
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
  const { error, peer, url, code, message, progress } = failure;
  if (error instanceof TimedOut) return timedOut(failure);
  if (error instanceof TunnelRefused && failure.proxy) return tunnelRefused(error, failure, failure.proxy);
  const { waitingFor } = progress;
  if (waitingFor === 'certificate') {
    const [end, ...hints] = endingOf(CERTIFICATES, failure) ?? [`was rejected (${message})`, ASK_OPERATORS];
    return { message: `${peer} is not trusted: its certificate ${end}`, hints, reason: 'certificate' };
  }
  const invalid = invalidHttp(failure);
  if (waitingFor === 'tunnel') {
    const end = invalid ?? 'closed the connection without opening a tunnel';
    return { message: `${peer} ${end}`, hints: [checkProxy(failure)] };
  }
  if (waitingFor !== 'reply' && waitingFor !== 'body') {
    const [end, ...hints] = endingOf(CONNECTIONS, failure) ?? [`connection failed (${code})`, CHECK_NETWORK];
    return { message: `could not reach ${peer}: ${end}`, hints: [...unusedProxy(failure), ...hints] };
  }
  if (invalid) {
    const hint = `check the auth URL; if it is right, ${ASK_OPERATORS}`;
    return { message: `${url.href} ${invalid}`, hints: [hint], kind: 'bad-reply' };
  }
  const again = `try again; if it persists, ${ASK_OPERATORS}`;
  if (waitingFor === 'body')
    return { message: `${peer} closed the connection in the middle of the reply`, hints: [again] };
  // In TLS 1.3, a server that misses the certificate closes the connection after the handshake.
  const hints = url.protocol === 'https:' ? [again, NO_CLIENT_CERTIFICATE] : [again];
  return { message: `${peer} closed the connection without a reply`, hints };
}

function endingOf(endings: Endings, failure: Failure): Ending | undefined {
  return endings.find(([codes]) => codes.test(failure.code))?.[1](failure);
}

function timedOut(failure: Failure): Problem {
  const { url, proxy, timeoutMs } = failure;
  const hint = `check ${proxy?.source ?? 'the auth URL'} and the network, or raise --timeout`;
  return {
    message: `${url.href} did not answer within ${duration(timeoutMs)}`,
    hints: [...unusedProxy(failure), hint],
    reason: 'time-limit',
  };
}

/** Returns the end of a sentence about a reply that is no valid HTTP; undefined if the connection broke. */
function invalidHttp({ error, message }: Failure): string | undefined {
  const { name } = error as Error;
  if (name === 'HeadersOverflowError') return 'sent more than 16 KiB of headers';
  // undici's words for a status 100, and for a 101.
  if (name === 'SocketError' && message === 'bad response')
    return 'answered 100 Continue, which gwtoken did not ask for';
  if (name === 'SocketError' && message === 'bad upgrade')
    return 'switched to another protocol, which gwtoken did not ask for';
  // An unexpected end in the parser is a broken connection after valid HTTP.
  const isInvalid = /^(HTTPParser|ResponseContentLengthMismatch)Error$/.test(name) && !/EOF/.test(message);
  return isInvalid ? 'did not answer with valid HTTP' : undefined;
}

/** Statuses with which web servers (nginx, Apache, Python) answer CONNECT. */
const WEB_SERVER = [400, 405, 501];

/** Describes the answer to CONNECT of a proxy, or of a web server that is taken for one. */
function tunnelRefused(
  { status }: TunnelRefused,
  failure: Failure,
  { name, source, url }: HttpProxy,
): Problem {
  const { hostname, port } = failure.url;
  const target = `${hostname}:${port || 443}`;
  const refusal = (end: string, hint: string): Problem => {
    return { message: `${failure.peer} ${end} (${status})`, hints: [hint], reason: 'proxy-refusal' };
  };
  if (WEB_SERVER.includes(status)) {
    const message = `${name} (from ${source}) is not a proxy: it answered CONNECT with ${status}`;
    return { message, hints: [checkProxy(failure)], reason: 'proxy-refusal' };
  }
  // tinyproxy answers 401 to a wrong password, and 407 to a missing one.
  if (status === 401 || status === 407)
    return url.username === ''
      ? refusal(
          'requires a user name and password',
          `set ${source}=${url.protocol}//USER:PASSWORD@${url.host}`,
        )
      : refusal(`rejected the user name or password in ${source}`, 'percent-encode them: @ is %40, / is %2F');
  // privoxy answers 404 for an unknown host.
  if (status === 404) return refusal(`does not know the host ${hostname}`, 'check the auth URL for typos');
  if (status < 500)
    return refusal(`refused to connect to ${target}`, `ask the proxy's administrator to allow ${target}`);
  const hint = `if ${target} is reachable without a proxy, add it to NO_PROXY`;
  return { message: `${failure.peer} could not reach ${target} (${status})`, hints: [hint] };
}

function checkProxy({ setting }: Failure): string {
  return `check that ${setting} is the URL of an HTTP proxy`;
}

/** Returns a hint that names a variable with a proxy for other programs, if gwtoken used no proxy. */
function unusedProxy({ url, env }: FailedRequest): readonly string[] {
  if (url.protocol === 'http:' || env['https_proxy'] || env['HTTPS_PROXY']) return [];
  const name = ['ALL_PROXY', 'all_proxy', 'HTTP_PROXY', 'http_proxy'].find((each) => env[each]);
  return name === undefined ? [] : [`gwtoken does not use ${name}; to use the proxy, set HTTPS_PROXY`];
}

/** Returns the first part of the hint to pass a CA: which CAs gwtoken has tried. */
function whereCaIsMissing({ caFile, progress: { insteadOfSystem = [] } }: Failure): string {
  const replace = insteadOfSystem.length === 1 ? 'replaces' : 'replace';
  const tried = [
    ...(caFile === undefined ? [] : [`${caFile} does not contain this CA`]),
    ...(insteadOfSystem.length > 0 ? [`${insteadOfSystem.join(' and ')} ${replace} the system's CAs`] : []),
  ];
  return tried.length > 0 ? `${tried.join(', and ')}:` : 'behind a company proxy or private CA?';
}

/** Returns the names that a certificate is valid for, as the end of a sentence. */
function validFor(error: unknown): string {
  const names = (error as { cert?: { subjectaltname?: string } } | undefined)?.cert?.subjectaltname ?? '';
  const shown = cleaned(names.replaceAll(/\b(DNS|IP Address):/g, ''));
  return shown === '' ? 'not valid for any host name (its CN does not count)' : `only valid for ${shown}`;
}
