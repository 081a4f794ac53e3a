/** Describes failures on the wire. Loaded only after a failure. */
import { GwtokenError, limitReached, messageOf, type Reason, systemCode } from '../../errors';
import { cleaned, duration } from '../../text';
import type { ConnectionProgress, Env } from '../../world';
import { TimedOut } from '../limit';
import type { HttpProxy } from './proxy';

/** The failed request, its peer and its progress. */
export interface FailedRequest {
  readonly url: URL;
  readonly proxy: HttpProxy | undefined;
  readonly progress: ConnectionProgress;
  readonly caFile: string | undefined;
  readonly timeoutMs: number;
  readonly env: Env;
}

/** The end of a sentence, with hints. {@link gapsOf} fills the gaps in both, such as `{code}`. */
interface Row {
  readonly end: string;
  readonly hints: readonly string[];
}
/** Rows by a code. The first match counts. */
type Table = readonly ({ readonly codes: RegExp } & Row)[];

const ASK_OPERATORS = 'contact the operator of the endpoint or of your proxy';
const CHECK_CLOCK = "check this machine's clock; if it is right, contact the endpoint's operator";
const CHECK_HOST = 'check the host name in {setting}';
const PASS_CERTIFICATE = 'if you trust this server, pass its certificate with --ca-file or GWTOKEN_CA_FILE';
const PASS_CA = "{ca} pass the CA's PEM file with --ca-file or GWTOKEN_CA_FILE";
const MISSING_CERTIFICATE = 'if the CA is public, the server is not sending its intermediate certificate';

/** OpenSSL's codes for an unknown CA. Nothing has been sent yet, and other CAs may help. */
export const UNKNOWN_CA =
  /^(UNABLE_TO_(GET_ISSUER_CERT|VERIFY_LEAF)|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED|CERT_UNTRUSTED)/;
const OTHER_CERTIFICATE = /^(CERT|UNABLE_TO|INVALID|PATH_LENGTH)_/;

/** Untrusted certificates, by Node's names for OpenSSL's reasons. */
const CERTIFICATES: Table = [
  { codes: /^CERT_HAS_EXPIRED$/, end: 'its certificate has expired', hints: [CHECK_CLOCK] },
  { codes: /^CERT_NOT_YET_VALID$/, end: 'its certificate is not yet valid', hints: [CHECK_CLOCK] },
  { codes: /^ERR_TLS_CERT_ALTNAME_INVALID$/, end: 'its certificate is {names}', hints: [CHECK_HOST] },
  {
    codes: /^DEPTH_ZERO_SELF_SIGNED_CERT$/,
    end: 'its certificate is self-signed',
    hints: [PASS_CERTIFICATE],
  },
  {
    codes: UNKNOWN_CA,
    end: 'its certificate was issued by an unknown CA',
    hints: [PASS_CA, MISSING_CERTIFICATE],
  },
  { codes: OTHER_CERTIFICATE, end: 'its certificate was rejected ({message})', hints: [ASK_OPERATORS] },
];

const CHECK_NETWORK = 'check the network, the VPN and the firewall';
const CHECK_SPELLING = 'check {setting} for typos';
const CHECK_PORT_OR_SERVER = 'check the host and port in {setting}; if right, the server is down';
const CHECK_PORT_OR_NETWORK = 'check the network, and the host and port in {setting}';
const CHECK_PORT_OR_TLS = 'check the host and port in {setting}: the server must support TLS 1.2 or later';
const CHECK_SCHEME = 'check the scheme and port in {setting}';
const NO_TLS = /^ERR_SSL_.*(WRONG_VERSION_NUMBER|HTTP_REQUEST|PACKET_LENGTH_TOO_LONG)/;
const NO_HTTP_1 = /^ERR_SSL_.*NO_APPLICATION_PROTOCOL$/;

/** Failed connections, by the system's code or OpenSSL's. */
const CONNECTIONS: Table = [
  { codes: /^ENOTFOUND$/, end: 'host not found', hints: [CHECK_SPELLING] },
  { codes: /^EAI_AGAIN$/, end: 'DNS is not responding', hints: [CHECK_NETWORK] },
  { codes: /^ECONNREFUSED$/, end: 'connection refused', hints: [CHECK_PORT_OR_SERVER] },
  { codes: /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, end: 'connection closed', hints: [CHECK_PORT_OR_NETWORK] },
  { codes: /^ETIMEDOUT$/, end: 'connection timed out', hints: [CHECK_NETWORK] },
  { codes: /^E(HOST|NET)UNREACH$/, end: 'network unreachable', hints: [CHECK_NETWORK] },
  { codes: NO_TLS, end: 'it does not speak TLS', hints: [CHECK_SCHEME] },
  { codes: NO_HTTP_1, end: 'it does not offer HTTP/1.1', hints: [ASK_OPERATORS] },
  { codes: /^(EPROTO$|ERR_SSL_)/, end: 'the TLS handshake failed ({code})', hints: [CHECK_PORT_OR_TLS] },
];
const OTHER_FAILURE: Row = { end: 'connection failed ({code})', hints: [CHECK_NETWORK] };

