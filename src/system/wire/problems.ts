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

/** The end of a sentence, and hints. {@link gapsOf} fills their gaps, such as `{code}`. */
type Row = readonly [end: string, ...hints: string[]];
/** Rows by a code. The first match counts. */
type Table = readonly (readonly [codes: RegExp, row: Row])[];

const OPERATORS = 'contact the operator of the endpoint or of your proxy';
const CLOCK = "check this machine's clock; if it is right, contact the endpoint's operator";
const TRUST_IT = 'if you trust this server, pass its certificate with --ca-file or GWTOKEN_CA_FILE';
const PASS_CA = "{ca} pass the CA's PEM file with --ca-file or GWTOKEN_CA_FILE";
const INCOMPLETE = 'if the CA is public, the server is not sending its intermediate certificate';

/** OpenSSL's codes for an unknown CA. Nothing has been sent yet, and other CAs may help. */
export const UNKNOWN_CA =
  /^(UNABLE_TO_(GET_ISSUER_CERT|VERIFY_LEAF)|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED|CERT_UNTRUSTED)/;

/** Untrusted certificates, by Node's names for OpenSSL's reasons. */
const CERTIFICATES: Table = [
  [/^CERT_HAS_EXPIRED$/, ['its certificate has expired', CLOCK]],
  [/^CERT_NOT_YET_VALID$/, ['its certificate is not yet valid', CLOCK]],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, ['its certificate is {names}', 'check the host name in {setting}']],
  [/^DEPTH_ZERO_SELF_SIGNED_CERT$/, ['its certificate is self-signed', TRUST_IT]],
  [UNKNOWN_CA, ['its certificate was issued by an unknown CA', PASS_CA, INCOMPLETE]],
  [/^(CERT|UNABLE_TO|INVALID|PATH_LENGTH)_/, ['its certificate was rejected ({message})', OPERATORS]],
];

const NETWORK = 'check the network, the VPN and the firewall';
const DOWN = 'check the host and port in {setting}; if right, the server is down';
const WRONG = 'check the network, and the host and port in {setting}';
const OLD_TLS = 'check the host and port in {setting}: the server must support TLS 1.2 or later';
const NO_TLS = /^ERR_SSL_.*(WRONG_VERSION_NUMBER|HTTP_REQUEST|PACKET_LENGTH_TOO_LONG)/;

/** Failed connections, by the system's code or OpenSSL's. */
const CONNECTIONS: Table = [
  [/^ENOTFOUND$/, ['host not found', 'check {setting} for typos']],
  [/^EAI_AGAIN$/, ['DNS is not responding', NETWORK]],
  [/^ECONNREFUSED$/, ['connection refused', DOWN]],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, ['connection closed', WRONG]],
  [/^ETIMEDOUT$/, ['connection timed out', NETWORK]],
  [/^E(HOST|NET)UNREACH$/, ['network unreachable', NETWORK]],
  [NO_TLS, ['it does not speak TLS', 'check the scheme and port in {setting}']],
  [/^ERR_SSL_.*NO_APPLICATION_PROTOCOL$/, ['it does not offer HTTP/1.1', OPERATORS]],
  [/^(EPROTO$|ERR_SSL_)/, ['the TLS handshake failed ({code})', OLD_TLS]],
];
const OTHER: Row = ['connection failed ({code})', NETWORK];

const PROXY_OUTAGE = /^5/;
const SET_PASSWORD = 'set {setting}={proxy}';
const REJECTED = 'rejected the user name or password in {setting} ({status})';
const WITHOUT_PROXY = 'if {target} is reachable without a proxy, add it to NO_PROXY';
const ALLOW_IT = "ask the proxy's administrator to allow {target}";

/** Refusals of proxies, by the status, with an `@` if the proxy's URL has a user name. */
const PROXY_REFUSALS: Table = [
  // tinyproxy answers 401 to a wrong password, and 407 to a missing one.
  [/^40[17]@/, [REJECTED, 'percent-encode them: @ is %40, / is %2F']],
  [/^40[17]/, ['requires a user name and password ({status})', SET_PASSWORD]],
  // privoxy answers so for an unknown host.
  [/^404/, ['does not know the host {host} ({status})', 'check the auth URL for typos']],
  [PROXY_OUTAGE, ['could not reach {target} ({status})', WITHOUT_PROXY]],
];
/** Statuses with which web servers (nginx, Apache, Python) answer CONNECT. */
const WEB_SERVER = /^(400|405|501)/;
const IS_PROXY = 'check that {setting} is the URL of an HTTP proxy';
const REFUSED: Row = ['refused to connect to {target} ({status})', ALLOW_IT];

/** Matches undici's errors for an invalid reply, or for one that it did not ask for (100, 101). */
const NOT_HTTP = /^(HTTPParser|HeadersOverflow|ResponseContentLengthMismatch)Error|: bad (response|upgrade)$/;
const NO_HTTP = 'did not answer with valid HTTP';
const CHECK_URL = `check the auth URL; if it is right, ${OPERATORS}`;

