/** doctor as a program: a real way with a real certificate, through a proxy, and its report on a pipe and a terminal. */
import { createServer as createHttp } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { makeAuthority } from '../harness/endpoints/authority';
import { listen } from '../harness/endpoints/listen';
import { openHome } from '../harness/homes/home';
import { parseDoctor } from './report-schemas';

const authority = makeAuthority();
const clientAt = (authUrl: string) => ({
  GWTOKEN_REGION: 'eu',
  GWTOKEN_AUTH_URL_EU: authUrl,
  GWTOKEN_CLIENT_ID: 'canary-id',
  GWTOKEN_CLIENT_SECRET: 'canary-secret',
});

/** A token endpoint with a certificate for 127.0.0.1. */
async function startHttps() {
  let requests = 0;
  const server = createHttps(authority.issue({ until: 90 }), (_, response) => {
    requests++;
    const reply = { access_token: 'canary-token', token_type: 'Bearer', expires_in: 3600 };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
  });
  return { ...(await listen(server)), requests: () => requests };
}

async function doctor(env: Record<string, string>) {
  const { code, stdout, stderr } = await openHome(env).gwtoken(['doctor', '--json']);
  const { checks, exit_code } = parseDoctor(stdout);
  const found = checks.filter(
    ({ section, result }) => section === 'default:production:eu' && result !== 'skipped',
  );
  expect(exit_code).toBe(code);
  expect(stdout + stderr).not.toContain('canary');
  return { code, checks, way: found.map(({ name, result, message }) => `${result} ${name}: ${message}`) };
}

describe('doctor shows', () => {
  test('each step of one request', async () => {
    const { url, requests } = await startHttps();
    const env = { ...clientAt(url), GWTOKEN_CA_FILE: authority.caFile };
    const { code, way } = await doctor(env);
    expect(code).toBe(0);
    expect(way).toEqual([
      'ok credentials: GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET',
      `ok auth URL: ${url} (GWTOKEN_AUTH_URL_EU)`,
      'ok DNS: 127.0.0.1',
      expect.stringMatching(/^ok TCP: connected in \d+ ms$/),
      `ok TLS: TLSv1.3, trusted by ${authority.caFile}`,
      'ok certificate: issued to gwtoken test server by gwtoken test CA, 89 days left',
      expect.stringMatching(/^ok reply: HTTP 200 in \d+ ms$/),
      'ok clock: in sync',
      'ok token: valid for 1 h',
    ]);
    expect(requests()).toBe(1);
  });

  test('whose certificate nobody trusts', async () => {
    const { url, requests } = await startHttps();
    const { code, way } = await doctor(clientAt(url));
    expect(code).toBe(6);
    expect(way.slice(4)).toEqual([
      expect.stringMatching(/^failed TLS: .* is not trusted: its certificate was issued by an unknown CA/),
      expect.stringMatching(
        /^ok certificate: issued to gwtoken test server by gwtoken test CA, 89 days left$/,
      ),
    ]);
    expect(requests()).toBe(0);
  });

  test('the way through a proxy, without its credentials', async () => {
    const { url } = await startHttps();
    const asked: unknown[] = [];
    const proxy = createHttp().on('connect', ({ url: target = '', headers }, socket) => {
      asked.push(target, headers['proxy-authorization']);
      const server = connect(Number(target.split(':')[1]), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        server.pipe(socket).pipe(server);
      });
      server.on('error', () => socket.destroy());
      socket.on('error', () => server.destroy());
    });
    const { port } = await listen(proxy);
    const HTTPS_PROXY = `http://user:canary-word@127.0.0.1:${port}`;
    const env = { ...clientAt(url), GWTOKEN_CA_FILE: authority.caFile, HTTPS_PROXY };
    const { code, checks, way } = await doctor(env);
    expect(code).toBe(0);
    expect(asked).toEqual([url.slice('https://'.length), `Basic ${btoa('user:canary-word')}`]);
    expect(way.slice(2, 5)).toEqual([
      `ok DNS: 127.0.0.1 of the proxy 127.0.0.1:${port}`,
      expect.stringMatching(`^ok TCP: connected in \\d+ ms of the proxy 127.0.0.1:${port}$`),
      `ok proxy: connected through 127.0.0.1:${port}`,
    ]);
    const shown = checks.find(({ name }) => name === 'HTTPS_PROXY')?.message;
    expect(shown).toBe(`http://***@127.0.0.1:${port}`);
  });
});

describe("doctor's report", () => {
  const env = clientAt('https://127.0.0.1:9');

  test('is plain ASCII in a pipe, with a hint below what is not fine', async () => {
    const options = { env: { ...env, LANG: 'en_US.UTF-8' } };
    const { code, stdout, stderr } = await openHome().gwtoken(['doctor'], options);
    expect(code).toBe(6);
    expect(stdout).toMatch(/^[\n\x20-\x7e]*$/);
    expect(stdout).toMatch(/\n {2}FAIL TCP: could not reach 127\.0\.0\.1:9: .*\n {4}hint: .*\n$/);
    expect(stderr).toBe('gwtoken: error: get does not work: 1 check failed (see above)\n');
  });

  test('has signs and colours on a terminal, ASCII if the locale has no more', async () => {
    const show = async (more: Record<string, string>) => {
      const terminal = openHome().terminal(['doctor'], { env: { ...env, ...more } });
      expect(await terminal.exit).toMatchObject({ code: 6 });
      return terminal.raw();
    };
    const coloured = await show({ LANG: 'en_US.UTF-8' });
    expect(coloured).toContain('\x1b[32m✔\x1b[39m gwtoken ');
    expect(coloured).toContain('\x1b[31m✖\x1b[39m TCP');
    const plain = await show({ LANG: 'C', NO_COLOR: '1' });
    expect(plain).toContain('  FAIL TCP: ');
    expect(plain).not.toContain('\x1b[3');
    expect(plain).not.toContain('✖');
  });
});
