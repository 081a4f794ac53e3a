/** Proxies and a web server as they are installed: the scripted ones stand or fall with what these say. */
import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { startNginx, startSquid, startTinyproxy } from '../../harness/endpoints/debian-servers';
import { startFaultServer } from '../../harness/endpoints/fault-server';
import { GOOD, reply, SECRET, setScene, TOKEN } from './scene';

const { authority, home } = setScene();
Object.assign(home.env, { GWTOKEN_NO_CACHE: '1', GWTOKEN_CA_FILE: authority.caFile });

const PASSWORD = 'canary@proxy';
const ENCODED = 'canary%40proxy';

/** Asks an endpoint through a proxy; neither the proxy's password nor the client's secret is ever said. */
async function throughProxy(port: number, credentials = '') {
  const answer = (socket: import('node:net').Socket) => void socket.write(reply(200));
  const endpoint = await startFaultServer({ answer }, { tls: authority.issue() });
  const args = ['get', '--auth-url', endpoint.url, '--retries', '0'];
  const env = { HTTPS_PROXY: `http://${credentials}127.0.0.1:${port}` };
  const { code, stdout, stderr } = await home.gwtoken(args, { env });
  for (const canary of [SECRET, PASSWORD, ENCODED, 'canary.proxy']) expect(stderr).not.toContain(canary);
  return { code, stdout, stderr, target: new URL(endpoint.url).host, requests: endpoint.requests.length };
}
const FETCHED = { code: 0, stdout: `${TOKEN}\n`, stderr: '', requests: 1 };
const proxy = (port: number) => `the proxy 127.0.0.1:${port} (from HTTPS_PROXY)`;

/** Expects a tunnel for the credentials, and for none or others the sentence of each. */
async function expectBasic(port: number, credentials: string, status: 401 | 407) {
  expect(await throughProxy(port, credentials)).toMatchObject(FETCHED);
  const without = await throughProxy(port);
  expect(without).toMatchObject({ code: 6, stdout: '', requests: 0 });
  expect(without.stderr).toContain(`${proxy(port)} requires a user name and password (407)\n`);
  const wrong = await throughProxy(port, 'gwtoken:other@');
  expect(wrong.stderr).toContain(
    `${proxy(port)} rejected the user name or password in HTTPS_PROXY (${status})\n`,
  );
}

describe('tinyproxy', () => {
  test('tunnels, with a password that it checks', async ({ needs }) => {
    needs('tinyproxy');
    // It knows no password with an @ in it.
    const port = await startTinyproxy('BasicAuth gwtoken canary.proxy');
    // With another one the same server says 401.
    await expectBasic(port, 'gwtoken:canary.proxy@', 401);
  });

  test('refuses a port that it does not allow', async ({ needs }) => {
    needs('tinyproxy');
    const port = await startTinyproxy('ConnectPort 443');
    const { code, stderr, target } = await throughProxy(port);
    expect(code).toBe(6);
    expect(stderr).toContain(`${proxy(port)} refused to connect to ${target} (403)\n`);
  });
});

describe('squid', () => {
  const ALLOW = ['acl known proxy_auth REQUIRED', 'http_access allow known', 'http_access deny all'];
  const basic = ['auth_param basic program /usr/lib/squid/basic_ncsa_auth FOLDER/passwords'];
  const files = () => ({
    passwords: `gwtoken:${execFileSync('openssl', ['passwd', '-apr1', PASSWORD], { encoding: 'utf8' })}`,
  });
  const SCHEMES = {
    Negotiate: [
      'auth_param negotiate program /usr/lib/squid/negotiate_kerberos_auth',
      'auth_param negotiate children 1 startup=0',
    ],
    NTLM: ['auth_param ntlm program /usr/lib/squid/ntlm_fake_auth', 'auth_param ntlm children 1 startup=0'],
    Digest: [
      'auth_param digest program /usr/lib/squid/digest_file_auth FOLDER/passwords',
      'auth_param digest children 1 startup=0',
      'auth_param digest realm gwtoken',
    ],
  };

  test.for(Object.entries(SCHEMES))('asks for %s alone', async ([scheme, lines], { needs }) => {
    needs('squid');
    const port = await startSquid([...lines, ...ALLOW], files());
    for (const credentials of ['', `gwtoken:${ENCODED}@`]) {
      const { code, stderr, requests } = await throughProxy(port, credentials);
      expect([code, requests]).toEqual([6, 0]);
      expect(stderr).toContain(
        `${proxy(port)} requires ${scheme} authentication, and gwtoken supports only Basic (407)\n`,
      );
    }
  });

  test('takes Basic where it asks for several', async ({ needs }) => {
    needs('squid');
    const port = await startSquid([...Object.values(SCHEMES).flat(), ...basic, ...ALLOW], files());
    await expectBasic(port, `gwtoken:${ENCODED}@`, 407);
  });

  test('cannot reach a target', async ({ needs }) => {
    needs('squid');
    const port = await startSquid(['http_access allow all']);
    const args = ['get', '--auth-url', 'https://127.0.0.1:9', '--retries', '0'];
    const { code, stderr } = await home.gwtoken(args, { env: { HTTPS_PROXY: `http://127.0.0.1:${port}` } });
    expect(code).toBe(6);
    expect(stderr).toContain(`${proxy(port)} could not reach 127.0.0.1:9 (503)\n`);
  });
});

describe('nginx', () => {
  const answers = `location = /oauth2/token { return 200 '${JSON.stringify(GOOD)}'; }`;
  const get = (authUrl: string) => home.gwtoken(['get', '--auth-url', authUrl, '--retries', '0']);

  test.for(['TLSv1.2', 'TLSv1.3'])('wants a client certificate, over %s', async (protocol, { needs }) => {
    needs('nginx');
    const url = await startNginx(
      authority.issue(),
      `ssl_protocols ${protocol}; ssl_verify_client on; ssl_client_certificate ${authority.caFile}; ${answers}`,
    );
    const { code, stdout, stderr } = await get(url);
    expect([code, stdout]).toEqual([7, '']);
    expect(stderr).toContain(
      '/oauth2/token answered 400: it requires a client certificate (mTLS), which gwtoken does not support\n',
    );
  });
});