const PROXY_OUTAGE = /^5/;
const SET_PASSWORD = 'set {setting}={proxy}';
const ENCODE_PASSWORD = 'percent-encode them: @ is %40, / is %2F';
const REJECTED = 'rejected the user name or password in {setting} ({status})';
const WITHOUT_PROXY = 'if {target} is reachable without a proxy, add it to NO_PROXY';
const CHECK_URL_SPELLING = 'check the auth URL for typos';
const ALLOW_IT = "ask the proxy's administrator to allow {target}";

/** Refusals of proxies, by the status and, if the proxy's URL has a user name, `with user`. */
const PROXY_REFUSALS: Table = [
  // tinyproxy answers 401 to a wrong password, and 407 to a missing one.
  { codes: /^40[17] with user$/, end: REJECTED, hints: [ENCODE_PASSWORD] },
  { codes: /^40[17]$/, end: 'requires a user name and password ({status})', hints: [SET_PASSWORD] },
  // privoxy answers 404 for an unknown host.
  { codes: /^404/, end: 'does not know the host {host} ({status})', hints: [CHECK_URL_SPELLING] },
  { codes: PROXY_OUTAGE, end: 'could not reach {target} ({status})', hints: [WITHOUT_PROXY] },
];
const OTHER_REFUSAL: Row = { end: 'refused to connect to {target} ({status})', hints: [ALLOW_IT] };
/** Statuses with which web servers (nginx, Apache, Python) answer CONNECT. */
const WEB_SERVER = /^(400|405|501)/;
const CHECK_PROXY = 'check that {setting} is the URL of an HTTP proxy';

/** Matches undici's errors for an invalid reply, or for a status that it did not ask for (100, 101). */
const BAD_HTTP = /^(HTTPParser|HeadersOverflow|ResponseContentLengthMismatch)Error|: bad (response|upgrade)$/;
const INVALID_HTTP = 'did not answer with valid HTTP';
const CHECK_URL = `check the auth URL; if it is right, ${ASK_OPERATORS}`;

/** Reasons after which no retry helps, because something has to be changed first. */
const FINAL: readonly (Reason | undefined)[] = ['certificate', 'proxy-refusal'];

/** A sentence with its hints. The reason is by default the code, and the kind `unreached`. */
interface Problem extends Row {
  readonly start: string;
  readonly reason?: Reason;
  readonly kind?: GwtokenError['kind'];
}

/** Returns the GwtokenError for an error of Node or undici. */
export function wireProblem(thrown: unknown, request: FailedRequest): GwtokenError {
  if (thrown instanceof GwtokenError) return thrown;
  const limit = limitReached(thrown);
  if (limit !== undefined) return limit;
  const cause = readCause(thrown);
  const { code, message } = cause;
  const { start, end, hints, kind = 'unreached', reason = code } = problemOf(cause, request);
  const gaps = gapsOf(cause, request);
  const fill = (text: string): string =>
    text.replace(/\{(\w+)\}/g, (_, gap: string) => gaps[gap] ?? `{${gap}}`);
  const detail = code === undefined || message.includes(code) ? message : `${code}: ${message}`;
  const retry = kind === 'unreached' && !FINAL.includes(reason) ? {} : undefined;
  return new GwtokenError(kind, fill(`${start} ${end}`), { hints: hints.map(fill), reason, detail, retry });
}

type Cause = ReturnType<typeof readCause>;

/** Returns the facts of a thrown error, and the status of a refusing proxy. */
function readCause(thrown: unknown) {
  // undici wraps the error for a wrong name in a proxy's certificate.
  const error = systemCode(thrown) === 'UND_ERR_PRX_TLS' ? (thrown as Error).cause : thrown;
  // For several addresses Node throws an AggregateError with an error for each of them.
  const errors = error instanceof AggregateError ? error.errors : [error];
  // Node's messages repeat names from the certificate.
  const message = cleaned(errors.map(messageOf).join('; '));
  const [, status] = /^Proxy response \((\d+)\)/.exec(message) ?? [];
  const code = systemCode(error) ?? systemCode(errors[0]);
  return { error, code, codeOrMessage: code ?? message, message, status };
}

