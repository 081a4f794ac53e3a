import { type Authority, makeAuthority } from '../../harness/endpoints/authority';
import { closedPort, startConnectProxy, startFaultServer } from '../../harness/endpoints/fault-server';
import { BROKEN_CONNECTIONS } from './broken-connections';
import {
  asks,
  BASIC,
  open,
  PASSWORD,
  proxied,
  refusing,
  status,
  USER,
  unreached,
  used,
  withPassword,
} from './proxied';
import { FETCHED, reply, type WireCase } from './scene';

/**
 * What an endpoint may do to a request, met behind an https: proxy. There TLS runs over TLS, whose end is easily missed:
 * nothing ended a wait for a silent endpoint any more.
 */
const BEHIND_HTTPS_PROXY = BROKEN_CONNECTIONS.flatMap(({ script, ...each }): WireCase[] =>
  script?.answer === undefined
    ? []
    : [
        {
          ...each,
          name: `an https: proxy, and ${each.name}`,
          async set(authority) {
            const endpoint = await startFaultServer(script, { tls: authority.issue() });
            const proxy = await startConnectProxy(undefined, authority.issue());
            const env = { GWTOKEN_CA_FILE: authority.caFile, HTTPS_PROXY: proxy.url };
            return { authUrl: endpoint.url, endpoint, env, strangers: [proxy] };
          },
        },
      ],
);

