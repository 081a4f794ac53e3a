import { type Authority, makeAuthority } from '../../harness/endpoints/authority';
import { type FaultServer, startConnectProxy, startFaultServer } from '../../harness/endpoints/fault-server';
import { missing } from '../../harness/needs';
import { ALSO_BEHIND_HTTPS } from './broken-connections';
import { type Expectation, type Expected, FETCHED, reply, SENDS_TOKEN, type WireCase } from './scene';

const BASIC = `Basic ${Buffer.from('proxy-user:canary@proxy').toString('base64')}`;
const status = (line: string) => `HTTP/1.1 ${line}\r\nContent-Length: 0\r\n\r\n`;

/** Returns the case of an https: endpoint behind the proxy that `start` starts. */
function proxied(
  name: string,
  start: (authority: Authority) => Promise<FaultServer>,
  expected: Expected,
  more: {
    /** Returns gwtoken's variables; by default HTTPS_PROXY with the URL of the proxy. */
    env?: (proxy: FaultServer) => Record<string, string>;
    /** Reply of the endpoint; by default a token. */
    answer?: Buffer;
    /** Names in the endpoint's certificate; by default the right ones. */
    names?: string;
    /** Number of connections that the proxy must receive; by default any. */
    used?: number;
  } = {},
): WireCase {
  return {
    name: `proxy: ${name}`,
    ...expected,
    async setUp(authority) {
      const endpoint = await startFaultServer(
        { answer: (socket) => void socket.write(more.answer ?? reply(200)) },
        { tls: authority.issue(more.names === undefined ? {} : { names: more.names }) },
      );
      const proxy = await start(authority);
      const env = more.env?.(proxy) ?? { HTTPS_PROXY: proxy.url };
      return {
        authUrl: endpoint.url,
        endpoint,
        env: { GWTOKEN_CA_FILE: authority.caFile, ...env },
        strangers: [proxy],
        check: () => more.used !== undefined && checkUsed(proxy, more.used),
      };
    },
  };
}

const open = () => startConnectProxy();
const secure = (authority: Authority) => startConnectProxy(undefined, authority.issue());
const requires = (credentials: string) => () =>
  startConnectProxy((request) => {
    const [, given] = /^proxy-authorization: (.*)$/im.exec(request) ?? [];
    return given === credentials ? undefined : status('407 Proxy Authentication Required');
  });
const withPassword = ({ url }: FaultServer) => ({
  HTTPS_PROXY: url.replace('//', '//proxy%2Duser:canary%40proxy@'),
});
const unreached = (says: RegExp): Expectation => ({ code: 6, says, requests: 0 });
function checkUsed({ connections }: FaultServer, times: number): void {
  if (connections !== times) throw new Error(`the proxy had ${connections} connections, not ${times}`);
}

/** Returns the case behind an https: proxy, which means TLS over TLS. `start` starts the endpoint. */
const behindHttps = (
  each: Omit<WireCase, 'setUp'>,
  start: (authority: Authority) => Promise<FaultServer>,
): WireCase => ({
  ...each,
  name: `https: proxy: ${each.name}`,
  async setUp(authority) {
    const endpoint = await start(authority);
    const proxy = await secure(authority);
    const env = { GWTOKEN_CA_FILE: authority.caFile, HTTPS_PROXY: proxy.url };
    return { authUrl: endpoint.url.replace('http:', 'https:'), endpoint, env, strangers: [proxy] };
  },
});

