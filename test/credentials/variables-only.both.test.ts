/** Credentials from variables alone, without a keychain, a config file or a home directory. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { startTokenEndpoint, type TokenEndpoint } from '../harness/endpoints/token-endpoint';
import { inVariables } from '../harness/homes/client';
import { type Home, openHome } from '../harness/homes/home';
import { expectRefusal } from '../harness/homes/refusals';

describe('with variables only: no keychain, no home', () => {
  let endpoint: TokenEndpoint;
  let home: Home;
  beforeEach(async () => {
    endpoint = await startTokenEndpoint();
    home = openHome(inVariables(endpoint.authUrl));
  });

  test('get loads no native module, and without the variables it does', async ({ needs }) => {
    needs('package');
    const preloaded = join(home.dir, 'no-keytar.cjs');
    writeFileSync(
      preloaded,
      "process.dlopen = () => { console.error('A NATIVE MODULE WAS LOADED'); process.exit(99); };\n",
    );
    const env = { NODE_OPTIONS: `--require=${preloaded}` };
    expect(await home.gwtoken(['get'], { env })).toMatchObject({ code: 0, stdout: 'token-1\n', stderr: '' });
    const result = await home.gwtoken(['get', '--profile', 'acme'], { env });
    expect(`${result.code} ${result.stderr}`).toMatch(/^99 A NATIVE MODULE WAS LOADED|^5 /);
  });

  test('get works in an empty directory without a home, and config says what it needs', async () => {
    const env = { HOME: '', XDG_CONFIG_HOME: '', XDG_CACHE_HOME: '' };
    const cwd = join(home.dir, 'empty');
    mkdirSync(cwd);
    expect(await home.gwtoken(['get'], { env, cwd })).toMatchObject({ code: 0, stderr: '' });
    expectRefusal(await home.gwtoken(['config', 'path'], { env }), 2);
    expectRefusal(await home.gwtoken(['config', 'set', 'region', 'eu'], { env }), 2);
  });
});
