/** Failures on the wire: a sentence for people and a reason for scripts. Loaded only after a failure. */
import { GwtokenError, limitReached, messageOf, systemCode } from '../../errors';
import { duration, foreign } from '../../text';
import type { ConnectionProgress } from '../../world';
import { TimedOut } from '../limit';
import type { HttpProxy } from './proxy';

/** The request, whom it was sent to, and how far it got. */
export interface Asked {
  readonly url: URL;
  readonly proxy: HttpProxy | undefined;
  readonly progress: ConnectionProgress;
  readonly caFile: string | undefined;
  readonly timeoutMs: number;
}

/** The end of a sentence, and hints; {@link wireProblem} fills their gaps. */
type Problem = readonly [what: string, ...hints: string[]];
/** Problems by a code: the first row that fits. */
type Table = readonly (readonly [codes: RegExp, problem: Problem])[];

const OPERATORS = 'contact the operator of the endpoint or of your proxy';
const CLOCK = "check this machine's clock; if it is right, contact the endpoint's operator";
const TRUST_IT = 'if you trust this server, pass its certificate with --ca-file or GWTOKEN_CA_FILE';
const PASS_CA = "{ca} pass the CA's PEM file with --ca-file or GWTOKEN_CA_FILE";
const INCOMPLETE = 'if the CA is public, the server is not sending its intermediate certificate';

/** OpenSSL's codes for an unknown CA, for which others may help; nothing has been sent yet. */
export const UNKNOWN_CA =
  /^(UNABLE_TO_(GET_ISSUER_CERT|VERIFY_LEAF)|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED|CERT_UNTRUSTED)/;

/** Certificates that are not trusted, by Node's names for OpenSSL's reasons. */
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

/** Connections that were not made, by the system's code or OpenSSL's. */
const CONNECTIONS: Table = [
  [/^ENOTLOOPBACK$/, ['localhost does not resolve to this machine', 'use 127.0.0.1 in the auth URL']],
  [/^ENOTFOUND$/, ['host not found', 'check {setting} for typos']],
  [/^EAI_AGAIN$/, ['DNS is not responding', NETWORK]],
  [/^ECONNREFUSED$/, ['connection refused', DOWN]],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, ['connection closed', WRONG]],
  [/^ETIMEDOUT$/, ['connection timed out', NETWORK]],
  [/^E(HOST|NET)UNREACH$/, ['network unreachable', NETWORK]],
  [NO_TLS, ['it does not speak TLS', 'check the scheme and port in {setting}']],
  [/^(EPROTO$|ERR_SSL_)/, ['the TLS handshake failed ({code})', OLD_TLS]],
];
const OTHER: Problem = ['connection failed ({code})', NETWORK];

const OUTAGE = /^5(?!01)/;
const SET_PASSWORD = 'set {setting}=http://USER:PASSWORD@{proxy}';
const REJECTED = 'rejected the user name or password in {setting} ({status})';
const WITHOUT_PROXY = 'if {target} is reachable without a proxy, add it to NO_PROXY';
const ALLOW_IT = "ask the proxy's administrator to allow {target}";

/** Proxies that open no tunnel, by the status, and an `@` if the proxy's URL has a user name. */
const REFUSALS: Table = [
  // tinyproxy answers 401 to a wrong password, and 407 to none.
  [/^40[17]@/, [REJECTED, 'percent-encode them: @ is %40, / is %2F']],
  [/^40[17]/, ['requires a user name and password ({status})', SET_PASSWORD]],
  [OUTAGE, ['could not reach {target} ({status})', WITHOUT_PROXY]],
];
const REFUSED: Problem = ['refused to connect to {target} ({status})', ALLOW_IT];

