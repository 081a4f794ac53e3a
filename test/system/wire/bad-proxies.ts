import type { Socket } from 'node:net';
import { type Authority, makeAuthority } from '../../harness/endpoints/authority';
import { startConnectProxy, startFaultServer } from '../../harness/endpoints/fault-server';
import { missing } from '../../harness/needs';
import { BROKEN_CONNECTIONS } from './broken-connections';
import { asks, BASIC, open, proxied, refusing, status, unreached, used, withPassword } from './proxied';
import { FETCHED, reply, type WireCase } from './scene';

/** TLS over TLS, whose end is easily missed: nothing ended a wait for a silent endpoint any more. */
const OVER_TLS = [
  'accepted, then silence',
  'headers that never end, one at a time',
  'reset before the headers',
  'a body cut short',
  'good chunks',
  'HTTP/1.0, its end is the end of the connection',
];
const BEHIND_HTTPS_PROXY = BROKEN_CONNECTIONS.filter(({ name }) => OVER_TLS.includes(name)).map(
  ({ script, ...each }): WireCase => ({
    ...each,
    name: `an https: proxy, and ${each.name}`,
    async set(authority) {
      const endpoint = await startFaultServer(script ?? {}, { tls: authority.issue() });
      const proxy = await startConnectProxy(undefined, authority.issue());
      const env = { GWTOKEN_CA_FILE: authority.caFile, HTTPS_PROXY: proxy.url };
      return { authUrl: endpoint.url, endpoint, env, strangers: [proxy] };
    },
  }),
);

