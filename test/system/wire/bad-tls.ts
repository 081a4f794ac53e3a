import { writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { TlsOptions } from 'node:tls';
import type { Authority, Identity, Leaf } from '../../harness/endpoints/authority';
import { type Script, startFaultServer } from '../../harness/endpoints/fault-server';
import { missing } from '../../harness/needs';
import { type Expectation, FETCHED, reply, type WireCase } from './scene';

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
const WANTS_ONE =
  /(closed the connection without a reply|the TLS handshake failed \(ERR_SSL_[A-Z0-9_]+\)) \(3 attempts\)/;
const DAY_LATE = /is not trusted: its certificate has expired[\s\S]*hint: check this machine's clock/;

/** Certificates, right and wrong, and handshakes that fail. */
export const BAD_TLS: readonly WireCase[] = [
  tls('--ca-file', {}, caFile, FETCHED),
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
    needs: missing('linux'),
  },
  {
    ...tls(
      "the system's roots: SSL_CERT_DIR",
      {},
      ({ caFile: file }) => ({ env: { SSL_CERT_DIR: dirname(file) } }),
      FETCHED,
    ),
    needs: missing('linux'),
  },
  tls(
    'an unknown authority',
    {},
    nothing,
    untrusted(
      /is not trusted: its certificate was issued by an unknown CA[\s\S]*hint: .*--ca-file or GWTOKEN_CA_FILE/,
    ),
  ),
  tls(
    'an intermediate that is left out',
    { intermediate: 'left out' },
    caFile,
    untrusted(
      /issued by an unknown CA\nhint: \S+ca\.pem does not contain this CA: pass the CA's PEM file with --ca-file or GWTOKEN_CA_FILE\nhint: .*is not sending its intermediate certificate/,
    ),
  ),
  tls(
    'an intermediate that is left out, and named alone with --ca-file',
    { intermediate: 'left out' },
    ({ file }) => ({ args: ['--ca-file', file('middle.pem')] }),
    FETCHED,
  ),
  tls('expired', { from: -20, until: -2 }, caFile, untrusted(DAY_LATE)),
  tls('not yet valid', { from: 2 }, caFile, untrusted(/its certificate is not yet valid/)),
  tls(
    'self-signed',
    (authority) => authority.selfSigned(),
    nothing,
    untrusted(/its certificate is self-signed[\s\S]*hint: .*--ca-file/),
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
    untrusted(
      /its certificate is only valid for other\.test[\s\S]*hint: check the host name in the auth URL/,
    ),
  ),
  {
    name: "the host's name as the common name alone",
    ...untrusted(/is not trusted: its certificate is only valid for 127\.0\.0\.2/),
    async set({ caFile: file, issue }) {
      const pem = issue({ names: 'IP:127.0.0.2', subject: '/CN=localhost' });
      const endpoint = await startFaultServer({ answer }, { tls: pem });
      const authUrl = endpoint.url.replace('127.0.0.1', 'localhost');
      return { authUrl, endpoint, args: ['--ca-file', file] };
    },
  },
  tls(
    'NODE_TLS_REJECT_UNAUTHORIZED=0 is ignored',
    {},
    () => ({ env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } }),
    untrusted(
      /^gwtoken: warning: NODE_TLS_REJECT_UNAUTHORIZED=0 is ignored: certificates are always verified\ngwtoken: error: [^\n]* is not trusted/,
    ),
  ),
  // Node heeds 0 alone; Bun this word too.
  tls(
    'NODE_TLS_REJECT_UNAUTHORIZED=false has no effect',
    {},
    () => ({ env: { NODE_TLS_REJECT_UNAUTHORIZED: 'false' } }),
    untrusted(/^gwtoken: error: [^\n]* is not trusted/),
  ),
  // With TLS 1.3 the client's handshake has ended when the server wants its certificate: the alert comes in
  // place of a reply, before anything has been asked or after it.
  tls('the endpoint requires a client certificate', {}, caFile, untrusted(WANTS_ONE), {
    requestCert: true,
    rejectUnauthorized: true,
  }),
  tls(
    'TLS 1.1 alone',
    {},
    caFile,
    untrusted(
      /could not reach \S+: the TLS handshake failed \(ERR_SSL_[A-Z0-9_]+\) \(3 attempts\)\nhint: .* TLS 1\.2 or later/,
    ),
    { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' },
  ),
  tls(
    'HTTP/2 alone',
    {},
    caFile,
    untrusted(/could not reach \S+: it does not offer HTTP\/1\.1 \(3 attempts\)\nhint: contact the operator/),
    { ALPNProtocols: ['h2'] },
  ),
  tls('TLS 1.2 alone', {}, caFile, FETCHED, { maxVersion: 'TLSv1.2' }),
  {
    name: 'http where https was meant',
    ...untrusted(/does not speak TLS/),
    set: () => plain({ connected: (socket) => void socket.write(reply(400)) }),
  },
  {
    name: 'silence in the handshake',
    waits: true,
    ...untrusted(/did not answer within [\d.]+ s\n/),
    set: () => plain({}),
  },
  {
    name: 'reset in the handshake',
    ...untrusted(/could not reach \S+: connection (reset|closed) \(3 attempts\)/),
    set: () => plain({ connected: (socket) => void socket.once('data', () => socket.resetAndDestroy()) }),
  },
];

/** A server that speaks no TLS, asked as if it did. */
async function plain(script: Script) {
  const endpoint = await startFaultServer(script);
  return { authUrl: endpoint.url.replace('http:', 'https:'), endpoint };
}
