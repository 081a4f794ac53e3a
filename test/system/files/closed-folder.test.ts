/** A folder that may not even be looked into is refused in words, wherever its path comes from. */
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { onCleanup } from '../../harness/clean-up';
import { startTokenEndpoint } from '../../harness/endpoints/token-endpoint';
import { inVariables } from '../../harness/homes/client';
import { type Home, openHome } from '../../harness/homes/home';
import { expectRefusal } from '../../harness/homes/refusals';
import { BOUND_BY_MODES as wrapper } from '../../harness/programs/program';

const posix = process.platform !== 'win32';

describe.skipIf(!posix)('a closed folder', () => {
  let client: Home;
  let closed: string;
  beforeEach(async () => {
    client = openHome(inVariables((await startTokenEndpoint()).authUrl));
    closed = join(client.dir, 'closed');
    mkdirSync(join(closed, 'inner'), { recursive: true });
    chmodSync(closed, 0o000);
    onCleanup(() => chmodSync(closed, 0o700));
  });

  test('above the config: whoever reads it is told whose it is', async () => {
    const env = { GWTOKEN_CONFIG_DIR: join(closed, 'inner') };
    const result = await client.gwtoken(['get'], { env, wrapper });
    expectRefusal(result, 2);
    expect(result.stderr).toBe(
      `gwtoken: error: config file ${closed}/inner/config.json cannot be read (EACCES)\n` +
        'hint: run gwtoken as its owner, or set GWTOKEN_CONFIG_DIR to a directory you own\n',
    );
  });
});
