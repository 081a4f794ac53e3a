import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer as createHttp } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, connect, createServer as createTcp, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { makeCertificates } from './harness/certificates';
import { freshHome, runProgram } from './harness/program';
import { copyProgram } from './harness/program-copy';
import { parseDoctor } from './harness/report-schemas';
import { openTerminal } from './harness/terminal';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A keychain that works, so that these tests are about everything else: test/keychain-states has the real ones. */
const WORKING_KEYTAR = `const items = new Map();
module.exports = {
  getPassword: async (...key) => items.get(key.join('/')) ?? null,
  setPassword: async (service, account, value) => { items.set(service + '/' + account, value); },
  deletePassword: async (...key) => items.delete(key.join('/')),
};`;
const copy = copyProgram(WORKING_KEYTAR);
process.once('exit', copy.remove);

function setUp() {
  const home = freshHome();
  cleanups.push(home.remove);
  const doctor = async (env: Record<string, string>, ...args: string[]) => {
    const options = { env: { ...home.env, ...env }, program: copy.program };
    const result = await runProgram(['doctor', '--json', ...args], options);
    const { checks, exit_code } = parseDoctor(result.stdout);
    expect(exit_code).toBe(result.code);
    const failed = checks.filter((check) => check.result === 'failed');
    // The exit code is that of the first failed check, and stderr names it.
    expect(result.code).toBe(failed[0]?.exit_code ?? 0);
    if (failed[0])
      expect(result.stderr).toContain(
        `gwtoken: error: check failed: ${failed[0].section}, ${failed[0].name}: `,
      );
    else expect(result.stderr).toBe('');
    const find = (section: string, name: string) =>
      checks.find((check) => check.section === section && check.name === name);
    return { ...result, checks, failed, find };
  };
  return { home, doctor };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => new Promise((resolve) => server.close(resolve)));
  return (server.address() as AddressInfo).port;
}

/** An https server that answers any request with 404 and, if it is given, another Date. */
async function startHttps(options: { days?: number; dateMs?: number } = {}) {
  const certificates = makeCertificates({ days: options.days ?? 90 });
  cleanups.push(certificates.remove);
  const requests: { method: string | undefined; url: string | undefined; headers: object }[] = [];
  const server = createHttps({ key: certificates.key, cert: certificates.cert }, (request, response) => {
    requests.push({ method: request.method, url: request.url, headers: request.headers });
    if (options.dateMs !== undefined) response.setHeader('date', new Date(options.dateMs).toUTCString());
    response.writeHead(404).end();
  });
  const port = await listen(server);
  return { url: `https://127.0.0.1:${port}`, port, certificates, requests };
}

