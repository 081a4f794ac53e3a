/** Failures on the wire: a sentence for people and a reason for scripts. Loaded only after a failure. */
import { GwtokenError } from '../../errors';
import { limitReached, messageOf, systemCode } from '../../system-errors';
import { duration, foreign } from '../../text';
import { isAtProxy, type Progress, UNKNOWN_AUTHORITY } from './connection';
import { calledProxy } from './proxy';

/** The end of a sentence, and hints. */
type Problem = readonly [what: string, ...hints: string[]];

/**
 * Turns an error of Node's or undici's into a GwtokenError.
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
  const peer = proxy ? calledProxy(proxy) : url.host;
  if (lateAfterMs !== undefined) return late(url, progress, lateAfterMs);

  const setting = proxy?.source ?? 'the auth URL';
  // With several addresses Node throws an AggregateError, with an error for each of them.
  const errors = error instanceof AggregateError ? error.errors : [error];
  const reason = systemCode(error) ?? systemCode(errors[0]);
  // Node's own words repeat names of the certificate.
  const message = foreign(errors.map(messageOf).join('; '));
  const code = reason ?? message;
  const detail = message.includes(reason ?? '') ? message : `${reason}: ${message}`;
  const unreached = (start: string, [what, ...hints]: Problem, because = reason): GwtokenError =>
    new GwtokenError('unreached', `${start} ${what}`, { hints, reason: because, cause: error, detail });

  const { waitingFor } = progress;
  const isReply = waitingFor === 'reply' || waitingFor === 'body';
  const untrusted = certificateProblem(code, message, error, progress, setting);
  if (untrusted) return unreached(`${peer} is not trusted:`, untrusted, 'certificate');
  const badHttp = httpProblem(error, waitingFor);
  if (waitingFor === 'tunnel') {
    const what = badHttp ?? 'closed the connection without opening a tunnel';
    return unreached(peer, [what, `check that ${setting} is the URL of an HTTP proxy`]);
  }
  if (!isReply) return unreached(`could not reach ${peer}:`, notReached(code, setting));
  if (badHttp === undefined) return unreached(url.host, brokenOff(code, waitingFor));
  const hints = [`check the auth URL; if it is right, ${ASK_ITS_OPERATORS}`];
  return new GwtokenError('bad-reply', `${url.href} ${badHttp}`, { hints, reason, cause: error, detail });
}

function late(url: URL, { via }: Progress, afterMs: number): GwtokenError {
  const settings = via ? `${via.source} and the network` : 'the network and the auth URL';
  return new GwtokenError('unreached', `${url.href} did not answer within ${duration(afterMs)}`, {
    reason: 'time-limit',
    hints: [`check ${settings}, or raise --timeout`],
  });
}

const ASK_ITS_OPERATORS = 'contact the operator of the endpoint or of your proxy';

/** OpenSSL's other reasons, by Node's names for them: CERT_REVOKED, INVALID_PURPOSE, PATH_LENGTH_EXCEEDED. */
const REJECTED = /^(CERT_|UNABLE_TO_|INVALID_|PATH_LENGTH_|ERROR_IN_CERT_|UNSPECIFIED$)/;

function certificateProblem(
  code: string,
  message: string,
  error: unknown,
  { caFile }: Progress,
  setting: string,
): Problem | undefined {
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return [
        'its certificate has expired',
        "check this machine's clock; if it is right, the endpoint's operator must renew the certificate",
      ];
    case 'CERT_NOT_YET_VALID':
      return [
        'its certificate is not yet valid',
        "check this machine's clock; if it is right, contact the endpoint's operator",
      ];
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return [
        'its certificate is self-signed',
        'if you trust this server, pass its certificate with --ca-file or GWTOKEN_CA_FILE',
      ];
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return [`its certificate is ${validFor(error)}`, `check the host name in ${setting}`];
  }
  if (!UNKNOWN_AUTHORITY.includes(code))
    return REJECTED.test(code) ? [`its certificate was rejected (${message})`, ASK_ITS_OPERATORS] : undefined;
  const pass = "pass the CA's PEM file with --ca-file or GWTOKEN_CA_FILE";
  const hints = [
    caFile === undefined
      ? `behind a company proxy or private CA? ${pass}`
      : `${caFile} does not contain this CA: ${pass}`,
  ];
  if (code === 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' || code === 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY') {
    hints.push('if the CA is public, the server is not sending its intermediate certificate');
    // Bun does not distinguish this case from a self-signed certificate whose key usage forbids signing.
    hints.push(
      'if it is self-signed and you trust this server, pass the certificate itself ' +
        'with --ca-file or GWTOKEN_CA_FILE',
    );
  }
  return ['its certificate was issued by an unknown CA', ...hints];
}

