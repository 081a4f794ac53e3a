import type { Authority } from '../../harness/endpoints/authority';
import { type FaultServer, startConnectProxy, startFaultServer } from '../../harness/endpoints/fault-server';
import { type Expectation, reply, type WireCase } from './scene';

const USER = 'proxy%2Duser';
const PASSWORD = 'canary%40proxy';
export const BASIC = `Basic ${Buffer.from('proxy-user:canary@proxy').toString('base64')}`;
export const status = (line: string) => `HTTP/1.1 ${line}\r\nContent-Length: 0\r\n\r\n`;

interface Set {
  readonly proxy: FaultServer;
  readonly endpoint: FaultServer;
}

/** A case of an https: endpoint with a good certificate, and a proxy that is named in HTTPS_PROXY. */
export function proxied(
  name: string,
  start: (authority: Authority) => Promise<FaultServer>,
  expected: Expectation & Pick<WireCase, 'waits' | 'once'>,
  more: {
    env?: (set: Set) => Record<string, string>;
    answer?: Buffer;
    cert?: (authority: Authority) => { key: string; cert: string };
    check?: (set: Set) => void;
  } = {},
): WireCase {
  return {
    name: `proxy: ${name}`,
    ...expected,
    async set(authority) {
      const endpoint = await startFaultServer(
        { answer: (socket) => void socket.write(more.answer ?? reply(200)) },
        { tls: more.cert?.(authority) ?? authority.issue() },
      );
      const proxy = await start(authority);
      const set = { proxy, endpoint };
      const env = more.env?.(set) ?? { HTTPS_PROXY: proxy.url };
      return {
        authUrl: endpoint.url,
        endpoint,
        env: { GWTOKEN_CA_FILE: authority.caFile, ...env },
        strangers: [proxy],
        check: () => more.check?.(set),
      };
    },
  };
}

export const open = () => startConnectProxy();
export const refusing = (line: string) => () => startConnectProxy(() => status(line));
export const asks = (credentials: string | undefined) => () =>
  startConnectProxy((request) => {
    const [, given] = /^proxy-authorization: (.*)$/im.exec(request) ?? [];
    return given === credentials ? undefined : status('407 Proxy Authentication Required');
  });
export const withPassword = ({ proxy }: Set) => ({
  HTTPS_PROXY: proxy.url.replace('//', `//${USER}:${PASSWORD}@`),
});
export const unreached = (says: RegExp): Expectation => ({ code: 6, says, requests: 0 });
export const used =
  (times: number) =>
  ({ proxy }: Set) => {
    if (proxy.connections !== times)
      throw new Error(`the proxy saw ${proxy.connections} connections, not ${times}`);
  };
