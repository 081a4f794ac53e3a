/** The next steps after a failed connection. */
import { ASK_OPERATORS } from '../causes';
import type { Rows } from './row';

const CHECK_NETWORK = 'check the network, the VPN and the firewall';
const NO_CLIENT_CERTIFICATE = 'the server may require a client certificate, which gwtoken does not have';

export const CONNECTION_ROWS = {
  'host-not-found': ({ setting }) => [`check ${setting} for typos`, CHECK_NETWORK],
  network: () => [CHECK_NETWORK],
  'connection-refused': ({ setting }) => [
    `check the host and port in ${setting}; if right, the server is down`,
  ],
  'connection-closed': ({ setting }) => [`check the network, and the host and port in ${setting}`],
  'no-tls': ({ setting }) => [`check the scheme and port in ${setting}`],
  'no-cipher': () => [NO_CLIENT_CERTIFICATE],
  'no-cipher-of-executable': () => [
    'try the npm package, which knows more of them than the executable',
    `or ${NO_CLIENT_CERTIFICATE}`,
  ],
  'handshake-failed': ({ setting }) => [
    `check the host and port in ${setting}: the server must support TLS 1.2 or later`,
  ],
  'time-limit': ({ setting }) => [`check ${setting} and the network, or raise --timeout or GWTOKEN_TIMEOUT`],
  'ca-file': () => ['pass a PEM file with --ca-file, GWTOKEN_CA_FILE or the config key ca-file'],
  'no-reply': ({ mayWantCertificate }) => [
    `try again; if it persists, ${ASK_OPERATORS}`,
    mayWantCertificate ? NO_CLIENT_CERTIFICATE : undefined,
  ],
} satisfies Partial<Rows>;
