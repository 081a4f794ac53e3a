/** Runs doctor as a program, with a real request through a proxy. */
import { expect, test } from 'vitest';
import { makeAuthority } from '../harness/endpoints/authority';
import { startConnectProxy } from '../harness/endpoints/fault-server';
import { startTokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { inVariables } from '../harness/homes/client';
import { openHome } from '../harness/homes/home';
import { checksFrom, parseDoctor } from './doctor-report';

test('doctor shows each step of a request through a proxy without secrets', async () => {
  const authority = makeAuthority();
  const endpoint = await startTokenEndpoint(() => tokenReply('canary-token'), authority.issue({ until: 90 }));
  const proxy = await startConnectProxy();
  const at = `127.0.0.1:${proxy.port}`;
  const { code, stdout, stderr } = await openHome({
    ...inVariables(endpoint.authUrl, { clientId: 'canary-id', clientSecret: 'canary-secret' }),
    GWTOKEN_CA_FILE: authority.caFile,
    HTTPS_PROXY: `http://user:canary-word@${at}`,
  }).gwtoken(['doctor', '--json']);
  expect([code, endpoint.posts.length]).toEqual([0, 1]);
  expect(proxy.requests[0]).toContain(`proxy-authorization: Basic ${btoa('user:canary-word')}\r\n`);
  expect(stdout + stderr).not.toContain('canary');
  expect(checksFrom('credentials', parseDoctor(stdout).checks)).toEqual([
    'ok credentials: GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET',
    `ok DNS: 127.0.0.1 of the proxy ${at}`,
    `ok proxy: connected through ${at}`,
    `ok TLS: certificate of gwtoken test server by gwtoken test CA, 89 days left, trusted by ${authority.caFile}`,
    'ok token request: token received, valid for 1 h',
    "ok clock: agrees with the endpoint's",
  ]);
});
