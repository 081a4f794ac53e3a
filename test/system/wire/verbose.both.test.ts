/** `--verbose`: one line for each decision and attempt, and never a secret, a token or a body. */
import { expect, test } from 'vitest';
import { startConnectProxy, startFaultServer } from '../../harness/endpoints/fault-server';
import { reply, SECRET, setScene, TOKEN } from './scene';

const { authority, home } = setScene();
home.env['GWTOKEN_NO_CACHE'] = '1';

test('get -v tells the proxy, each attempt, what follows and the request ID', async () => {
  const endpoint = await startFaultServer(
    {
      answer: (socket, n) =>
        void socket.write(
          n === 1
            ? reply(503, 'canary-body', { 'X-Request-Id': 'first' })
            : reply(200, undefined, { 'X-Correlation-Id': `id-${SECRET}`, 'Request-Id': 'second' }),
        ),
    },
    { tls: authority.issue() },
  );
  const proxy = await startConnectProxy();
  const result = await home.gwtoken(
    ['get', '-v', '--auth-url', endpoint.url, '--ca-file', authority.caFile],
    {
      env: { HTTPS_PROXY: proxy.url.replace('//', '//user:canary-password@') },
    },
  );
  expect(result.stdout).toBe(`${TOKEN}\n`);
  const said = result.stderr.replaceAll(endpoint.url, 'URL').replaceAll(proxy.url.slice(7), 'PROXY');
  for (const line of [
    /^gwtoken: using the proxy PROXY \(from HTTPS_PROXY\)$/m,
    /^gwtoken: connected to PROXY$/m,
    /^gwtoken: verified the certificate of 127\.0\.0\.1 \(TLSv1\.3\)$/m,
    /^gwtoken: POST URL\/oauth2\/token: 503 from PROXY after \d+ ms, request ID first$/m,
    /^gwtoken: attempt 1 of 3 failed: URL\/oauth2\/token answered 503; retrying in \d+ ms$/m,
    /^gwtoken: POST URL\/oauth2\/token: 200 from PROXY after \d+ ms, request ID second$/m,
  ])
    expect(said).toMatch(line);
  for (const canary of ['canary-body', 'canary-password', SECRET, TOKEN, 'canary-%22'])
    expect(result.stderr).not.toContain(canary);
  for (const line of result.stderr.trimEnd().split('\n')) expect(line).toMatch(/^gwtoken: /);
});
