/** Nothing that gwtoken opens by name may keep it waiting: what lies there may be a pipe that nobody writes to. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { startTokenEndpoint, type TokenEndpoint } from '../harness/endpoints/token-endpoint';
import { inVariables } from '../harness/homes/client';
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
    expect(result.stderr).toContain(`the CA file ${pipe} cannot be read (it is a pipe)`);
  });

  test('as SSL_CERT_FILE is passed over', async () => {
    const result = await home.gwtoken(['get'], { env: { SSL_CERT_FILE: pipe }, timeoutMs });
    expect(result).toMatchObject({ code: 0, stderr: '' });
  });

  test('as GWTOKEN_CLIENT_SECRET_FILE is empty', async () => {
    const env = { GWTOKEN_CLIENT_SECRET: '', GWTOKEN_CLIENT_SECRET_FILE: pipe };
    const result = await home.gwtoken(['get'], { env, timeoutMs });
    expectRefusal(result, 2);
    expect(result.stderr).toContain(`the client secret from ${pipe} (GWTOKEN_CLIENT_SECRET_FILE) is empty`);
  });

  test('as GITHUB_ENV is refused', async () => {
    const env = { GITHUB_ENV: pipe };
    const result = await home.gwtoken(['env', '--format', 'github-env'], { env, timeoutMs });
    expectRefusal(result, 2);
  });
});
