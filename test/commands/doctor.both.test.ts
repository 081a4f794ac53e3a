/** `gwtoken doctor` beyond the sessions of doctor.txt: a real request, and a signal. */
import { expect, test } from 'vitest';
import { makeAuthority } from '../harness/endpoints/authority';
import { startConnectProxy } from '../harness/endpoints/fault-server';
import { startTokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { inVariables } from '../harness/homes/client';
import { openHome } from '../harness/homes/home';
import { inside } from '../harness/homes/in-process';

test('doctor traces a request through a proxy without secrets', async () => {
  const authority = makeAuthority();
  const endpoint = await startTokenEndpoint(() => tokenReply('canary-token'), authority.issue());
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
  const [credentials, request] = JSON.parse(stdout).checks.slice(-2);
  expect(credentials).toMatchObject({
    name: 'credentials',
    message: 'GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET',
  });
  const varying = /\d{4}-\S+Z|until .* (?=GMT)|\d+ ms/g;
  expect(request.trace.map((line: string) => line.replace(varying, '…'))).toEqual([
    'credentials from GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET',
    `using the proxy ${at} (from HTTPS_PROXY)`,
    `certificate of gwtoken test server by gwtoken test CA, valid …GMT, trusted by ${authority.caFile}`,
    `POST ${endpoint.authUrl}/oauth2/token: 200 after …`,
    "the endpoint's clock: …, this machine's: …",
  ]);
});

test('doctor ends without a report at a signal', async () => {
  const gw = inside();
  gw.answer = gw.interrupt;
  expect(await gw.cli(['doctor'])).toEqual({ code: 130, stdout: '', stderr: '' });
});
