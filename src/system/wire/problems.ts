/** Failures on the wire: a sentence for people and a reason for scripts. Loaded only after a failure. */
import { GwtokenError, limitReached, messageOf, systemCode } from '../../errors';
import { duration, foreign } from '../../text';
import type { ConnectionProgress } from '../../world';
import { TimedOut } from '../limit';
import type { HttpProxy } from './proxy';

/** What was asked of whom, and how far it got. */
export interface Asked {
  readonly url: URL;
  readonly proxy: HttpProxy | undefined;
  readonly progress: ConnectionProgress;
  readonly caFile: string | undefined;
  readonly timeoutMs: number;
}

/** The end of a sentence, and hints. SETTING in them stands for the auth URL or the proxy's variable. */
type Problem = readonly [what: string, ...hints: string[]];

const OPERATORS = 'contact the operator of the endpoint or of your proxy';

/** Turns an error of Node's or undici's into a GwtokenError. */
export function wireProblem(thrown: unknown, asked: Asked): GwtokenError {
  if (thrown instanceof GwtokenError) return thrown;
  const limit = limitReached(thrown);
  if (limit !== undefined) return limit;
  if (thrown instanceof TimedOut) return late(asked);
  // undici wraps what is wrong with the name of a proxy's certificate.
  const error = systemCode(thrown) === 'UND_ERR_PRX_TLS' ? (thrown as Error).cause : thrown;
  // With several addresses Node throws an AggregateError, with an error for each of them.
  const errors = error instanceof AggregateError ? error.errors : [error];
  const reason = systemCode(error) ?? systemCode(errors[0]);
  // Node's own words repeat names of the certificate.
  const message = foreign(errors.map(messageOf).join('; '));
  const code = reason ?? message;
  const detail = message.includes(reason ?? '') ? message : `${reason}: ${message}`;

  const { url, proxy, progress, caFile } = asked;
  const { waitingFor } = progress;
  const isReply = waitingFor === 'reply' || waitingFor === 'body';
  const isAtProxy = proxy !== undefined && !isReply && waitingFor !== 'handshake';
  const peer = isAtProxy ? proxy.label : url.host;
  const setting = isAtProxy ? proxy.source : 'the auth URL';
  const fail = (start: string, [what, ...hints]: Problem, because = reason): GwtokenError =>
    new GwtokenError('unreached', `${start} ${what}`, {
      hints: hints.map((hint) => hint.replace('SETTING', setting)),
      reason: because,
      cause: thrown,
      detail,
    });

  const refused = /^Proxy response \((\d+)\)/.exec(message)?.[1];
  if (refused && proxy) return fail(proxy.label, ...refusal(Number(refused), proxy, url));
  const untrusted = certificateProblem(code, error, message, caFile);
  if (untrusted) return fail(`${peer} is not trusted:`, untrusted, 'certificate');
  const noHttp = isNoHttp(error, waitingFor) ? 'did not answer with valid HTTP' : undefined;
  if (waitingFor === 'tunnel') {
    const what = noHttp ?? 'closed the connection without opening a tunnel';
    return fail(peer, [what, 'check that SETTING is the URL of an HTTP proxy']);
  }
  if (!isReply) return fail(`could not reach ${peer}:`, connectionProblem(code));
  if (noHttp === undefined) {
    const where = waitingFor === 'body' ? 'in the middle of the reply' : 'without a reply';
    const what = `${code === 'ECONNRESET' ? 'reset' : 'closed'} the connection ${where}`;
    return fail(peer, [what, `try again; if it persists, ${OPERATORS}`]);
  }
  const hints = [`check the auth URL; if it is right, ${OPERATORS}`];
  return new GwtokenError('bad-reply', `${url.href} ${noHttp}`, { hints, reason, cause: thrown, detail });
}

function late({ url, proxy, timeoutMs }: Asked): GwtokenError {
  const settings = proxy ? `${proxy.source} and the network` : 'the network and the auth URL';
  return new GwtokenError('unreached', `${url.href} did not answer within ${duration(timeoutMs)}`, {
    reason: 'time-limit',
    hints: [`check ${settings}, or raise --timeout`],
  });
}

/** Returns the problem of a proxy that opens no tunnel, and its reason. */
function refusal(status: number, { url: proxy, source }: HttpProxy, url: URL): [Problem, string] {
  const target = `${url.hostname}:${url.port || 443}`;
  if (status >= 500 && status !== 501) {
    const hint = `if ${target} is reachable without a proxy, add it to NO_PROXY`;
    return [[`could not reach ${target} (${status})`, hint], 'proxy-failure'];
  }
  // tinyproxy answers 401 to a wrong password, and 407 to none.
  const wantsPassword = status === 407 || status === 401;
  const [what, hint] = !wantsPassword
    ? [`refused to connect to ${target}`, `ask the proxy's administrator to allow ${target}`]
    : proxy.username === ''
      ? ['requires a user name and password', `set ${source}=http://USER:PASSWORD@${proxy.host}`]
      : [`rejected the user name or password in ${source}`, 'percent-encode them: @ is %40, / is %2F'];
  return [[`${what} (${status})`, hint], 'proxy-refusal'];
}