/** Turns an error of Node's or undici's into a GwtokenError. */
export function wireProblem(thrown: unknown, asked: Asked): GwtokenError {
  if (thrown instanceof GwtokenError) return thrown;
  const limit = limitReached(thrown);
  if (limit !== undefined) return limit;
  // undici wraps what is wrong with the name of a proxy's certificate.
  const error = systemCode(thrown) === 'UND_ERR_PRX_TLS' ? (thrown as Error).cause : thrown;
  // With several addresses Node throws an AggregateError, with an error for each of them.
  const errors = error instanceof AggregateError ? error.errors : [error];
  const reason = systemCode(error) ?? systemCode(errors[0]);
  // Node's own words repeat names of the certificate.
  const message = foreign(errors.map(messageOf).join('; '));
  const code = reason ?? message;

  const { url, proxy, caFile, timeoutMs } = asked;
  const { waitingFor } = asked.progress;
  const isReply = waitingFor === 'reply' || waitingFor === 'body';
  const [, status] = /^Proxy response \((\d+)\)/.exec(message) ?? [];
  const isAtProxy = proxy && (status !== undefined || !(isReply || waitingFor === 'handshake'));
  const peer = isAtProxy ? proxy.label : url.host;
  const gaps: Readonly<Record<string, string | undefined>> = {
    ...{ code, message, status, proxy: proxy?.url.host, target: `${url.hostname}:${url.port || 443}` },
    setting: isAtProxy ? proxy.source : 'the auth URL',
    names: validFor(error),
    ca: caFile ? `${caFile} does not contain this CA:` : 'behind a company proxy or private CA?',
  };
  const fill = (text: string): string => text.replace(/\{(\w+)\}/g, (_, gap) => gaps[gap] ?? '');
  const fail = (
    start: string,
    [what, ...hints]: Problem,
    because = reason,
    kind: GwtokenError['kind'] = 'unreached',
  ): GwtokenError =>
    new GwtokenError(kind, `${start} ${fill(what)}`, {
      hints: hints.map(fill),
      reason: because,
      detail: message.includes(code) ? message : `${code}: ${message}`,
    });

  if (thrown instanceof TimedOut) {
    const hint = `check ${proxy?.source ?? 'the auth URL'} and the network, or raise --timeout`;
    return fail(url.href, [`did not answer within ${duration(timeoutMs)}`, hint], 'time-limit');
  }
  if (status && proxy) {
    const refusal = find(REFUSALS, `${status}${proxy.url.username && '@'}`) ?? REFUSED;
    return fail(proxy.label, refusal, OUTAGE.test(status) ? 'proxy-failure' : 'proxy-refusal');
  }
  const untrusted = find(CERTIFICATES, code);
  if (untrusted) return fail(`${peer} is not trusted:`, untrusted, 'certificate');
  // A reply that ends too early is valid so far.
  const isNoHttp = /^(HTTPParser|HeadersOverflow)Error$/.test((error as Error).name) && !/EOF/.test(message);
  const noHttp = isNoHttp ? 'did not answer with valid HTTP' : undefined;
  if (waitingFor === 'tunnel') {
    const what = noHttp ?? 'closed the connection without opening a tunnel';
    return fail(peer, [what, 'check that {setting} is the URL of an HTTP proxy']);
  }
  if (!isReply) return fail(`could not reach ${peer}:`, find(CONNECTIONS, code) ?? OTHER);
  if (noHttp) {
    const hint = `check the auth URL; if it is right, ${OPERATORS}`;
    return fail(url.href, [noHttp, hint], reason, 'bad-reply');
  }
  const how = code === 'ECONNRESET' ? 'reset' : 'closed';
  const where = waitingFor === 'body' ? 'in the middle of the reply' : 'without a reply';
  return fail(peer, [`${how} the connection ${where}`, `try again; if it persists, ${OPERATORS}`]);
}

function find(table: Table, code: string): Problem | undefined {
  return table.find(([codes]) => codes.test(code))?.[1];
}

/** Says for which names a certificate is valid. */
function validFor(error: unknown): string {
  const names = (error as { cert?: { subjectaltname?: string } } | undefined)?.cert?.subjectaltname ?? '';
  const shown = foreign(names.replaceAll(/\b(DNS|IP Address):/g, '')).slice(0, 200);
  return shown === '' ? 'not valid for any host name (its CN does not count)' : `only valid for ${shown}`;
}
