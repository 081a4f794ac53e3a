/** Nothing that gwtoken opens by name may keep it waiting: it may be a pipe that nobody writes to. */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { entryPath, generationPath } from '../../src/system/files/token-cache';
import { startTokenEndpoint, type TokenEndpoint } from '../harness/endpoints/token-endpoint';
import { EU, inVariables } from '../harness/homes/client';
import { type Home, openHome } from '../harness/homes/home';
import { expectRefusal } from '../harness/homes/refusals';

describe.skipIf(process.platform === 'win32')('a pipe that nobody writes to', () => {
  let endpoint: TokenEndpoint;
  let home: Home;
  let pipe: string;
  beforeEach(async () => {
    endpoint = await startTokenEndpoint();
    home = openHome(inVariables(endpoint.authUrl));
    pipe = join(home.dir, 'pipe');
    execFileSync('mkfifo', [pipe]);
  });
  /** Far below any limit of a request's; the rest is for a busy machine. */
  const timeoutMs = 15_000;

  test('as --ca-file is refused', async () => {
    const result = await home.gwtoken(['get', '--ca-file', pipe], { timeoutMs });
    expectRefusal(result, 2);
    expect(result.stderr).toContain(`the CA file ${pipe} cannot be read (it is not a regular file)`);
  });

  test('as SSL_CERT_FILE is passed over', async () => {
    const result = await home.gwtoken(['get'], { env: { SSL_CERT_FILE: pipe }, timeoutMs });
    expect(result).toMatchObject({ code: 0, stderr: '' });
  });

  test('as GWTOKEN_CLIENT_SECRET_FILE is refused', async () => {
    const env = { GWTOKEN_CLIENT_SECRET: '', GWTOKEN_CLIENT_SECRET_FILE: pipe };
    const result = await home.gwtoken(['get'], { env, timeoutMs });
    expectRefusal(result, 2);
    expect(result.stderr).toContain('the file in GWTOKEN_CLIENT_SECRET_FILE: it is not a regular file\n');
  });

  test('in the place of a cached token or its generation is a miss', async () => {
    mkdirSync(home.cache, { recursive: true, mode: 0o700 });
    for (const path of [entryPath(home.cache, EU), generationPath(home.cache, EU)])
      execFileSync('mkfifo', ['-m', '600', path]);
    const result = await home.gwtoken(['get'], { timeoutMs });
    expect(result).toMatchObject({ code: 0, stdout: 'token-1\n', stderr: '' });
  });

  test('in the place of the config file is refused', async () => {
    mkdirSync(home.config, { recursive: true, mode: 0o700 });
    execFileSync('mkfifo', ['-m', '600', join(home.config, 'config.json')]);
    const result = await home.gwtoken(['get'], { timeoutMs });
    expectRefusal(result, 2);
    expect(result.stderr).toMatch(
      /^gwtoken: error: config file \S+config\.json cannot be read \(it is not a regular file\)\n/,
    );
  });

  test('as GITHUB_ENV is refused', async () => {
    const env = { GITHUB_ENV: pipe };
    const result = await home.gwtoken(['env', '--format', 'github-env'], { env, timeoutMs });
    expectRefusal(result, 2);
  });
});