describe('doctor', () => {
  test('finds nothing to complain of where all is well, and sends no credentials', async () => {
    const { doctor } = setUp();
    const { url, certificates, requests } = await startHttps();
    const env = {
      GWTOKEN_REGION: 'eu',
      GWTOKEN_AUTH_URL_EU: `${url}/identity`,
      GWTOKEN_CA_FILE: certificates.caFile,
      GWTOKEN_CLIENT_ID: 'canary-id',
      GWTOKEN_CLIENT_SECRET: 'canary-secret',
    };
    const { code, stdout, checks, find } = await doctor(env);
    expect(code).toBe(0);
    expect(checks.filter(({ result }) => result === 'warning' || result === 'failed')).toEqual([]);
    expect(stdout).not.toContain('canary');
    expect(find('settings', 'region')?.message).toBe('eu (GWTOKEN_REGION)');
    expect(find('settings', 'credentials')?.message).toBe('from GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET');
    expect(find('keychain', 'round trip')?.result).toBe('ok');
    expect(find('region eu', 'certificate')?.message).toBe('89 days left');
    expect(find('region eu', 'reply')?.message).toMatch(/^status 404 in \d+ ms/);
    expect(find('region eu', 'clock')?.message).toBe('right');
    expect(find('region us', 'address')).toMatchObject({ result: 'skipped', message: 'none is set' });
    expect(requests).toEqual([
      {
        method: 'HEAD',
        url: '/identity',
        headers: expect.not.objectContaining({ authorization: expect.anything() }),
      },
    ]);
  });

  test('says of a new installation what to do first', async () => {
    const { doctor } = setUp();
    const { code, failed, find } = await doctor({});
    expect(code).toBe(2);
    expect(find('settings', 'region')).toMatchObject({ result: 'warning' });
    expect(failed.map(({ section, name }) => `${section} ${name}`)).toEqual([
      'region eu address',
      'region us address',
    ]);
    expect(failed[0]?.hints[0]).toBe('first time here? run: gwtoken login --region eu');
  });

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
      cleanups.push(() => socket.destroy());
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

  test('tells of variables about certificates that point nowhere', async () => {
    const { home, doctor } = setUp();
    const missing = join(home.dir, 'missing.pem');
    const { find } = await doctor({
      SSL_CERT_FILE: missing,
      GWTOKEN_CA_FILE: missing,
      GWTOKEN_REGION: 'eu',
      GWTOKEN_AUTH_URL: 'https://127.0.0.1:9',
    });
    expect(find('environment', 'SSL_CERT_FILE')?.message).toBe(`${missing} cannot be read (ENOENT)`);
    expect(find('region eu', 'TLS')?.message).toContain(missing);
  });

  test('shows every bad setting at once, each with its source', async () => {
    const { home, doctor } = setUp();
    const folder = join(home.env.XDG_CONFIG_HOME, 'gwtoken');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, 'config.json'), '{"retries": "many", "regoin": "eu"}', { mode: 0o600 });
    const { code, failed } = await doctor({ GWTOKEN_REGION: 'mars', GWTOKEN_MIN_TTL: 'x' }, '--timeout', '0');
    expect(code).toBe(2);
    const found = failed
      .filter(({ section }) => section === 'settings')
      .map(({ name, message }) => `${name}: ${message}`);
    expect(found).toEqual([
      expect.stringMatching(/^config file: unknown config key "regoin"/),
      expect.stringMatching(/^region: region "mars" \(from GWTOKEN_REGION\)/),
      expect.stringMatching(/^min-ttl: duration "x" \(from GWTOKEN_MIN_TTL\)/),
      expect.stringMatching(/^timeout: time limit "0" \(from --timeout\)/),
      expect.stringMatching(/^retries: .*"many" \(from retries in /),
    ]);
  });

  test.skipIf(process.platform === 'win32')(
    'tells of folders that others can write to, and of a link',
    async () => {
      const { home, doctor } = setUp();
      const config = join(home.dir, 'config', 'gwtoken');
      mkdirSync(config, { recursive: true });
      chmodSync(config, 0o777);
      mkdirSync(home.env.XDG_CACHE_HOME);
      symlinkSync(config, join(home.env.XDG_CACHE_HOME, 'gwtoken'));
      const { find } = await doctor({});
      expect(find('folders', 'config')).toMatchObject({
        result: 'warning',
        message: `${config} can be written by others (mode 777)`,
        hints: [`run: chmod go-w '${config}'`],
      });
      expect(find('folders', 'cache')?.message).toContain('is a symbolic link: it is not used');
    },
  );
});

describe("doctor's report", () => {
  const env = { GWTOKEN_REGION: 'eu', GWTOKEN_AUTH_URL: 'https://127.0.0.1:9' };

  test('is plain ASCII in a pipe, aligned, with a fix below each line that needs one', async () => {
    const { home } = setUp();
    const options = { env: { ...home.env, ...env, LANG: 'en_US.UTF-8' }, program: copy.program };
    const { code, stdout, stderr } = await runProgram(['doctor'], options);
    expect(code).toBe(6);
    expect(stdout).toMatch(/^[\n\x20-\x7e]*$/);
    expect(stdout).toContain('\nkeychain\n  ok   module              keytar 0.0.0\n');
    expect(stdout).toMatch(/\n {2}FAIL TCP {17}no connection: .*\n {24}fix: check the network/);
    expect(stdout).not.toMatch(/\n\n$/);
    expect(stderr).toMatch(
      /^gwtoken: error: check failed: region eu, TCP: no connection: .*, and 1 more\nhint: .*\n$/,
    );
  });

  test('has signs and colours on a terminal, ASCII where it shows no others', async () => {
    const { home } = setUp();
    const show = async (more: Record<string, string>) => {
      const terminal = openTerminal(process.execPath, [copy.program, 'doctor'], {
        env: { ...home.env, ...env, ...more },
        cols: 100,
      });
      cleanups.push(terminal.close);
      expect(await terminal.exit).toMatchObject({ code: 6 });
      return terminal.raw();
    };
    const coloured = await show({ LANG: 'en_US.UTF-8' });
    expect(coloured).toContain('\x1b[1mkeychain\x1b[22m');
    expect(coloured).toContain('\x1b[32m✔\x1b[39m module');
    expect(coloured).toContain('\x1b[31m✖\x1b[39m TCP');
    const plain = await show({ LANG: 'C', NO_COLOR: '1' });
    expect(plain).toContain('  FAIL TCP  ');
    expect(plain).not.toContain('\x1b[3');
    expect(plain).not.toContain('✖');
  });
});
