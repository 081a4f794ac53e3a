import type { Socket } from 'node:net';
import { type Authority, makeAuthority } from '../../harness/endpoints/authority';
import { type FaultServer, startConnectProxy, startFaultServer } from '../../harness/endpoints/fault-server';
import { missing } from '../../harness/needs';
import { BROKEN_CONNECTIONS } from './broken-connections';
import { type Expectation, FETCHED, reply, type WireCase } from './scene';

const BASIC = `Basic ${Buffer.from('proxy-user:canary@proxy').toString('base64')}`;
const status = (line: string) => `HTTP/1.1 ${line}\r\nContent-Length: 0\r\n\r\n`;

/** A case of an https: endpoint with a good certificate, and a proxy in HTTPS_PROXY. */
function proxied(
  name: string,
  start: (authority: Authority) => Promise<FaultServer>,
  expected: Expectation & Pick<WireCase, 'waits'>,
  more: {
    env?: (proxy: FaultServer) => Record<string, string>;
    answer?: Buffer;
    names?: string;
    /** How many connections the proxy must see. */
    used?: number;
  } = {},
): WireCase {
  return {
    name: `proxy: ${name}`,
    ...expected,
    async set(authority) {
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
        check: () => checkUsed(proxy, more.used ?? proxy.connections),
      };
    },
  };
}

const open = () => startConnectProxy();
const secure = (authority: Authority) => startConnectProxy(undefined, authority.issue());
const asks = (credentials: string) => () =>
  startConnectProxy((request) => {
    const [, given] = /^proxy-authorization: (.*)$/im.exec(request) ?? [];
    return given === credentials ? undefined : status('407 Proxy Authentication Required');
  });
const withPassword = ({ url }: FaultServer) => ({
  HTTPS_PROXY: url.replace('//', '//proxy%2Duser:canary%40proxy@'),
});
const unreached = (says: RegExp): Expectation => ({ code: 6, says, requests: 0 });
function checkUsed({ connections }: FaultServer, times: number): void {
  if (connections !== times) throw new Error(`the proxy saw ${connections} connections, not ${times}`);
}

/** An https: proxy, which means TLS over TLS, and an endpoint that is set up by the test. */
const behindHttps = (
  each: Omit<WireCase, 'set'>,
  start: (authority: Authority) => Promise<FaultServer>,
): WireCase => ({
  ...each,
  name: `an https: proxy, and ${each.name}`,
  async set(authority) {
    const endpoint = await start(authority);
    const proxy = await secure(authority);
    const env = { GWTOKEN_CA_FILE: authority.caFile, HTTPS_PROXY: proxy.url };
    return { authUrl: endpoint.url.replace('http:', 'https:'), endpoint, env, strangers: [proxy] };
  },
});

/** Proxies: those that work, those that refuse, and those that must not be asked. */
export const BAD_PROXIES: readonly WireCase[] = [
  proxied('with a user name and a password', asks(BASIC), FETCHED, { env: withPassword, used: 1 }),
  proxied('with a user name alone, and a path', asks(`Basic ${btoa('user:')}`), FETCHED, {
    env: ({ url }) => ({ HTTPS_PROXY: `${url.replace('//', '//user@')}/path` }),
    used: 1,
  }),
  proxied(
    '407 without credentials',
    asks(BASIC),
    unreached(
      /the proxy 127\.0\.0\.1:\d+ \(from HTTPS_PROXY\) requires a user name and password \(407\)\nhint: .*HTTPS_PROXY=http:\/\/USER:PASSWORD@/,
    ),
    { used: 1 },
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
    ...unreached(/did not answer within [\d.]+ s\nhint: check HTTPS_PROXY/),
    waits: true,
  }),
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
    unreached(/the proxy \S+ \(from HTTPS_PROXY\) did not answer with valid HTTP/),
  ),
  proxied('an https: proxy', secure, FETCHED, { used: 1 }),
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
    { names: 'DNS:other.test', used: 1 },
  ),
  proxied(
    "the endpoint's own 407",
    open,
    { code: 7, says: /\/oauth2\/token answered 407\n/, requests: 1 },
    { answer: reply(407, '') },
  ),
  {
    name: 'a loopback http: address goes past every proxy',
    ...FETCHED,
    async set() {
      const endpoint = await startFaultServer({ answer: (socket) => void socket.write(reply(200)) });
      const proxy = await open();
      const names = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'];
      const env = Object.fromEntries(names.map((name) => [name, proxy.url]));
      const check = () => checkUsed(proxy, 0);
      return { authUrl: endpoint.url, endpoint, env, strangers: [proxy], check };
    },
  },
  {
    name: "an https: proxy whose CA is in GWTOKEN_CA_FILE, and an endpoint whose CA is one of the system's",
    ...FETCHED,
    needs: missing('linux'),
    async set(authority) {
      const answer = (socket: Socket) => void socket.write(reply(200));
      const endpoint = await startFaultServer({ answer }, { tls: authority.issue() });
      const company = makeAuthority();
      const proxy = await secure(company);
      const env = {
        GWTOKEN_CA_FILE: company.caFile,
        SSL_CERT_FILE: authority.caFile,
        HTTPS_PROXY: proxy.url,
      };
      return { authUrl: endpoint.url, endpoint, env, strangers: [proxy] };
    },
  },
  behindHttps(
    {
      name: 'silence in the handshake',
      ...unreached(/did not answer within [\d.]+ s\nhint: check HTTPS_PROXY/),
      waits: true,
    },
    () => startFaultServer({}),
  ),
  // Their end is easily missed: once nothing ended the wait for a silent endpoint any more.
  ...BROKEN_CONNECTIONS.filter(({ name }) =>
    ['accepted, then silence', 'reset before the headers', 'a body cut short'].includes(name),
  ).map((each) =>
    behindHttps(each, (authority) => startFaultServer(each.script ?? {}, { tls: authority.issue() })),
  ),
];
