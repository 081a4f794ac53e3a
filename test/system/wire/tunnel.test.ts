/** A tunnel that the proxy refuses, or opens to an endpoint with another certificate. */
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { makeAuthority } from '../../harness/endpoints/authority';
import { startConnectProxy, startFaultServer } from '../../harness/endpoints/fault-server';
import { POST, shown, wireIn } from './open-wire';

const SET = 'export HTTPS_PROXY=http://USER:PASSWORD@NAME';
const ENCODE = 'percent-encode them: @ is %40, / is %2F';
const WITHOUT = 'if endpoint.test:443 is reachable without a proxy, add it to NO_PROXY';
const ALLOW = "ask the proxy's administrator to allow endpoint.test:443";

const CHECK = 'check that HTTPS_PROXY is the URL of an HTTP proxy';

test.each<[status: string, credentials: string, says: string, ...hints: string[]]>([
  ['407', '', 'requires a user name and password (407)', SET],
  ['407', 'u:p@', 'rejected the user name or password in HTTPS_PROXY (407)', ENCODE],
  ['401', 'u:p@', 'rejected the user name or password in HTTPS_PROXY (401)', ENCODE],
  ['403', '', 'refused to connect to endpoint.test:443 (403)', ALLOW, CHECK],
  ['502', '', 'could not reach endpoint.test:443 (502)', WITHOUT],
])(
  'postForm() reports a proxy that answers %s (user: "%s") and disconnects',
  async (status, credentials, says, ...hints) => {
    let hungUp: Promise<unknown> | undefined;
    const proxy = await startFaultServer({
      connected(socket) {
        hungUp = once(socket, 'close');
      },
      answer: (socket) => void socket.write(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`),
    });
    const name = new URL(proxy.url).host;
    const env = { HTTPS_PROXY: proxy.url.replace('//', `//${credentials}`) };
    const error = await wireIn(env)('https://endpoint.test', POST).catch(shown);
    expect(error).toMatchObject({
      kind: 'unreached',
      retry: status === '502' ? {} : undefined,
      message: `the proxy ${name} (from HTTPS_PROXY) ${says}`,
      hints: hints.map((hint) => hint.replace('NAME', name)),
    });
    await hungUp;
  },
);

test('postForm() sends nothing through an https: proxy with a certificate of an unknown CA', async () => {
  const proxy = await startConnectProxy(undefined, makeAuthority().issue());
  const { caFile } = makeAuthority();
  const asking = wireIn({ HTTPS_PROXY: proxy.url })('https://endpoint.test', { ...POST, caFile });
  await expect(asking).rejects.toMatchObject({
    kind: 'unreached',
    retry: undefined,
    message: `the proxy 127.0.0.1:${proxy.port} (from HTTPS_PROXY) is not trusted: its certificate was issued by an unknown CA`,
  });
  expect(proxy.requests).toEqual([]);
});

test('postForm() uses a tunnel that the proxy opened with another 2xx status than 200', async () => {
  const authority = makeAuthority();
  const endpoint = await startFaultServer(
    { answer: (socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n') },
    { tls: authority.issue() },
  );
  const proxy = await startConnectProxy(undefined, undefined, '201 Created');
  const postForm = wireIn({ HTTPS_PROXY: proxy.url });
  const { status } = await postForm(endpoint.url, { ...POST, caFile: authority.caFile });
  expect([status, proxy.connections]).toEqual([200, 1]);
});

test('postForm() verifies an https: proxy and the endpoint by their own names', async () => {
  const authority = makeAuthority();
  const endpoint = await startFaultServer(
    { answer: (socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n') },
    { tls: authority.issue({ names: 'DNS:localhost', subject: '/CN=the endpoint' }) },
  );
  const proxy = await startConnectProxy(undefined, authority.issue({ names: 'IP:127.0.0.1' }));
  const env = { HTTPS_PROXY: `https://u:canary@127.0.0.1:${proxy.port}` };
  const traced: string[] = [];
  const { status } = await wireIn(env)(endpoint.url.replace('127.0.0.1', 'localhost'), {
    ...POST,
    caFile: authority.caFile,
    trace: (line) => traced.push(line),
  });
  expect(status).toBe(200);
  expect(traced).toEqual([
    `using the proxy 127.0.0.1:${proxy.port} (from HTTPS_PROXY)`,
    expect.stringMatching(/^certificate of gwtoken test server by gwtoken test CA, valid until /),
    expect.stringMatching(/^certificate of the endpoint by gwtoken test CA, valid until /),
  ]);
});
