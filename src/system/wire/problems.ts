/** What went wrong on the wire, as one sentence for a person and a reason for a script. Loaded when something did. */
import { GwtokenError, messageOf, systemCode } from '../../errors';
import type { ErrorKind } from '../../exit-codes';
import { seconds } from '../../text';
import { isAtProxy, type Progress, UNKNOWN_AUTHORITY } from './connection';
import { calledProxy } from './proxy';

/**
 * Makes the error of contract section 5 from what Node or undici threw.
 *
 * @param lateAfterMs the time limit, if it was what ended the request
 */
export function wireProblem(
  error: unknown,
  url: URL,
  progress: Progress,
  lateAfterMs: number | undefined,
): GwtokenError {
  const isLate = lateAfterMs !== undefined;
  if (error instanceof GwtokenError && !isLate) return error;
  const { waitingFor, via, caFile } = progress;
  // With several addresses Node throws an AggregateError, with an error for each of them.
  const errors = error instanceof AggregateError ? error.errors : [error];
  const code = systemCode(error) ?? systemCode(errors[0]);
  const message = errors.map(messageOf).join('; ');
  const values: Record<string, string> = {
    url: url.href,
    host: url.host,
    peer: via && isAtProxy(progress) ? calledProxy(via) : url.host,
    setting: via?.source ?? 'the auth URL',
    settings: via ? `${via.source} and the network` : 'the network and the auth URL',
    limit: seconds(lateAfterMs ?? 0),
    unknownTo: unknownTo(progress),
    nameItsCa:
      caFile === undefined ? NAME_ITS_CA : `${caFile} has no certificate of that authority: ${NAME_ITS_CA}`,
    names: namesIn(error),
    code: code ?? message,
    message,
  };
  const fill = (text: string): string => text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '');
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
 * What happened and what was being waited for, as in `ECONNRESET reply`: a code of Node's, OpenSSL's or undici's, one
 * of {@link httpFault}, or `late`. Then the rest of the sentence, and hints.
 */
type Row = readonly [which: RegExp, what: string, ...hints: string[]];

/** Problems that are told in one way; of all rows the first that fits holds. */
interface Group {
  /** `unreached` if left out. */
  readonly kind?: ErrorKind;
  /** The code if left out. */
  readonly reason?: string;
  /** How the sentence begins. */
  readonly says: string;
  readonly rows: readonly Row[];
  /** After a row's own. */
  readonly hints?: readonly string[];
}

const UNKNOWN = 'its certificate is from an authority unknown to {unknownTo}';
const NAME_ITS_CA =
  "if a company's proxy or own authority signs it, name that authority's PEM file with --ca-file or GWTOKEN_CA_FILE";
const NO_HTTP = 'answered with something other than HTTP';
const BAD_HTTP = 'answered with HTTP that breaks its rules';
const ASK_ITS_OPERATORS = 'ask the operators of the endpoint, or of a proxy on the way';
const CHECK_BOTH = 'check the network, and host and port in {setting}';
const CHECK_VPN = 'check the network: a VPN that is down?';