/** Says for which names a certificate is valid. */
function validFor(error: unknown): string {
  const names = (error as { cert?: { subjectaltname?: string } } | undefined)?.cert?.subjectaltname ?? '';
  const shown = foreign(names.replaceAll(/\b(DNS|IP Address):/g, '')).slice(0, 200);
  return shown === '' ? 'not valid for any host name (its CN does not count)' : `only valid for ${shown}`;
}

/** Says how the connection ended after the request. */
function brokenOff(code: string, waitingFor: 'reply' | 'body'): Problem {
  const how = code === 'ECONNRESET' ? 'reset' : 'closed';
  const what = /^ERR_SSL_\S*ALERT_/.test(code)
    ? `ended the connection with a TLS alert (${code})`
    : `${how} the connection ${waitingFor === 'body' ? 'in the middle of the reply' : 'without a reply'}`;
  return [what, `try again; if it persists, ${ASK_ITS_OPERATORS}`];
}

function notReached(code: string, setting: string): Problem {
  switch (code) {
    case 'ENOTLOOPBACK':
      return [
        'localhost does not resolve to this machine',
        'use 127.0.0.1: an http: auth URL must be on this machine',
      ];
    case 'ENOTFOUND':
      return ['host not found', `check ${setting} for typos`];
    case 'EAI_AGAIN':
      return ['DNS is not responding', 'check the network and the VPN'];
    case 'ECONNREFUSED':
      return [
        'connection refused',
        `check the host and port in ${setting}; if they are right, the server is down`,
      ];
    case 'ECONNRESET':
    case 'EPIPE':
    case 'UND_ERR_SOCKET':
      return [
        code === 'ECONNRESET' ? 'connection reset' : 'connection closed',
        `check the network, and the host and port in ${setting}`,
      ];
    case 'ETIMEDOUT':
      return ['connection timed out', 'check the network, the VPN and the firewall'];
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return [
        code === 'EHOSTUNREACH' ? 'no route to host' : 'network unreachable',
        'check the network and the VPN',
      ];
    case 'EACCES':
    case 'EPERM':
      return [
        'the connection was blocked on this machine',
        'check the firewall and any sandbox that gwtoken runs in',
      ];
  }
  if (/^ERR_SSL_.*(WRONG_VERSION_NUMBER|HTTP_REQUEST|PACKET_LENGTH_TOO_LONG)/.test(code))
    return ['it does not speak TLS', `check the scheme and port in ${setting}`];
  if (!/^(EPROTO$|ERR_SSL_)/.test(code)) return [`connection failed (${code})`, 'check the network'];
  return [
    `the TLS handshake failed (${code})`,
    `check the host and port in ${setting}: the server must support TLS 1.2 or later and HTTP/1.1`,
  ];
}

/** Says if a reply is not HTTP, or not valid HTTP. One that ends too early is neither. */
function httpProblem(error: unknown, waitingFor: Progress['waitingFor']): string | undefined {
  const invalid = 'answered with invalid HTTP';
  const code = systemCode(error);
  // undici's code for any fault in the headers after Content-Length; in the body it means a cut.
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' && waitingFor !== 'body') return invalid;
  const message = messageOf(error);
  if (code === 'UND_ERR_HEADERS_OVERFLOW' || message === 'bad upgrade') return invalid;
  const isParserError =
    error instanceof Error && error.name === 'HTTPParserError' && !message.includes('EOF');
  // It does not begin like HTTP, or came before the request. undici passes on only the parser's message.
  if (message === 'bad response' || (isParserError && /Expected HTTP\/|Invalid HTTP version/.test(message)))
    return 'did not answer with HTTP';
  return isParserError ? invalid : undefined;
}
