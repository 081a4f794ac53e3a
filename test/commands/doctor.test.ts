import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { copy, setUp, startHttps } from './doctor';

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
    expect(find('settings', 'environment')?.message).toBe('production (default)');
    expect(find('settings', 'region')?.message).toBe('eu (GWTOKEN_REGION)');
    expect(find('settings', 'credentials')?.message).toBe('GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET');
    expect(find('keychain', 'round trip')?.result).toBe('ok');
    expect(find('region eu', 'TLS')?.message.split(', trusted by ')).toEqual([
      expect.stringMatching(/^TLSv1\.3, issued to gwtoken test server\d+ by gwtoken test CA$/),
      certificates.caFile,
    ]);
    expect(find('region eu', 'certificate')?.message).toBe('89 days left');
    expect(find('region eu', 'reply')?.message).toMatch(/^reachable \(HTTP 404\) in \d+ ms$/);
    expect(find('region eu', 'clock')?.message).toBe('in sync');
    expect(find('region us', 'auth URL')).toMatchObject({
      result: 'skipped',
      message: 'not set',
      hints: [],
    });
    expect((await doctor(env, '--region', 'EU')).find('region us', 'auth URL')).toBeUndefined();
    requests.pop();
    expect(requests).toEqual([
      {
        method: 'HEAD',
        url: '/identity',
        headers: expect.not.objectContaining({ authorization: expect.anything() }),
      },
    ]);
  });

  test('says of a new installation what to do first', async () => {
    const { home, doctor } = setUp();
    const { code, failed, find } = await doctor({});
    expect(code).toBe(2);
    expect(failed).toMatchObject([
      { section: 'settings', name: 'region', message: 'not set', hints: ['new here? run: gwtoken login'] },
    ]);
    expect(find('region eu', 'auth URL')).toMatchObject({ result: 'skipped', hints: [] });
    const { code: again, stdout } = await home.gwtoken(['doctor'], { program: copy.program });
    expect(again).toBe(2);
    expect(stdout.match(/fix: /g)).toHaveLength(1);
  });

  test('begins with its verdict where nothing failed, and claims no credentials that are not stored', async () => {
    const { home, doctor } = setUp();
    const { url, certificates } = await startHttps();
    const env = { GWTOKEN_REGION: 'eu', GWTOKEN_AUTH_URL_EU: url, GWTOKEN_CA_FILE: certificates.caFile };
    expect((await doctor(env)).find('settings', 'credentials')).toMatchObject({
      result: 'warning',
      message: 'none stored by gwtoken login',
      hints: ['to store them, run: gwtoken login --region eu'],
    });
    const shown = async (more: object) =>
      (await home.gwtoken(['doctor'], { env: { ...env, ...more }, program: copy.program })).stdout;
    expect(await shown({})).toMatch(/^No failures, 1 warning\.\n\ngwtoken\n/);
    const client = { GWTOKEN_CLIENT_ID: 'x', GWTOKEN_CLIENT_SECRET: 'y' };
    expect(await shown(client)).toMatch(/^All checks passed\.\n\ngwtoken\n/);
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

  test('tells of a secret whose file is not there, as get would', async () => {
    const { home, doctor } = setUp();
    const file = join(home.dir, 'missing');
    const { find } = await doctor({
      GWTOKEN_REGION: 'eu',
      GWTOKEN_AUTH_URL: 'https://127.0.0.1:9',
      GWTOKEN_CLIENT_ID: 'client',
      GWTOKEN_CLIENT_SECRET_FILE: file,
    });
    expect(find('settings', 'credentials')).toMatchObject({
      result: 'failed',
      message: `cannot read ${file} (from GWTOKEN_CLIENT_SECRET_FILE): no such file`,
    });
  });

  test('shows every bad setting at once, each with its source', async () => {
    const { home, doctor } = setUp();
    home.configure({ retries: 'many', regoin: 'eu' });
    const { code, failed } = await doctor({ GWTOKEN_REGION: 'mars', GWTOKEN_MIN_TTL: 'x' }, '--timeout', '0');
    expect(code).toBe(2);
    const found = failed
      .filter(({ section }) => section === 'settings')
      .map(({ name, message }) => `${name}: ${message}`);
    expect(found).toEqual([
      expect.stringMatching(/^config file: unknown config key "regoin"/),
      expect.stringMatching(/^region: invalid region "mars" \(from GWTOKEN_REGION\)/),
      expect.stringMatching(/^min-ttl: invalid duration "x" \(from GWTOKEN_MIN_TTL\)/),
      expect.stringMatching(/^timeout: invalid timeout "0" \(from --timeout\)/),
      expect.stringMatching(/^retries: .*"many" \(from retries in /),
    ]);
  });

  test.skipIf(process.platform === 'win32')(
    'tells of folders that others can write to, and of a link',
    async () => {
      const { home, doctor } = setUp();
      const { config, cache } = home;
      mkdirSync(config, { recursive: true });
      chmodSync(config, 0o777);
      mkdirSync(dirname(cache));
      symlinkSync(config, cache);
      const { find } = await doctor({});
      expect(find('directories', 'config')).toMatchObject({
        result: 'warning',
        message: `${config} is writable by other users (mode 777)`,
        hints: [`run: chmod go-w ${config}`],
      });
      expect(find('directories', 'cache')?.message).toContain('is a symbolic link; not used');
    },
  );
});

describe("doctor's report", () => {
  const env = { GWTOKEN_REGION: 'eu', GWTOKEN_AUTH_URL: 'https://127.0.0.1:9' };

  test('is plain ASCII in a pipe, aligned, with a fix below each line that needs one', async () => {
    const { home } = setUp();
    const options = { env: { ...env, LANG: 'en_US.UTF-8' }, program: copy.program };
    const { code, stdout, stderr } = await home.gwtoken(['doctor'], options);
    expect(code).toBe(6);
    expect(stdout).toMatch(/^[\n\x20-\x7e]*$/);
    // The executable names the module that it was built with.
    expect(stdout).toMatch(/\nkeychain\n {2}ok {3}module {14}(@github\/)?keytar \d+\.\d+\.\d+\n/);
    expect(stdout).toMatch(
      /\n {2}FAIL TCP {17}could not reach 127\.0\.0\.1:9: .*\n {24}fix: nothing is listening there/,
    );
    expect(stdout).not.toMatch(/\n\n$/);
    expect(stderr).toMatch(
      /^gwtoken: error: 2 checks failed; first: region eu, TCP: could not reach 127\.0\.0\.1:9: .*\nhint: see the fixes above\n$/,
    );
  });

  test('has signs and colours on a terminal, ASCII where it shows no others', async () => {
    const { home } = setUp();
    const show = async (more: Record<string, string>) => {
      const terminal = home.terminal(['doctor'], {
        env: { ...env, ...more },
        cols: 100,
        program: copy.program,
      });
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
