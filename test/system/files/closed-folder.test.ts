/** A folder that may not even be looked into is refused in words, wherever its path comes from. */
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTokenEndpoint, type TokenEndpoint, tokenReply } from '../../harness/endpoints/token-endpoint';
import { type ClientHome, clientHome } from '../../harness/homes/client-home';
import { expectRefusal } from '../../harness/homes/session';

const posix = process.platform !== 'win32';
/** Root without the capabilities that pass file modes over. */
const capabilities = '-dac_override,-dac_read_search';
const setpriv = ['setpriv', `--bounding-set=${capabilities}`, `--inh-caps=${capabilities}`, '--'];
const wrapper = process.getuid?.() === 0 ? setpriv : [];

describe.skipIf(!posix)('a closed folder', () => {
  let endpoint: TokenEndpoint;
  let client: ClientHome;
  let closed: string;
  beforeEach(async () => {
    endpoint = await startTokenEndpoint(() => tokenReply('token'));
    client = clientHome(endpoint.authUrl);
    closed = join(client.home.dir, 'closed');
    mkdirSync(join(closed, 'inner'), { recursive: true });
    chmodSync(closed, 0o000);
  });
  afterEach(async () => {
    chmodSync(closed, 0o700);
    client.home.remove();
    await endpoint.close();
  });

  test('above the config: config set says so', async () => {
    const env = { GWTOKEN_CONFIG_DIR: join(closed, 'inner') };
    const result = await client.gwtoken(['config', 'set', 'region', 'eu'], { env, wrapper });
    expectRefusal(result, 1);
    expect(result.stderr).toContain(`${closed}/inner/config.json cannot be written (EACCES)`);
    expect(result.stderr).toContain('GWTOKEN_CONFIG_DIR');
  });

  test('above the command of exec: it cannot be run', async () => {
    const result = await client.gwtoken(['exec', '--', join(closed, 'inner', 'deploy')], { wrapper });
    expect(result).toMatchObject({ code: 126, stdout: '' });
    expect(result.stderr).toMatch(
      /^gwtoken: error: the command "[^"]*deploy" cannot be run: it is not executable\n$/,
    );
  });
});