/** Proxies: those that work, those that refuse, and those that must not be asked. */
export const BAD_PROXIES: readonly WireCase[] = [
  proxied('through https_proxy, without a scheme', open, FETCHED, {
    env: ({ proxy }) => ({
      https_proxy: proxy.url.replace('http://', ''),
      HTTPS_PROXY: 'http://127.0.0.1:9',
    }),
    check: used(1),
  }),
  proxied('with a user name and a password', asks(BASIC), FETCHED, {
    env: withPassword,
    check: used(1),
  }),
  proxied(
    '407 without credentials',
    asks(BASIC),
    unreached(
      /the proxy 127\.0\.0\.1:\d+ \(from HTTPS_PROXY\) requires a user name and password \(407\)\nhint: .*HTTPS_PROXY=http:\/\/USER:PASSWORD@/,
    ),
    { check: used(1) },
  ),
  proxied(
    '407 with wrong credentials',
    asks('Basic other'),
    unreached(/rejected the user name or password in HTTPS_PROXY \(407\)/),
    { env: withPassword, check: used(1) },
  ),
  proxied(
    '407 with Negotiate only',
    () =>
      startConnectProxy(
        () =>
          'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Negotiate\r\nContent-Length: 0\r\n\r\n',
      ),
    unreached(
      /the proxy \S+ \(from HTTPS_PROXY\) requires Negotiate authentication, and gwtoken supports only Basic \(407\)\nhint: /,
    ),
    { env: withPassword, check: used(1) },
  ),
  proxied(
    'a password with a slash',
    open,
    {
      code: 2,
      says: /error: HTTPS_PROXY contains a \/, \?, # or \\ before the @\nhint: percent-encode special characters in the user name and password/,
      requests: 0,
    },
    { env: ({ proxy }) => ({ HTTPS_PROXY: proxy.url.replace('//', '//canary%40proxy:a/b@') }) },
  ),
  proxied(
    'early hints before the 200',
    () => startConnectProxy(undefined, undefined, '103 Early Hints\r\nLink: </x>'),
    FETCHED,
    { check: used(1) },
  ),
  proxied(
    '403',
    refusing('403 Forbidden'),
    unreached(/refused to connect to 127\.0\.0\.1:\d+ \(403\)[\s\S]*NO_PROXY/),
    { check: used(1) },
  ),
  proxied(
    '502',
    refusing('502 Bad Gateway'),
    unreached(/could not reach 127\.0\.0\.1:\d+ \(502\) \(3 attempts\)/),
  ),
  proxied(
    'refused',
    open,
    unreached(
      /could not reach the proxy 127\.0\.0\.1:9 \(from HTTPS_PROXY\): connection refused[\s\S]*hint: .*HTTPS_PROXY/,
    ),
    { env: () => ({ HTTPS_PROXY: 'http://127.0.0.1:9' }) },
  ),
  proxied('silent', () => startFaultServer({}), {
    ...unreached(
      /did not answer within [\d.]+ s: the proxy 127\.0\.0\.1:\d+ \(from HTTPS_PROXY\) did not open a tunnel/,
    ),
    waits: true,
  }),
  ...[
    { name: 'closes the connection', script: { answer: (socket: Socket) => void socket.end() } },
    { name: 'hangs up before it is asked', script: { connected: (socket: Socket) => void socket.end() } },
  ].map(({ name, script }) =>
    proxied(
      name,
      () => startFaultServer(script),
      unreached(
        /the proxy \S+ \(from HTTPS_PROXY\) closed the connection without opening a tunnel \(3 attempts\)/,
      ),
    ),
  ),
  proxied(
    'speaks no HTTP',
    () => startFaultServer({ answer: (socket) => void socket.end('SSH-2.0-x\r\n') }),
    unreached(/the proxy \S+ \(from HTTPS_PROXY\) did not answer with HTTP/),
  ),
  proxied(
    'answers 200 and then a page of its own',
    () => startConnectProxy(() => `${status('200 OK')}<html>log in</html>`),
    unreached(
      /could not reach \S+: (it does not speak TLS|the TLS handshake failed|connection (reset|closed))/,
    ),
  ),
  proxied('an https: proxy', (authority) => startConnectProxy(undefined, authority.issue()), FETCHED, {
    check: used(1),
  }),
  ...[
    {
      name: 'an https: proxy, and silence in the handshake behind it',
      connected: () => {},
      waits: true,
      says: /did not answer within [\d.]+ s: the TLS handshake with 127\.0\.0\.1:\d+ did not finish/,
    },
    {
      name: 'an https: proxy, and an endpoint that hangs up in the handshake',
      connected: (socket: Socket) => void socket.once('data', () => socket.end()),
      waits: false,
      says: /could not reach \S+: connection (closed|reset|failed)/,
    },
  ].map(
    ({ name, connected, waits, says }): WireCase => ({
      name,
      ...unreached(says),
      waits,
      async set(authority) {
        const endpoint = await startFaultServer({ connected });
        const proxy = await startConnectProxy(undefined, authority.issue());
        const env = { GWTOKEN_CA_FILE: authority.caFile, HTTPS_PROXY: proxy.url };
        return { authUrl: endpoint.url.replace('http:', 'https:'), endpoint, env, strangers: [proxy] };
      },
    }),
  ),
  ...(['GWTOKEN_CA_FILE', 'NODE_EXTRA_CA_CERTS'] as const).map((variable) => ({
    name: `an https: proxy whose CA is in ${variable}, and an endpoint whose CA is one of the system's`,
    ...FETCHED,
    needs: missing('linux'),
    async set(authority: Authority) {
      const answer = (socket: Socket) => void socket.write(reply(200));
      const endpoint = await startFaultServer({ answer }, { tls: authority.issue() });
      const company = makeAuthority();
      const proxy = await startConnectProxy(undefined, company.issue());
      const env = { [variable]: company.caFile, SSL_CERT_FILE: authority.caFile, HTTPS_PROXY: proxy.url };
      return { authUrl: endpoint.url, endpoint, env, strangers: [proxy] };
    },
  })),
  proxied(
    'an https: proxy of the wrong name',
    (authority) => startConnectProxy(undefined, authority.issue({ names: 'DNS:other.test' })),
    unreached(
      /the proxy \S+ \(from HTTPS_PROXY\) is not trusted: its certificate is only valid for other\.test\nhint: check the host name in HTTPS_PROXY\n/,
    ),
  ),
  proxied(
    "the endpoint's certificate is verified through the proxy",
    open,
    unreached(/error: 127\.0\.0\.1:\d+ is not trusted: its certificate is only valid for other\.test/),
    { cert: (authority) => authority.issue({ names: 'DNS:other.test' }), check: used(1) },
  ),
  proxied(
    "the endpoint's own 407",
    open,
    { code: 7, says: /\/oauth2\/token answered 407\n/, requests: 1 },
    { answer: reply(407, '') },
  ),
  proxied('NO_PROXY covers the endpoint', open, FETCHED, {
    env: ({ proxy, endpoint }) => ({ HTTPS_PROXY: proxy.url, NO_PROXY: `127.0.0.1:${endpoint.port}` }),
    check: used(0),
  }),
  {
    name: 'a loopback http: address goes past every proxy',
    ...FETCHED,
    async set() {
      const endpoint = await startFaultServer({ answer: (socket) => void socket.write(reply(200)) });
      const proxy = await open();
      const names = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'];
      return {
        authUrl: endpoint.url,
        endpoint,
        env: Object.fromEntries(names.map((name) => [name, proxy.url])),
        strangers: [proxy],
        check: () => used(0)({ proxy, endpoint }),
      };
    },
  },
  ...BEHIND_HTTPS_PROXY,
];