const PROBLEMS: readonly Group[] = [
  {
    reason: 'time-limit',
    says: '{url} did not answer within {limit}:',
    rows: [
      [/^late lookup$/, 'the name of {peer} was not found in time: DNS does not answer'],
      [/^late tunnel$/, '{peer} opened no tunnel'],
      [/^late handshake$/, 'the TLS handshake with {peer} did not end'],
      [/^late reply$/, 'no reply came'],
      [/^late body$/, 'the reply did not end'],
      [/^late /, 'no connection to {peer} came about'],
    ],
    hints: ['check {settings}, or allow more time with --timeout'],
  },
  {
    reason: 'certificate',
    says: '{peer} was not trusted:',
    rows: [
      [
        /^CERT_HAS_EXPIRED /,
        'its certificate has expired',
        "check this machine's clock; if it is right, the operators have to renew the certificate",
      ],
      [
        /^CERT_NOT_YET_VALID /,
        'its certificate is not valid yet',
        "check this machine's clock; if it is right, ask the operators",
      ],
      [
        /^DEPTH_ZERO_SELF_SIGNED_CERT /,
        'its certificate is self-signed',
        'if it is the right one, get it from the operators and name the file with --ca-file or GWTOKEN_CA_FILE',
      ],
      [
        /^UNABLE_TO_(VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT_LOCALLY) /,
        UNKNOWN,
        '{nameItsCa}',
        'if the authority is a public one, the server leaves out its intermediate certificate',
        // Bun does not tell this case from one that is self-signed.
        'if it is self-signed and the right one, name the certificate itself with --ca-file or GWTOKEN_CA_FILE',
      ],
      [new RegExp(`^(${UNKNOWN_AUTHORITY.join('|')}) `), UNKNOWN, '{nameItsCa}'],
      [
        /^ERR_TLS_CERT_ALTNAME_INVALID /,
        'its certificate is for {names}',
        'check the host in the auth URL: it must be a name that the certificate has',
      ],
      // The server's alert when it wants one from us. With TLS 1.3 it comes in place of the reply, and then each of
      // these means that: the handshake has ended, and Java, IIS and others choose for themselves which one they send.
      [
        /^ERR_SSL_\S*ALERT_(CERTIFICATE_REQUIRED|BAD_CERTIFICATE|(CERTIFICATE_UNKNOWN|UNKNOWN_CA|ACCESS_DENIED|HANDSHAKE_FAILURE|UNSUPPORTED_CERTIFICATE) (reply|body)$)/,
        'it wants a certificate of the client, which gwtoken cannot give',
        'check the auth URL: is this the address for a client id and a secret?',
      ],
      // OpenSSL's other reasons, as Node names them.
      [
        /^(CERT_(REVOKED|REJECTED|SIGNATURE_FAILURE|CHAIN_TOO_LONG)|INVALID_(CA|PURPOSE)|PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH|UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY|UNABLE_TO_DECRYPT_CERT_SIGNATURE|ERROR_IN_CERT_NOT_(BEFORE|AFTER)_FIELD|UNSPECIFIED) /,
        'its certificate cannot be accepted ({message})',
        ASK_ITS_OPERATORS,
      ],
    ],
  },
  {
    kind: 'bad-reply',
    says: '{url}',
    rows: [
      [/^UND_ERR_HEADERS_OVERFLOW (reply|body)$/, 'answered with more headers than are read'],
      [/^BAD_HTTP (reply|body)$/, BAD_HTTP, ASK_ITS_OPERATORS],
      [/^UPGRADE (reply|body)$/, 'answered 101, a change of protocol that nobody asked for'],
      [/^NO_HTTP (reply|body)$/, NO_HTTP],
      // In the headers undici says this for every fault that comes after a Content-Length.
      [/^UND_ERR_RES_CONTENT_LENGTH_MISMATCH reply$/, BAD_HTTP, ASK_ITS_OPERATORS],
    ],
    hints: ['check that the auth URL is the address of the identity endpoint'],
  },
  {
    says: '{host}',
    rows: [
      [/^ERR_SSL_\S*ALERT_\S+ (reply|body)$/, 'ended the connection with a TLS alert ({code})'],
      [/^ECONNRESET reply$/, 'reset the connection without a reply'],
      [/ reply$/, 'closed the connection without a reply'],
      [/^ECONNRESET body$/, 'reset the connection in the middle of its reply'],
      [/ body$/, 'closed the connection in the middle of its reply'],
    ],
    hints: ['try again; if it stays, ask the operators of the endpoint, or of a proxy on the way'],
  },
  {
    says: '{peer}',
    rows: [
      [/^NO_HTTP tunnel$/, NO_HTTP],
      [/^BAD_HTTP tunnel$/, BAD_HTTP],
      [/ tunnel$/, 'closed the connection and opened no tunnel'],
    ],
    hints: ['check that {setting} is the address of an HTTP proxy'],
  },
  {
    says: '{peer} was not reached:',
    rows: [
      [
        /^ENOTLOOPBACK /,
        'localhost is another machine here',
        'write 127.0.0.1 instead: an http: auth URL is for this machine alone',
      ],
      [/^ENOTFOUND /, 'there is no such name in DNS', 'look for a typing mistake in {setting}'],
      [/^EAI_AGAIN /, 'its name could not be looked up, DNS does not answer', CHECK_VPN],
      [
        /^ECONNREFUSED /,
        'the connection was refused',
        'nothing listens there: check host and port in {setting}',
      ],
      [/^ECONNRESET /, 'the connection was reset', CHECK_BOTH],
      [/^(EPIPE|UND_ERR_SOCKET) /, 'the connection was closed', CHECK_BOTH],
      [/^ETIMEDOUT /, 'no connection came about', 'check the network: a VPN that is down, a firewall?'],
      [/^EHOSTUNREACH /, 'there is no route to it', CHECK_VPN],
      [/^ENETUNREACH /, 'the network cannot be reached', 'check the network of this machine'],
      [
        /^(EACCES|EPERM) /,
        'this machine does not allow the connection',
        'check its firewall and the sandbox that gwtoken runs in',
      ],
      // OpenSSL's codes for a handshake that failed, whatever the certificate.
      [
        /^ERR_SSL_.*(WRONG_VERSION_NUMBER|HTTP_REQUEST|PACKET_LENGTH_TOO_LONG)/,
        'it does not speak TLS',
        'check scheme and port in {setting}',
      ],
      [
        /^ERR_SSL_\S*UNRECOGNIZED_NAME /,
        'it does not know the host name that it was asked for ({code})',
        'check the host in {setting}',
      ],
      [
        /^ERR_SSL_\S*NO_APPLICATION_PROTOCOL /,
        'it does not speak HTTP/1.1 ({code})',
        'it may speak HTTP/2 only, which gwtoken does not: check the port in {setting}, or ask its operators',
      ],
      [
        /^ERR_SSL_\S*HANDSHAKE_FAILURE /,
        'the TLS handshake failed ({code})',
        'there is no cipher in common, or it wants a certificate of the client, which gwtoken cannot give: ask its operators',
      ],
      [
        /^ERR_SSL_\S*(VERSION|UNSUPPORTED_PROTOCOL)/,
        'the TLS handshake failed ({code})',
        'TLS 1.2 or later is needed on both sides',
      ],
      [
        /^(EPROTO|ERR_SSL_\S+) /,
        'the TLS handshake failed ({code})',
        'ask the operators of the endpoint, or of a proxy or firewall on the way',
      ],
      [/^/, 'the connection failed ({code})', 'check the network'],
    ],
  },
];

