import { writeFileSync } from 'node:fs';
import type { TlsOptions } from 'node:tls';
import type { Authority, Identity, Leaf } from '../../harness/endpoints/authority';
import { type Script, startFaultServer } from '../../harness/endpoints/fault-server';
import { FORM } from '../../harness/programs/program';
import { type Expectation, FETCHED, reply, scripted, type WireCase } from './scene';

const answer = (socket: import('node:net').Socket) => void socket.write(reply(200));
const untrusted = (says: RegExp): Expectation => ({ code: 6, says, requests: 0 });

/** A case of an https: endpoint; `how` gives gwtoken's environment and arguments. */
function tls(
  name: string,
  identity: Leaf | ((authority: Authority) => Identity),
  how: (authority: Authority) => { env?: Record<string, string>; args?: string[] },
  expected: Expectation & Pick<WireCase, 'waits'>,
  options: TlsOptions = {},
): WireCase {
  return {
    name,
    ...expected,
    async set(authority) {
      const pem = typeof identity === 'function' ? identity(authority) : authority.issue(identity);
      const endpoint = await startFaultServer({ answer }, { tls: { ...pem, ...options } });
      return { authUrl: endpoint.url, endpoint, ...how(authority) };
    },
  };
}

const caFile = ({ caFile: file }: Authority) => ({ args: ['--ca-file', file] });
/** Without roots of the system, so that nothing of this machine plays a part. */
const nothing = () => ({});
const DAY_LATE = /was not trusted: its certificate has expired[\s\S]*hint: check this machine's clock/;

