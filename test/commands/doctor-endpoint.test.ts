import { createServer as createHttp } from 'node:http';
import { connect, createServer as createTcp } from 'node:net';
import { describe, expect, test } from 'vitest';
import { makeAuthority } from '../harness/endpoints/authority';
import { startFaultServer } from '../harness/endpoints/fault-server';
import { listen } from '../harness/endpoints/listen';
import { atMost, FORM } from '../harness/programs/program';
import { setUp, startHttps } from './doctor';

const authority = makeAuthority();

/** Bun, which runs the executable, shows nothing of a certificate that it has refused. */
const refused = (facts: object) => (FORM === 'package' ? expect.objectContaining(facts) : undefined);

describe('doctor, on the way to a region,', () => {
  test('tells of a certificate that nobody trusts, by whom it is and what to do', async () => {
    const { doctor } = setUp();
    const { url, requests } = await startHttps();
    const { code, find } = await doctor({ GWTOKEN_REGION: 'eu', GWTOKEN_AUTH_URL_EU: url });
    expect(code).toBe(6);
    const check = find('region eu', 'TLS');
    expect(check?.result).toBe('failed');
    expect(check?.message).toMatch(/ is not trusted: its certificate was issued by an unknown CA/);
    expect(check?.hints[0]).toContain('--ca-file or GWTOKEN_CA_FILE');
    const message = expect.stringMatching(
      /^issued to gwtoken test server\d+ by gwtoken test CA, 89 days left$/,
    );
    expect(find('region eu', 'certificate')).toEqual(refused({ result: 'ok', message }));
    expect(find('region eu', 'reply')).toMatchObject({ result: 'skipped', message: 'skipped' });
    expect(requests).toEqual([]);
  });

  test('tells of a certificate for another name, and whose it is', async () => {
    const { doctor } = setUp();
    const server = await startFaultServer({}, { tls: authority.issue({ names: 'DNS:other.test' }) });
    const env = { GWTOKEN_REGION: 'eu', GWTOKEN_AUTH_URL_EU: server.url, GWTOKEN_CA_FILE: authority.caFile };
    const { code, find } = await doctor(env);
    expect(code).toBe(6);
    expect(find('region eu', 'TLS')).toMatchObject({
      result: 'failed',
      message: `127.0.0.1:${server.port} is not trusted: its certificate is only valid for other.test`,
      hints: ['check the host name in the auth URL'],
    });
    const message = expect.stringMatching(
      /^issued to gwtoken test server\d+ by gwtoken test CA, 29 days left$/,
    );
    expect(find('region eu', 'certificate')).toEqual(refused({ message }));
    expect(server.requests).toEqual([]);
  });

  test('tells of a certificate that has expired, and when', async () => {
    const { doctor } = setUp();
    const server = await startFaultServer({}, { tls: authority.issue({ from: -20, until: -2 }) });
    const env = { GWTOKEN_REGION: 'eu', GWTOKEN_AUTH_URL_EU: server.url, GWTOKEN_CA_FILE: authority.caFile };
    const { find } = await doctor(env);
    expect(find('region eu', 'TLS')?.message).toMatch(/ is not trusted: its certificate has expired$/);
    const message = expect.stringMatching(
      /^issued to gwtoken test server\d+ by gwtoken test CA, expired \d days ago$/,
    );
    expect(find('region eu', 'certificate')).toEqual(refused({ result: 'failed', message }));
  });

  test('tells of a certificate with a few days left', async () => {
    const { doctor } = setUp();
    const { port, certificates } = await startHttps({ days: 5 });
    const env = { GWTOKEN_REGION: 'eu', GWTOKEN_CA_FILE: certificates.caFile };
    const soon = await doctor({ ...env, GWTOKEN_AUTH_URL_EU: `https://localhost:${port}` });
    expect(soon.code).toBe(0);
    expect(soon.find('region eu', 'certificate')).toMatchObject({
      result: 'warning',
      message: '4 days left',
    });
  });

  test.each([
    ['ahead of', -2],
    ['behind', 2],
  ])("tells of a clock two hours %s the endpoint's", async (direction, hours) => {
    const { doctor } = setUp();
    const { url, certificates } = await startHttps({ dateMs: Date.now() + hours * 3_600_000 });
    const env = { GWTOKEN_REGION: 'eu', GWTOKEN_AUTH_URL_EU: url, GWTOKEN_CA_FILE: certificates.caFile };
    const { code, find } = await doctor(env);
    expect(code).toBe(2);
    const check = find('region eu', 'clock');
    expect(check?.message).toMatch(
      new RegExp(`^this machine's clock is (2 h 0|119|120) min ${direction} the endpoint's$`),
    );
    expect(check?.hints[0]).toContain('set the clock');
  });

  test.each([
    ['refuses', 'TCP', /^could not reach 127\.0\.0\.1:9: connection refused$/],
    [
      'does not resolve',
      'DNS',
      /^could not reach identity\.invalid: (host not found|DNS is not responding)$/,
    ],
    [
      'accepts and says nothing',
      'TLS',
      /did not answer within 1 s: the TLS handshake with .* did not finish$/,
    ],
    ['speaks http', 'TLS', /^could not reach 127\.0\.0\.1:\d+: it does not speak TLS$/],
  ])('tells of an address that %s', async (what, step, message) => {
    const { doctor } = setUp();
    const silent = createTcp((socket) => void socket.on('error', () => {}));
    const http = createHttp((_, response) => response.end());
    const url = {
      refuses: 'https://127.0.0.1:9',
      'does not resolve': 'https://identity.invalid',
      'accepts and says nothing': `https://127.0.0.1:${(await listen(silent)).port}`,
      'speaks http': `https://127.0.0.1:${(await listen(http)).port}`,
    }[what];
    const limit = what.includes('says nothing') ? ['--timeout', '1s'] : [];
    const { code, find, ms } = await doctor(
      { GWTOKEN_REGION: 'eu', GWTOKEN_AUTH_URL_EU: url ?? '' },
      ...limit,
    );
    expect(code).toBe(6);
    expect(find('region eu', step)).toMatchObject({
      result: 'failed',
      message: expect.stringMatching(message),
    });
    expect(find('region eu', step)?.hints.length).toBeGreaterThan(0);
    expect(ms).toBeLessThan(await atMost(4000));
  });

  test('goes through the proxy, and shows no credentials of it', async () => {
    const { doctor } = setUp();
    const { url, certificates } = await startHttps();
    const asked: { url: string | undefined; authorization: string | undefined }[] = [];
    const proxy = createHttp().on('connect', ({ url: authority, headers }, client) => {
      asked.push({ url: authority, authorization: headers['proxy-authorization'] });
      const [host = '', port] = (authority ?? '').split(':');
      const server = connect(Number(port), host, () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n');
        server.pipe(client).pipe(server);
      });
      server.on('error', () => client.destroy());
      client.on('error', () => server.destroy());
    });
    const { port } = await listen(proxy);
    const env = {
      GWTOKEN_REGION: 'eu',
      GWTOKEN_AUTH_URL_EU: url,
      GWTOKEN_CA_FILE: certificates.caFile,
      HTTPS_PROXY: `http://user:canary-word@127.0.0.1:${port}`,
    };
    const { code, stdout, find } = await doctor(env);
    expect(code).toBe(0);
    expect(asked).toEqual([
      { url: url.slice('https://'.length), authorization: `Basic ${btoa('user:canary-word')}` },
    ]);
    expect(find('region eu', 'proxy')).toMatchObject({
      result: 'ok',
      message: `connected through 127.0.0.1:${port}`,
    });
    const ofProxy = `of the proxy 127.0.0.1:${port}`;
    expect(find('region eu', 'DNS')?.message).toBe(`127.0.0.1 ${ofProxy}`);
    expect(find('region eu', 'TCP')?.message).toMatch(new RegExp(`^connected in \\d+ ms ${ofProxy}$`));
    expect(find('environment', 'HTTPS_PROXY')?.message).toBe(`http://***@127.0.0.1:${port}`);
    expect(stdout).not.toContain('canary');

    const refusing = createHttp().on('connect', (_, client) => {
      client.on('error', () => {}).end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    });
    const refused = await doctor({
      ...env,
      HTTPS_PROXY: `http://127.0.0.1:${(await listen(refusing)).port}`,
    });
    expect(refused.code).toBe(6);
    expect(refused.find('region eu', 'proxy')?.message).toMatch(
      /^the proxy 127\.0\.0\.1:\d+ \(from HTTPS_PROXY\) requires a user name and password \(407\)$/,
    );
  });

  test('warns of NODE_TLS_REJECT_UNAUTHORIZED=0, verifies all the same, and Node is not heard', async () => {
    const { doctor } = setUp();
    const { url, requests } = await startHttps();
    const env = { GWTOKEN_REGION: 'eu', GWTOKEN_AUTH_URL_EU: url, NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    const { code, stderr, find } = await doctor(env);
    expect(code).toBe(6);
    expect(find('region eu', 'TLS')?.result).toBe('failed');
    expect(find('environment', 'NODE_TLS_REJECT_UNAUTHORIZED')).toMatchObject({
      result: 'warning',
      hints: ['unset NODE_TLS_REJECT_UNAUTHORIZED'],
    });
    expect(requests).toEqual([]);
    expect(stderr).not.toContain('Warning');
  });
});