/** Reasons after which no retry helps, because something has to be changed first. */
const FINAL: readonly (Reason | undefined)[] = ['certificate', 'proxy-refusal'];

/** A sentence with its hints, and a reason that replaces the code. */
interface Problem {
  readonly start: string;
  readonly row: Row;
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
  const { start, row, kind = 'unreached', reason = cause.reason } = problemOf(cause, request);
  const [end, ...hints] = row;
  const gaps = gapsOf(cause, request);
  const fill = (text: string): string =>
    text.replace(/\{(\w+)\}/g, (_, gap: string) => gaps[gap] ?? `{${gap}}`);
  const detail = message.includes(code) ? message : `${code}: ${message}`;
  const retry = kind === 'unreached' && !FINAL.includes(reason) ? {} : undefined;
  return new GwtokenError(kind, fill(`${start} ${end}`), { hints: hints.map(fill), reason, detail, retry });
}

type Cause = ReturnType<typeof readCause>;

/** Returns the facts of a thrown error: its code or message, and the status of a refusing proxy. */
function readCause(thrown: unknown) {
  // undici wraps the error for a wrong name in a proxy's certificate.
  const error = systemCode(thrown) === 'UND_ERR_PRX_TLS' ? (thrown as Error).cause : thrown;
  // For several addresses Node throws an AggregateError with an error for each of them.
  const errors = error instanceof AggregateError ? error.errors : [error];
  // Node's messages repeat names from the certificate.
  const message = cleaned(errors.map(messageOf).join('; '));
  const [, status] = /^Proxy response \((\d+)\)/.exec(message) ?? [];
  const reason = systemCode(error) ?? systemCode(errors[0]);
  return { error, reason, code: reason ?? message, message, status };
}

/** Describes the failure by its code, or by the step that failed. */
function problemOf({ error, code, message, status }: Cause, request: FailedRequest): Problem {
  const { url, proxy, timeoutMs } = request;
  const { waitingFor } = request.progress;
  if (error instanceof TimedOut) {
    const hint = `check ${proxy?.source ?? 'the auth URL'} and the network, or raise --timeout`;
    const row: Row = [`did not answer within ${duration(timeoutMs)}`, ...unusedProxy(request), hint];
    return { start: url.href, row, reason: 'time-limit' };
  }
  if (proxy && status && WEB_SERVER.test(status)) {
    const row: Row = [`(from {setting}) is not a proxy: it answered CONNECT with ${status}`, IS_PROXY];
    return { start: proxy.name, row, reason: 'proxy-refusal' };
  }
  if (proxy && status) {
    const row = rowFor(PROXY_REFUSALS, `${status}${proxy.url.username && '@'}`) ?? REFUSED;
    return { start: '{peer}', row, reason: PROXY_OUTAGE.test(status) ? 'proxy-failure' : 'proxy-refusal' };
  }
  const untrusted = rowFor(CERTIFICATES, code);
  if (untrusted) return { start: '{peer} is not trusted:', row: untrusted, reason: 'certificate' };
  // An unexpected end in the parser is a broken connection after valid HTTP.
  const isNoHttp = NOT_HTTP.test(`${(error as Error).name}: ${message}`) && !/EOF/.test(message);
  if (waitingFor === 'tunnel') {
    const end = isNoHttp ? NO_HTTP : 'closed the connection without opening a tunnel';
    return { start: '{peer}', row: [end, IS_PROXY] };
  }
  if (waitingFor !== 'reply' && waitingFor !== 'body') {
    const [end, ...hints] = rowFor(CONNECTIONS, code) ?? OTHER;
    return { start: 'could not reach {peer}:', row: [end, ...unusedProxy(request), ...hints] };
  }
  if (isNoHttp) return { start: url.href, row: [NO_HTTP, CHECK_URL], kind: 'bad-reply' };
  const when = waitingFor === 'body' ? 'in the middle of the reply' : 'without a reply';
  return { start: '{peer} closed the connection', row: [when, `try again; if it persists, ${OPERATORS}`] };
}

/** Returns the hint at a proxy of other programs that the request did not use. */
function unusedProxy({ url, env }: FailedRequest): readonly string[] {
  if (url.protocol === 'http:' || env['https_proxy'] || env['HTTPS_PROXY']) return [];
  const name = ['ALL_PROXY', 'all_proxy', 'HTTP_PROXY', 'http_proxy'].find((each) => env[each]);
  return name === undefined ? [] : [`gwtoken does not use ${name}; to use the proxy, set HTTPS_PROXY`];
}

function rowFor(table: Table, code: string): Row | undefined {
  return table.find(([codes]) => codes.test(code))?.[1];
}

function gapsOf(
  { error, code, message, status }: Cause,
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
    code,
    message,
  };
}

/** Returns the names that a certificate is valid for, as the end of a sentence. */
function validFor(error: unknown): string {
  const names = (error as { cert?: { subjectaltname?: string } } | undefined)?.cert?.subjectaltname ?? '';
  const shown = cleaned(names.replaceAll(/\b(DNS|IP Address):/g, ''));
  return shown === '' ? 'not valid for any host name (its CN does not count)' : `only valid for ${shown}`;
}
