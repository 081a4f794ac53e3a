import { writeFileSync } from 'node:fs';
import type { TlsOptions } from 'node:tls';
import type { Authority, Identity, Leaf } from '../../harness/endpoints/authority';
import { type Script, startFaultServer } from '../../harness/endpoints/fault-server';
import { missing } from '../../harness/needs';
import { FORM } from '../../harness/programs/program';
import { type Expectation, type Expected, FETCHED, reply, SENDS_TOKEN, type WireCase } from './scene';

const untrusted = (says: RegExp): Expectation => ({ code: 6, says, requests: 0 });

/** Returns the case of an https: endpoint. `how` returns gwtoken's variables and arguments. */
function tls(
  name: string,
  identity: Leaf | ((authority: Authority) => Identity),
  how: (authority: Authority) => { env?: Record<string, string>; args?: string[] },
  expected: Expected,
  options: TlsOptions = {},
): WireCase {
  return {
    name,
    ...expected,
    async setUp(authority) {
      const pem = typeof identity === 'function' ? identity(authority) : authority.issue(identity);
      const endpoint = await startFaultServer(SENDS_TOKEN, { tls: { ...pem, ...options } });
      return { authUrl: endpoint.url, endpoint, ...how(authority) };
    },
  };
}

const caFile = ({ caFile: file }: Authority) => ({ args: ['--ca-file', file] });
/** A certificate for 127.0.0.1 of the test's CA. */
const VALID: Leaf = {};
const nothing = () => ({});
const EXPIRED = /is not trusted: its certificate has expired[\s\S]*hint: check this machine's clock/;

export const BAD_TLS: readonly WireCase[] = [
  tls('a CA in --ca-file', VALID, caFile, { ...FETCHED, isQuick: true }),
  tls(
    'a CA in NODE_EXTRA_CA_CERTS, and another in --ca-file',
    VALID,
    ({ caFile: file, file: path, selfSigned }) => {
      writeFileSync(path('other.pem'), selfSigned().cert);
      return { env: { NODE_EXTRA_CA_CERTS: file }, args: ['--ca-file', path('other.pem')] };
    },
    { ...FETCHED, isQuick: true },
  ),
  tls('a CA in SSL_CERT_FILE', VALID, ({ caFile: file }) => ({ env: { SSL_CERT_FILE: file } }), {
    ...FETCHED,
    needs: missing('linux'),
  }),
  tls(
    'a certificate of an unknown CA',
    VALID,
    nothing,
    untrusted(/is not trusted: its certificate was issued by an unknown CA[\s\S]*hint: .*--ca-file/),
  ),
  tls(
    'a chain without its intermediate certificate',
    { intermediate: 'left out' },
    caFile,
    untrusted(
      /issued by an unknown CA\nhint: this CA is not in \S+ca\.pem: pass its PEM file with --ca-file\nhint: .*omits its intermediate certificate/,
    ),
  ),
  tls(
    'a chain whose intermediate certificate is in --ca-file',
    { intermediate: 'left out' },
    ({ file }) => ({ args: ['--ca-file', file('middle.pem')] }),
    FETCHED,
  ),
  tls('an expired certificate', { from: -20, until: -2 }, caFile, untrusted(EXPIRED)),
  tls(
    'a certificate that is not yet valid',
    { from: 2 },
    caFile,
    untrusted(/its certificate is not yet valid/),
  ),
  tls(
    'a self-signed certificate',
    (authority) => authority.selfSigned(),
    nothing,
    untrusted(/its certificate is self-signed[\s\S]*hint: .*--ca-file/),
  ),
  tls(
    'a self-signed certificate in --ca-file',
    (authority) => {
      const own = authority.selfSigned();
      writeFileSync(authority.file('named.pem'), own.cert);
      return own;
    },
    ({ file }) => ({ args: ['--ca-file', file('named.pem')] }),
    FETCHED,
  ),
  tls('a certificate for another host', { names: 'DNS:other.test' }, caFile, {
    ...untrusted(
      /its certificate is only valid for other\.test[\s\S]*hint: check the host name in the auth URL/,
    ),
    isQuick: true,
  }),
  {
    name: 'a certificate with the host only as common name',
    ...untrusted(/is not trusted: its certificate is only valid for 127\.0\.0\.2/),
    async setUp({ caFile: file, issue }) {
      const pem = issue({ names: 'IP:127.0.0.2', subject: '/CN=localhost' });
      const endpoint = await startFaultServer(SENDS_TOKEN, { tls: pem });
      const authUrl = endpoint.url.replace('127.0.0.1', 'localhost');
      return { authUrl, endpoint, args: ['--ca-file', file] };
    },
  },
  tls(
    'NODE_TLS_REJECT_UNAUTHORIZED=0 is ignored',
    VALID,
    () => ({ env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } }),
    {
      ...untrusted(
        /^gwtoken: warning: NODE_TLS_REJECT_UNAUTHORIZED=0 is ignored: certificates are always verified\ngwtoken: error: [^\n]* is not trusted/,
      ),
      isQuick: true,
    },
  ),
  // Node obeys only 0; Bun also obeys this word.
  tls(
    'NODE_TLS_REJECT_UNAUTHORIZED=false has no effect',
    VALID,
    () => ({ env: { NODE_TLS_REJECT_UNAUTHORIZED: 'false' } }),
    untrusted(/^gwtoken: error: [^\n]* is not trusted/),
  ),
  // In TLS 1.3 the client's handshake ends before the server misses the certificate. The alert arrives instead
  // of a reply, before or after the request.
  tls(
    'an endpoint that requires a client certificate',
    VALID,
    caFile,
    untrusted(/closed the connection without a reply \(3 attempts\)\n/),
    { requestCert: true, rejectUnauthorized: true },
  ),
  tls(
    'an endpoint with only TLS 1.1',
    VALID,
    caFile,
    untrusted(
      /could not reach \S+: the TLS handshake failed \(ERR_SSL_[A-Z0-9_]+\) \(3 attempts\)\nhint: .*gwtoken help network\n/,
    ),
    { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' },
  ),
  tls(
    'an endpoint with only a CBC cipher, which the executable does not know',
    VALID,
    caFile,
    FORM === 'package' ? FETCHED : untrusted(/the TLS handshake failed/),
    { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES256-SHA384' },
  ),
  tls('an endpoint with only TLS 1.2', VALID, caFile, FETCHED, { maxVersion: 'TLSv1.2' }),
  {
    name: 'an https: URL of a server without TLS',
    ...untrusted(/does not speak TLS/),
    setUp: () => plain({ connected: (socket) => void socket.write(reply(400)) }),
  },
  {
    name: 'silence in the handshake',
    waits: true,
    ...untrusted(/did not answer within [\d.]+ s\n/),
    setUp: () => plain({}),
  },
  {
    name: 'a reset in the handshake',
    ...untrusted(/could not reach \S+: connection (reset|closed) \(3 attempts\)/),
    setUp: () => plain({ connected: (socket) => void socket.once('data', () => socket.resetAndDestroy()) }),
  },
];

/** Starts a server without TLS. Returns it with an https: URL. */
async function plain(script: Script) {
  const endpoint = await startFaultServer(script);
  return { authUrl: endpoint.url.replace('http:', 'https:'), endpoint };
}
