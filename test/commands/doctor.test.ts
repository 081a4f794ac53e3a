/** doctor as a program: each step of a real request, through a proxy. */
import { createServer as createHttp } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { makeAuthority } from '../harness/endpoints/authority';
import { listen } from '../harness/endpoints/listen';
import { inVariables } from '../harness/homes/client';
import { openHome } from '../harness/homes/home';
import { parseDoctor } from './reports';

test('doctor shows each step of one request through a proxy, and nobody’s password or token', async () => {
  const authority = makeAuthority();
  let requests = 0;
  const { url } = await listen(
    createHttps(authority.issue({ until: 90 }), (_, response) => {
      requests++;
      const reply = { access_token: 'canary-token', token_type: 'Bearer', expires_in: 3600 };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
    }),
  );
  const proxy = createHttp().on('connect', ({ url: target = '', headers }, socket) => {
    expect(headers['proxy-authorization']).toBe(`Basic ${btoa('user:canary-word')}`);
    const server = connect(Number(target.split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      server.pipe(socket).pipe(server);
    });
    for (const [one, other] of [[server, socket] as const, [socket, server] as const])
      one.on('error', () => other.destroy());
  });
  const { port } = await listen(proxy);
  const { code, stdout, stderr } = await openHome({
    ...inVariables(url, { clientId: 'canary-id', clientSecret: 'canary-secret' }),
    GWTOKEN_CA_FILE: authority.caFile,
    HTTPS_PROXY: `http://user:canary-word@127.0.0.1:${port}`,
  }).gwtoken(['doctor', '--json']);
  expect([code, requests]).toEqual([0, 1]);
  expect(stdout + stderr).not.toContain('canary');
  const { checks } = parseDoctor(stdout);
  expect(checks.find(({ name }) => name === 'HTTPS_PROXY')?.message).toBe(`http://***@127.0.0.1:${port}`);
  const progress = checks.filter(({ section }) => section === 'default:production:eu');
  expect(progress.map(({ result, name, message }) => `${result} ${name}: ${message}`)).toEqual([
    'ok credentials: GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET',
    `ok auth URL: ${url} (GWTOKEN_AUTH_URL)`,
    `ok DNS: 127.0.0.1 of the proxy 127.0.0.1:${port}`,
    expect.stringMatching(`^ok TCP: connected in \\d+ ms of the proxy 127.0.0.1:${port}$`),
    `ok proxy: connected through 127.0.0.1:${port}`,
    `ok TLS: TLSv1.3, trusted by ${authority.caFile}`,
    'ok certificate: issued to gwtoken test server by gwtoken test CA, 89 days left',
    expect.stringMatching(/^ok reply: HTTP 200 in \d+ ms$/),
    'ok clock: in sync',
    'ok token: valid for 1 h',
  ]);
});