/** OpenSSL's codes for an unknown CA, for which others may help; nothing has been sent yet. */
export const UNKNOWN_CA: readonly string[] = [
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_UNTRUSTED',
];

/** OpenSSL's other reasons, by Node's names for them: CERT_REVOKED, INVALID_PURPOSE, PATH_LENGTH_EXCEEDED. */
const REJECTED = /^(CERT_|UNABLE_TO_|INVALID_|PATH_LENGTH_|ERROR_IN_CERT_|UNSPECIFIED$)/;

const CLOCK = "check this machine's clock; if it is right, contact the endpoint's operator";
const TRUST_IT = 'if you trust this server, pass its certificate with --ca-file or GWTOKEN_CA_FILE';

function certificateProblem(
  code: string,
  error: unknown,
  message: string,
  caFile: string | undefined,
): Problem | undefined {
  if (code === 'CERT_HAS_EXPIRED') return ['its certificate has expired', CLOCK];
  if (code === 'CERT_NOT_YET_VALID') return ['its certificate is not yet valid', CLOCK];
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return [`its certificate is ${validFor(error)}`, 'check the host name in SETTING'];
  if (code === 'DEPTH_ZERO_SELF_SIGNED_CERT') return ['its certificate is self-signed', TRUST_IT];
  if (UNKNOWN_CA.includes(code)) {
    const why = caFile ? `${caFile} does not contain this CA:` : 'behind a company proxy or private CA?';
    return [
      'its certificate was issued by an unknown CA',
      `${why} pass the CA's PEM file with --ca-file or GWTOKEN_CA_FILE`,
      'if the CA is public, the server is not sending its intermediate certificate',
    ];
  }
  return REJECTED.test(code) ? [`its certificate was rejected (${message})`, OPERATORS] : undefined;
}

/** Says for which names a certificate is valid. */
function validFor(error: unknown): string {
  const names = (error as { cert?: { subjectaltname?: string } } | undefined)?.cert?.subjectaltname ?? '';
  const shown = foreign(names.replaceAll(/\b(DNS|IP Address):/g, '')).slice(0, 200);
  return shown === '' ? 'not valid for any host name (its CN does not count)' : `only valid for ${shown}`;
}

const NETWORK = 'check the network, the VPN and the firewall';
const CLOSED: Problem = ['connection closed', 'check the network, and the host and port in SETTING'];
const BLOCKED: Problem = ['the connection was blocked on this machine', 'check the firewall and any sandbox'];

/** Connections that were not made, by the system's code. */
const CONNECTIONS: Readonly<Record<string, Problem>> = {
  ENOTLOOPBACK: ['localhost does not resolve to this machine', 'use 127.0.0.1 in the auth URL'],
  ENOTFOUND: ['host not found', 'check SETTING for typos'],
  EAI_AGAIN: ['DNS is not responding', NETWORK],
  ECONNREFUSED: ['connection refused', 'check the host and port in SETTING; if right, the server is down'],
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  UND_ERR_SOCKET: CLOSED,
  ETIMEDOUT: ['connection timed out', NETWORK],
  EHOSTUNREACH: ['network unreachable', NETWORK],
  ENETUNREACH: ['network unreachable', NETWORK],
  EACCES: BLOCKED,
  EPERM: BLOCKED,
};

function connectionProblem(code: string): Problem {
  const known = CONNECTIONS[code];
  if (known) return known;
  if (/^ERR_SSL_.*(WRONG_VERSION_NUMBER|HTTP_REQUEST|PACKET_LENGTH_TOO_LONG)/.test(code))
    return ['it does not speak TLS', 'check the scheme and port in SETTING'];
  if (!/^(EPROTO$|ERR_SSL_)/.test(code)) return [`connection failed (${code})`, NETWORK];
  const hint = 'check the host and port in SETTING: the server must support TLS 1.2 or later';
  return [`the TLS handshake failed (${code})`, hint];
}

/** Tells if a reply is not HTTP, or not valid HTTP. One that ends too early is neither. */
function isNoHttp(error: unknown, waitingFor: ConnectionProgress['waitingFor']): boolean {
  const code = systemCode(error);
  // undici's code for any fault in the headers after Content-Length; in the body it means a cut.
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') return waitingFor !== 'body';
  const message = messageOf(error);
  return (
    code === 'UND_ERR_HEADERS_OVERFLOW' ||
    /^bad (response|upgrade)$/.test(message) ||
    (error instanceof Error && error.name === 'HTTPParserError' && !message.includes('EOF'))
  );
}