/** Certificates, right and wrong, and handshakes that fail. */
export const BAD_TLS: readonly WireCase[] = [
  tls('--ca-file', {}, caFile, FETCHED),
  tls('GWTOKEN_CA_FILE', {}, ({ caFile: file }) => ({ env: { GWTOKEN_CA_FILE: file } }), FETCHED),
  tls('NODE_EXTRA_CA_CERTS', {}, ({ caFile: file }) => ({ env: { NODE_EXTRA_CA_CERTS: file } }), FETCHED),
  tls(
    'NODE_EXTRA_CA_CERTS beside a --ca-file that does not help',
    {},
    ({ caFile: file, file: path, selfSigned }) => {
      writeFileSync(path('other.pem'), selfSigned().cert);
      return { env: { NODE_EXTRA_CA_CERTS: file }, args: ['--ca-file', path('other.pem')] };
    },
    FETCHED,
  ),
  {
    ...tls(
      "the system's roots: SSL_CERT_FILE",
      {},
      ({ caFile: file }) => ({ env: { SSL_CERT_FILE: file } }),
      FETCHED,
    ),
    needs:
      process.platform === 'linux' ? undefined : 'needs Linux: the system has a store of its own elsewhere',
  },
  tls(
    'an unknown authority',
    {},
    nothing,
    untrusted(
      /was not trusted: its certificate is from an authority unknown to Node[\s\S]*hint: .*--ca-file or GWTOKEN_CA_FILE/,
    ),
  ),
  tls('an intermediate that is sent', { intermediate: 'sent' }, caFile, FETCHED),
  tls(
    'an intermediate that is left out',
    { intermediate: 'left out' },
    caFile,
    untrusted(/an authority unknown to Node[\s\S]*hint: .*leaves out its intermediate certificate/),
  ),
  tls('expired', { from: -20, until: -2 }, caFile, untrusted(DAY_LATE)),
  tls('not valid yet', { from: 2 }, caFile, untrusted(/its certificate is not valid yet/)),
  tls(
    'self-signed',
    (authority) => authority.selfSigned(),
    nothing,
    untrusted(
      FORM === 'package'
        ? /its certificate is self-signed[\s\S]*hint: .*--ca-file/
        : /unknown to Node[\s\S]*hint: if it is self-signed and the right one, .*--ca-file/,
    ),
  ),
  tls(
    'self-signed, and named with --ca-file',
    (authority) => {
      const own = authority.selfSigned();
      writeFileSync(authority.file('named.pem'), own.cert);
      return own;
    },
    ({ file }) => ({ args: ['--ca-file', file('named.pem')] }),
    FETCHED,
  ),
  tls(
    'the wrong host',
    { names: 'DNS:other.test' },
    caFile,
    untrusted(/its certificate is for other\.test[\s\S]*hint: check the host in the auth URL/),
  ),
  tls(
    'NODE_TLS_REJECT_UNAUTHORIZED=0 is ignored',
    {},
    () => ({ env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } }),
    untrusted(
      /^gwtoken: warning: NODE_TLS_REJECT_UNAUTHORIZED=0 is ignored: certificates are always verified\ngwtoken: error: [^\n]* was not trusted/,
    ),
  ),
  tls(
    'NODE_TLS_REJECT_UNAUTHORIZED=0 beside a good certificate',
    {},
    ({ caFile: file }) => ({ env: { NODE_TLS_REJECT_UNAUTHORIZED: '0', GWTOKEN_CA_FILE: file } }),
    { ...FETCHED, says: /^gwtoken: warning: NODE_TLS_REJECT_UNAUTHORIZED=0 is ignored: [^\n]*\n$/ },
  ),
  // With TLS 1.3 the handshake has ended for the client when the server looks for its certificate, and what it says
  // then is mostly lost with the connection.
  tls(
    'the endpoint wants a certificate of ours',
    {},
    caFile,
    untrusted(/(closed|reset) the connection without a reply \(3 attempts\)/),
    { requestCert: true, rejectUnauthorized: true },
  ),
  tls(
    'the endpoint wants a certificate of ours, TLS 1.2',
    {},
    caFile,
    untrusted(/the TLS handshake failed|the connection was (closed|reset)|without a reply/),
    { requestCert: true, rejectUnauthorized: true, maxVersion: 'TLSv1.2' },
  ),
  tls(
    'TLS 1.1 alone',
    {},
    caFile,
    untrusted(/was not reached: the TLS handshake failed \(ERR_SSL_[A-Z0-9_]+\) \(3 attempts\)/),
    { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' },
  ),
  tls('TLS 1.2 alone', {}, caFile, FETCHED, { maxVersion: 'TLSv1.2' }),
  {
    ...scripted('http where https was meant', { connected: answer }, untrusted(/does not speak TLS/)),
    set: async () => plain({ connected: (socket) => void socket.write(reply(400)) }),
  },
  {
    name: 'silence in the handshake',
    waits: true,
    ...untrusted(/did not answer within [\d.]+ s: the TLS handshake with 127\.0\.0\.1:\d+ did not end/),
    set: () => plain({}),
  },
  {
    name: 'reset in the handshake',
    ...untrusted(/was not reached: the connection was (reset|closed) \(3 attempts\)/),
    set: () => plain({ connected: (socket) => void socket.once('data', () => socket.resetAndDestroy()) }),
  },
  ...[
    ['is not there', 'missing.pem', undefined, /the CA file \S+missing\.pem cannot be read \(ENOENT\)/],
    ['is a folder', '.', undefined, /the CA file \S+ cannot be read \(EISDIR\)/],
    ['is no PEM', 'text.pem', 'hello\n', /the CA file \S+text\.pem has no PEM certificate in it/],
    [
      'is garbled',
      'garbled.pem',
      '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
      /has a certificate that cannot be read \(number 1 of 1\)/,
    ],
  ].map(([what, name, content, says]): WireCase => {
    const write = (path: string) =>
      content === undefined ? undefined : writeFileSync(path, String(content));
    return tls(
      `a CA file that ${what}`,
      {},
      ({ file }) => {
        write(file(String(name)));
        return { args: ['--ca-file', file(String(name))] };
      },
      { code: 2, says: says as RegExp, requests: 0 },
    );
  }),
];

/** A server that speaks no TLS, asked as if it did. */
async function plain(script: Script) {
  const endpoint = await startFaultServer(script);
  return { authUrl: endpoint.url.replace('http:', 'https:'), endpoint };
}