/** Proxies that work, that fail, and that gwtoken must not use. */
export const BAD_PROXIES: readonly WireCase[] = [
  proxied('with a user name and a password', requires(BASIC), FETCHED, { env: withPassword, used: 1 }),
  proxied(
    'a refused connection',
    open,
    unreached(
      /could not reach the proxy 127\.0\.0\.1:9 \(from HTTPS_PROXY\): connection refused[\s\S]*hint: .*HTTPS_PROXY/,
    ),
    { env: () => ({ HTTPS_PROXY: 'http://127.0.0.1:9' }) },
  ),
  proxied('an open connection without a reply', () => startFaultServer({}), {
    ...unreached(/did not answer within [\d.]+ s\nhint: check the VPN and HTTPS_PROXY/),
    waits: true,
  }),
  proxied(
    'closes each connection at once',
    () => startFaultServer({ connected: (socket) => void socket.end() }),
    unreached(
      /the proxy \S+ \(from HTTPS_PROXY\) closed the connection without opening a tunnel \(3 attempts\)/,
    ),
  ),
  proxied('with an https: URL', secure, { ...FETCHED, isQuick: true }, { used: 1 }),
  proxied(
    'with an https: URL, and a certificate for another host',
    (authority) => startConnectProxy(undefined, authority.issue({ names: 'DNS:other.test' })),
    unreached(
      /the proxy \S+ \(from HTTPS_PROXY\) is not trusted: its certificate is only valid for other\.test\nhint: check the host name in HTTPS_PROXY\n/,
    ),
  ),
  proxied(
    'an endpoint with a certificate for another host',
    open,
    unreached(/error: 127\.0\.0\.1:\d+ is not trusted: its certificate is only valid for other\.test/),
    { names: 'DNS:other.test', used: 1 },
  ),
  {
    name: 'a loopback http: URL, which bypasses every proxy',
    ...FETCHED,
    async setUp() {
      const endpoint = await startFaultServer(SENDS_TOKEN);
      const proxy = await open();
      const names = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'];
      const env = Object.fromEntries(names.map((name) => [name, proxy.url]));
      const check = () => checkUsed(proxy, 0);
      return { authUrl: endpoint.url, endpoint, env, strangers: [proxy], check };
    },
  },
  {
    name: 'https: proxy: its CA in GWTOKEN_CA_FILE, the other in SSL_CERT_FILE',
    ...FETCHED,
    says: /unknown CA; retrying with the CAs of \S+ca\.pem\n/,
    needs: missing('linux'),
    async setUp(authority) {
      const endpoint = await startFaultServer(SENDS_TOKEN, { tls: authority.issue() });
      const company = makeAuthority();
      const proxy = await secure(company);
      const env = {
        GWTOKEN_CA_FILE: company.caFile,
        SSL_CERT_FILE: authority.caFile,
        HTTPS_PROXY: proxy.url,
      };
      return { authUrl: endpoint.url, endpoint, env, args: ['--verbose'], strangers: [proxy] };
    },
  },
  behindHttps(
    {
      name: 'silence in the handshake',
      ...unreached(/did not answer within [\d.]+ s\nhint: check the VPN, HTTPS_PROXY and the auth URL/),
      waits: true,
    },
    () => startFaultServer({}),
  ),
  // With TLS over TLS, gwtoken once did not notice a cut connection, and waited for a silent endpoint without a limit.
  ...ALSO_BEHIND_HTTPS.map((each) =>
    behindHttps({ ...each, isQuick: false }, (authority) =>
      startFaultServer(each.script, { tls: authority.issue() }),
    ),
  ),
];

export const PROXY_REPLIES: readonly WireCase[] = [
  proxied('with only a user name, and a path', requires(`Basic ${btoa('user:')}`), FETCHED, {
    env: ({ url }) => ({ HTTPS_PROXY: `${url.replace('//', '//user@')}/path` }),
    used: 1,
  }),
  proxied(
    'speaks no HTTP',
    () => startFaultServer({ answer: (socket) => void socket.end('SSH-2.0-x\r\n') }),
    unreached(/the proxy \S+ \(from HTTPS_PROXY\) did not answer with valid HTTP/),
  ),
  proxied(
    'an endpoint that answers 407',
    open,
    { code: 7, says: /\/oauth2\/token answered 407\n/, requests: 1 },
    { answer: reply(407, '') },
  ),
];