/** Proxies: those that work, those that refuse, and those that must not be asked. */
export const BAD_PROXIES: readonly WireCase[] = [
  proxied('through HTTPS_PROXY', open, FETCHED, { check: used(1) }),
  proxied('through https_proxy, without a scheme', open, FETCHED, {
    env: ({ proxy }) => ({
      https_proxy: proxy.url.replace('http://', ''),
      HTTPS_PROXY: 'http://127.0.0.1:9',
    }),
    check: used(1),
  }),
  proxied('with a user name and a password', asks(BASIC), FETCHED, { env: withPassword, check: used(1) }),
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
  ...['Negotiate', 'NTLM', 'Digest realm="Basic, a", nonce="x"'].map((challenge) =>
    proxied(
      `407 with ${challenge} alone`,
      () => startConnectProxy(() => wants(challenge)),
      unreached(
        /the proxy \S+ \(from HTTPS_PROXY\) requires (Negotiate|NTLM|Digest) authentication, and gwtoken supports only Basic \(407\)\nhint: /,
      ),
      { env: withPassword, check: used(1) },
    ),
  ),
  proxied(
    '407 with more schemes than are named',
    () => startConnectProxy(() => wants(Array.from({ length: 30 }, (_, at) => `Own${at}`).join(', '))),
    unreached(
      /requires Own0 or Own1 or Own2 or Own3 or Own4 authentication, and gwtoken supports only Basic/,
    ),
    { env: withPassword },
  ),
  proxied(
    '407 with several schemes, Basic among them',
    () => startConnectProxy(() => wants('Negotiate, basic realm="x", charset="UTF-8"')),
    unreached(/rejected the user name or password in HTTPS_PROXY \(407\)/),
    { env: withPassword },
  ),
  proxied(
    '401 with wrong credentials',
    refusing('401 Unauthorized'),
    unreached(
      /rejected the user name or password in HTTPS_PROXY \(401\)\nhint: percent-encode special characters/,
    ),
    { env: withPassword, check: used(1) },
  ),
  ...['12/34', '12#34', '12?34', '12\\34', 'a/b'].map((password) =>
    proxied(
      `a password with ${password.replace(/\w+/g, '')} as it is (${password})`,
      open,
      {
        code: 2,
        says: /error: HTTPS_PROXY contains a \/, \?, # or \\ before the @\nhint: percent-encode special characters in the user name and password/,
        requests: 0,
      },
      { env: ({ proxy }) => ({ HTTPS_PROXY: proxy.url.replace('//', `//canary%40proxy:${password}@`) }) },
    ),
  ),
  proxied(
    'a blank in the password is one',
    asks(`Basic ${Buffer.from('u:a b').toString('base64')}`),
    FETCHED,
    { env: ({ proxy }) => ({ HTTPS_PROXY: proxy.url.replace('//', '//u:a b@') }), check: used(1) },
  ),
  ...['100 Continue', '103 Early Hints\r\nLink: </x>'].map((interim) =>
    proxied(
      `a ${interim.slice(0, 3)} before the 200`,
      () => startConnectProxy(undefined, undefined, interim),
      FETCHED,
      {
        check: used(1),
      },
    ),
  ),
  proxied(
    '403',
    refusing('403 Forbidden'),
    unreached(/refused to connect to 127\.0\.0\.1:\d+ \(403\)[\s\S]*NO_PROXY/),
    {
      check: used(1),
    },
  ),
  proxied('405: no proxy at all', refusing('405 Method Not Allowed'), unreached(/\(405\)/), {
    check: used(1),
  }),
  proxied(
    '501, which would come again',
    refusing('501 Not Implemented'),
    unreached(/refused to connect to 127\.0\.0\.1:\d+ \(501\)\nhint: /),
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
  proxied(
    'closes the connection',
    () => startFaultServer({ answer: (socket) => void socket.end() }),
    unreached(
      /the proxy \S+ \(from HTTPS_PROXY\) closed the connection without opening a tunnel \(3 attempts\)/,
    ),
  ),
  proxied(
    'hangs up before it is asked',
    () => startFaultServer({ connected: (socket) => void socket.end() }),
    unreached(
      /the proxy \S+ \(from HTTPS_PROXY\) closed the connection without opening a tunnel \(3 attempts\)/,
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
      connected: (socket: import('node:net').Socket) => void socket.once('data', () => socket.end()),
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
    needs:
      process.platform === 'linux' ? undefined : 'needs Linux: the system has a store of its own elsewhere',
    async set(authority: Authority) {
      const endpoint = await startFaultServer(
        { answer: (socket) => void socket.write(reply(200)) },
        { tls: authority.issue() },
      );
      const company = makeAuthority();
      const proxy = await startConnectProxy(undefined, company.issue());
      const env = {
        [variable]: company.caFile,
        SSL_CERT_FILE: authority.caFile,
        HTTPS_PROXY: proxy.url,
      };
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
    {
      answer: reply(407, ''),
    },
  ),
  proxied(
    "the endpoint's own 503",
    open,
    { code: 7, says: /answered 503 \(3 attempts\)/, requests: 3 },
    {
      answer: reply(503, ''),
    },
  ),
  ...['127.0.0.1', '*', 'x.test, 127.0.0.0/8', '127.0.0.1:PORT'].map((list) =>
    proxied(`NO_PROXY=${list}`, open, FETCHED, {
      env: ({ proxy, endpoint }) => ({
        HTTPS_PROXY: proxy.url,
        NO_PROXY: list.replace('PORT', String(endpoint.port)),
      }),
      check: used(0),
    }),
  ),
  ...['0.0.1', '127.0.0.1:1', '10.0.0.0/8', 'localhost'].map((list) =>
    proxied(`NO_PROXY=${list} does not cover it`, open, FETCHED, {
      env: ({ proxy }) => ({ HTTPS_PROXY: proxy.url, NO_PROXY: list }),
      check: used(1),
    }),
  ),
  proxied('HTTP_PROXY is not for https:', open, FETCHED, {
    env: ({ proxy }) => ({ HTTP_PROXY: proxy.url, http_proxy: proxy.url }),
    check: used(0),
  }),
  proxied(
    'a SOCKS proxy',
    open,
    {
      code: 2,
      says: /HTTPS_PROXY is a socks5 proxy; gwtoken supports only http and https proxies/,
      requests: 0,
    },
    {
      env: () => ({ HTTPS_PROXY: `socks5://${USER}:${PASSWORD}@127.0.0.1:1080` }),
    },
  ),
  proxied(
    'no address at all',
    open,
    { code: 2, says: /invalid proxy URL in HTTPS_PROXY/, requests: 0 },
    {
      env: () => ({ HTTPS_PROXY: `http://${USER}:${PASSWORD}@` }),
    },
  ),
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
        env: { ...Object.fromEntries(names.map((name) => [name, proxy.url])) },
        strangers: [proxy],
        check: () => used(0)({ proxy, endpoint }),
      };
    },
  },
  { ...lost(), name: 'a proxy whose name is not in DNS' },
  ...BEHIND_HTTPS_PROXY,
];

function wants(challenge: string): string {
  return `HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: ${challenge}\r\nContent-Length: 0\r\n\r\n`;
}

function lost(): WireCase {
  return {
    name: '',
    ...unreached(
      /could not reach the proxy gwtoken-test\.invalid:3128 \(from HTTPS_PROXY\): (host not found|DNS is not responding)/,
    ),
    async set() {
      const env = { HTTPS_PROXY: `http://${USER}:${PASSWORD}@gwtoken-test.invalid:3128` };
      return { authUrl: `https://127.0.0.1:${await closedPort()}`, env };
    },
  };
}
