/** The next steps after a failed connection. */
import { listOf } from '../text';
import type { Rows } from './row';

const ASK_OPERATORS = 'contact the operator of the endpoint or of your proxy';
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
  'certificate-time': () => ["check this machine's clock; if it is right, contact the endpoint's operator"],
  'certificate-name': ({ setting }) => [`check the host name in ${setting}`],
  'self-signed': () => ['if you trust this server, pass its certificate with --ca-file or GWTOKEN_CA_FILE'],
  'unknown-ca': ({ caFile, insteadOfSystem }) => [
    `${whyUnknown(caFile, insteadOfSystem)} pass the CA's PEM file with --ca-file or GWTOKEN_CA_FILE`,
    'if the CA is public, the server is not sending its intermediate certificate',
  ],
  certificate: () => [ASK_OPERATORS],
  'ca-file': () => ['pass a PEM file with --ca-file, GWTOKEN_CA_FILE or the config key ca-file'],
  'bad-proxy-url': ({ setting }) => [
    `example: ${setting}=http://USER:PASSWORD@proxy.example.com:3128; in a password / is %2F, @ is %40`,
  ],
  'not-a-proxy': ({ setting }) => [checkProxy(setting)],
  'proxy-password': ({ setting, example }) => [`set ${setting}=${example}`],
  'proxy-password-wrong': () => ['percent-encode them: @ is %40, / is %2F'],
  'proxy-refusal': ({ target, setting }) => [
    `ask the proxy's administrator to allow ${target}`,
    checkProxy(setting),
  ],
  'proxy-failure': ({ target }) => [`if ${target} is reachable without a proxy, add it to NO_PROXY`],
  'bad-http': () => [`check the auth URL; if it is right, ${ASK_OPERATORS}`],
  'no-reply': ({ mayWantCertificate }) => [
    `try again; if it persists, ${ASK_OPERATORS}`,
    mayWantCertificate ? NO_CLIENT_CERTIFICATE : undefined,
  ],
  'no-webassembly': () => ['remove --jitless from NODE_OPTIONS'],
} satisfies Partial<Rows>;

const checkProxy = (setting: string): string => `check that ${setting} is the URL of an HTTP proxy`;

/** Returns the first part of the hint to pass a CA: where gwtoken has looked for it. */
function whyUnknown(caFile: string | undefined, insteadOfSystem: readonly string[]): string {
  const tried = [...(caFile === undefined ? [] : [caFile]), ...insteadOfSystem];
  if (tried.length === 0) return 'behind a company proxy or private CA?';
  return `this CA is not in ${listOf(tried)}:`;
}