/** Faults that undici has no code for: its parser gave up, and not merely because the bytes ended; a 101. */
function httpFault(error: unknown): 'NO_HTTP' | 'BAD_HTTP' | 'UPGRADE' | undefined {
  const message = messageOf(error);
  if (message === 'bad upgrade') return 'UPGRADE';
  // A bad response is one that came before there was a request.
  if (message === 'bad response') return 'NO_HTTP';
  const isParserError = error instanceof Error && error.name === 'HTTPParserError';
  if (!isParserError || message.includes('EOF')) return undefined;
  // What does not begin as HTTP does; anything else is a fault further on. undici tells the parser's words alone, the
  // action's client its code alone.
  const isOther = /Expected HTTP\/|Invalid HTTP version|^HPE_INVALID_(CONSTANT|VERSION)$/.test(message);
  return isOther ? 'NO_HTTP' : 'BAD_HTTP';
}

/** Whose authorities were asked: `Node, /etc/company.pem and the system`. */
function unknownTo({ caFile, systemRoots }: Progress): string {
  const all = ['Node', ...(caFile === undefined ? [] : [caFile]), ...(systemRoots ? ['the system'] : [])];
  const last = all.pop();
  return all.length === 0 ? `${last}` : `${all.join(', ')} and ${last}`;
}

/** The names in a certificate that has not the one asked for; they are the other side's, so cleaned and cut. */
function namesIn(error: unknown): string {
  const names = (error as { cert?: { subjectaltname?: string } } | undefined)?.cert?.subjectaltname ?? '';
  const clean = names
    .replace(/[^\x20-\x7e]/g, '?')
    .replaceAll(/\b(DNS|IP Address):/g, '')
    .slice(0, 200);
  return clean === '' ? 'no name at all' : clean;
}