/** Describes the failure by its code, or by the step that failed. */
function problemOf({ error, codeOrMessage, message, status }: Cause, request: FailedRequest): Problem {
  const { url, proxy, timeoutMs } = request;
  const { waitingFor } = request.progress;
  if (error instanceof TimedOut) {
    const hint = `check ${proxy?.source ?? 'the auth URL'} and the network, or raise --timeout`;
    const end = `did not answer within ${duration(timeoutMs)}`;
    return { start: url.href, end, hints: [...unusedProxy(request), hint], reason: 'time-limit' };
  }
  if (proxy && status) return proxyRefusal(proxy, status);
  const untrusted = rowFor(CERTIFICATES, codeOrMessage);
  if (untrusted) return { start: '{peer} is not trusted:', ...untrusted, reason: 'certificate' };
  // An unexpected end in the parser is a broken connection after valid HTTP.
  const isInvalid = BAD_HTTP.test(`${(error as Error).name}: ${message}`) && !/EOF/.test(message);
  if (waitingFor === 'tunnel') {
    const end = isInvalid ? INVALID_HTTP : 'closed the connection without opening a tunnel';
    return { start: '{peer}', end, hints: [CHECK_PROXY] };
  }
  if (waitingFor !== 'reply' && waitingFor !== 'body') {
    const { end, hints } = rowFor(CONNECTIONS, codeOrMessage) ?? OTHER_FAILURE;
    return { start: 'could not reach {peer}:', end, hints: [...unusedProxy(request), ...hints] };
  }
  if (isInvalid) return { start: url.href, end: INVALID_HTTP, hints: [CHECK_URL], kind: 'bad-reply' };
  const end = waitingFor === 'body' ? 'in the middle of the reply' : 'without a reply';
  return {
    start: '{peer} closed the connection',
    end,
    hints: [`try again; if it persists, ${ASK_OPERATORS}`],
  };
}

/** Describes the answer to CONNECT of a proxy, or of a web server that is taken for one. */
function proxyRefusal({ name, url }: HttpProxy, status: string): Problem {
  if (WEB_SERVER.test(status)) {
    const end = `(from {setting}) is not a proxy: it answered CONNECT with ${status}`;
    return { start: name, end, hints: [CHECK_PROXY], reason: 'proxy-refusal' };
  }
  const refusal = url.username === '' ? status : `${status} with user`;
  const row = rowFor(PROXY_REFUSALS, refusal) ?? OTHER_REFUSAL;
  return { start: '{peer}', ...row, reason: PROXY_OUTAGE.test(status) ? 'proxy-failure' : 'proxy-refusal' };
}

/** Returns a hint that names a variable with a proxy for other programs, if gwtoken used no proxy. */
function unusedProxy({ url, env }: FailedRequest): readonly string[] {
  if (url.protocol === 'http:' || env['https_proxy'] || env['HTTPS_PROXY']) return [];
  const name = ['ALL_PROXY', 'all_proxy', 'HTTP_PROXY', 'http_proxy'].find((each) => env[each]);
  return name === undefined ? [] : [`gwtoken does not use ${name}; to use the proxy, set HTTPS_PROXY`];
}

function rowFor(table: Table, code: string): Row | undefined {
  return table.find(({ codes }) => codes.test(code));
}

function gapsOf(
  { error, codeOrMessage, message, status }: Cause,
  request: FailedRequest,
): Readonly<Record<string, string>> {
  const { url, proxy, progress, caFile } = request;
  const isAtProxy = proxy && ['lookup', 'connect', 'tunnel'].includes(progress.waitingFor);
  return {
    peer: isAtProxy ? proxy.label : url.host,
    setting: isAtProxy ? proxy.source : 'the auth URL',
    proxy: proxy ? `${proxy.url.protocol}//USER:PASSWORD@${proxy.url.host}` : '',
    host: url.hostname,
    target: `${url.hostname}:${url.port || 443}`,
    status: status ?? '',
    names: validFor(error),
    ca: caFile ? `${caFile} does not contain this CA:` : 'behind a company proxy or private CA?',
    code: codeOrMessage,
    message,
  };
}

/** Returns the names that a certificate is valid for, as the end of a sentence. */
function validFor(error: unknown): string {
  const names = (error as { cert?: { subjectaltname?: string } } | undefined)?.cert?.subjectaltname ?? '';
  const shown = cleaned(names.replaceAll(/\b(DNS|IP Address):/g, ''));
  return shown === '' ? 'not valid for any host name (its CN does not count)' : `only valid for ${shown}`;
}
