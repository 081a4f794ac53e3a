import { createServer as createHttp } from 'node:http';
import { connect, createServer as createTcp } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listen, setUp, startHttps } from './doctor';

describe('doctor, on the way to a region,', () => {
  test('tells of a certificate that nobody trusts, by whom it is and what to do', async () => {
    const { doctor } = setUp();
    const { url, requests } = await startHttps();
    const { code, find } = await doctor({ GWTOKEN_REGION: 'eu', GWTOKEN_AUTH_URL_EU: url });
    expect(code).toBe(6);
    const check = find('region eu', 'TLS');
    expect(check?.result).toBe('failed');
    expect(check?.message).toContain('from gwtoken test CA, which is not trusted');
    expect(check?.hints[0]).toContain('gwtoken config set ca-file FILE');
    expect(find('region eu', 'reply')).toMatchObject({ result: 'skipped', message: 'not tried' });
    expect(requests).toEqual([]);
  });

  test('tells of a certificate for another name, and of one with a few days left', async () => {
    const { doctor } = setUp();
    const { port, certificates } = await startHttps({ days: 5 });
    const env = { GWTOKEN_REGION: 'eu', GWTOKEN_CA_FILE: certificates.caFile };
    const other = await doctor({ ...env, GWTOKEN_AUTH_URL_EU: `https://127.0.0.2:${port}` });
    // It listens on 127.0.0.1 alone.
    expect(other.find('region eu', 'TCP')?.result).toBe('failed');
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
      new RegExp(`^this computer's clock is (2 h 0|119|120) min ${direction} the endpoint's$`),
    );
    expect(check?.hints[0]).toContain('set the clock');
  });

  test.each([
    ['refuses', 'TCP', /no connection: .*ECONNREFUSED/],
    ['does not resolve', 'DNS', /the name cannot be resolved: .*(ENOTFOUND|EAI_AGAIN)/],
    ['accepts and says nothing', 'TLS', /no secure connection: nothing came within 1 s \(ETIMEDOUT\)/],
    ['speaks http', 'TLS', /no secure connection: .*(wrong version|EPROTO|packet)/i],
  ])('tells of an address that %s', async (what, step, message) => {
    const { doctor } = setUp();
    const silent = createTcp((socket) => {
      onTestFinished(() => void socket.destroy());
      socket.on('error', () => {});
    });
    const http = createHttp((_, response) => response.end());
    const url = {
      refuses: 'https://127.0.0.1:9',
      'does not resolve': 'https://identity.invalid',
      'accepts and says nothing': `https://127.0.0.1:${await listen(silent)}`,
      'speaks http': `https://127.0.0.1:${await listen(http)}`,
    }[what];
    const { code, find, ms } = await doctor(
      { GWTOKEN_REGION: 'eu', GWTOKEN_AUTH_URL_EU: url ?? '' },
      '--timeout',
      '1s',
    );
    expect(code).toBe(6);
    expect(find('region eu', step)).toMatchObject({
      result: 'failed',
      message: expect.stringMatching(message),
    });
    expect(find('region eu', step)?.hints.length).toBeGreaterThan(0);
    expect(ms).toBeLessThan(5000);
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
    const port = await listen(proxy);
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
      message: `leads through 127.0.0.1:${port}`,
    });
    expect(find('environment', 'HTTPS_PROXY')?.message).toBe(`http://***@127.0.0.1:${port}`);
    expect(stdout).not.toContain('canary');

    const refusing = createHttp().on('connect', (_, client) => {
      client.on('error', () => {}).end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    });
    const refused = await doctor({ ...env, HTTPS_PROXY: `http://127.0.0.1:${await listen(refusing)}` });
    expect(refused.code).toBe(6);
    expect(refused.find('region eu', 'proxy')?.message).toContain('it answered 407');
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
