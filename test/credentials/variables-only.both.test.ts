import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type IdentityServer, startIdentityServer } from '../harness/endpoints/identity-server';
import { inVariables } from '../harness/homes/client';
import { type Home, openHome } from '../harness/homes/home';
import { expectRefusal } from '../harness/homes/refusals';
import { notPackage } from '../harness/programs/program';
import { copyProgram } from '../harness/programs/program-copy';

const production = { clientId: 'ci-client', clientSecret: 'ci secret+/=&' };
const sandbox = { clientId: 'ci-sandbox', clientSecret: 'sandbox secret' };

describe('with variables only: no keychain, no session bus', () => {
  let identity: IdentityServer;
  let home: Home;
  /** Fails the program as soon as it, or a child of its, loads keytar or any other native module. */
  let preload: Record<string, string>;
  let given: Record<string, string>;
  beforeAll(async () => {
    identity = await startIdentityServer({ clients: [production, sandbox] });
    home = openHome();
    const preloaded = join(home.dir, 'no-keytar.cjs');
    writeFileSync(
      preloaded,
      `const Module = require('node:module');
const load = Module._load;
Module._load = function (request, ...rest) {
  if (request === 'keytar') { console.error('KEYTAR WAS LOADED'); process.exit(99); }
  return load.call(this, request, ...rest);
};
process.dlopen = () => { console.error('A NATIVE MODULE WAS LOADED'); process.exit(99); };
`,
    );
    preload = { NODE_OPTIONS: `--require=${preloaded}` };
    given = inVariables(identity.authUrl, production);
  });

  const get = (env: Record<string, string>, ...flags: string[]) =>
    home.gwtoken(['get', '--no-cache', ...flags], { env });
  const lastClient = () => new URLSearchParams(identity.requests.at(-1)?.body).get('client_id');

  test('get works, and the keychain module is not loaded', async ({ skip }) => {
    skip(notPackage !== undefined, notPackage);
    const result = await get({ ...given, ...preload });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(identity.issued).toContain(result.stdout.trim());
  });

  test('the preload would have told: without variables the keychain is looked at', async ({ skip }) => {
    skip(notPackage !== undefined, notPackage);
    const result = await get({ GWTOKEN_REGION: 'eu', GWTOKEN_AUTH_URL: identity.authUrl, ...preload });
    expect(result.code).not.toBe(0);
    expect(`${result.code} ${result.stderr}`).toMatch(/^99 (KEYTAR|A NATIVE MODULE) WAS LOADED|^5 /);
    expect(result.stdout).toBe('');
  });

  test('get works where keytar cannot be resolved, and the keychain is code 5 there with a way out', async ({
    skip,
  }) => {
    skip(notPackage !== undefined, notPackage);
    const { program } = copyProgram(undefined);
    const run = (env: Record<string, string>) => home.gwtoken(['get'], { env, program });
    const result = await run({ ...given, GWTOKEN_NO_CACHE: '1' });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(identity.issued).toContain(result.stdout.trim());

    const without = await run({ GWTOKEN_REGION: 'eu', GWTOKEN_AUTH_URL: identity.authUrl });
    expectRefusal(without, 5);
    expect(without.stderr).toContain('GWTOKEN_CLIENT_ID_EU and GWTOKEN_CLIENT_SECRET_EU');
  });

  test('the region’s pair wins over the general one, the sandbox’s over both, each whole', async () => {
    const all = {
      ...given,
      GWTOKEN_CLIENT_ID: 'nobody',
      GWTOKEN_CLIENT_ID_EU: production.clientId,
      GWTOKEN_CLIENT_SECRET_EU: production.clientSecret,
      GWTOKEN_CLIENT_ID_US: 'nobody-us',
      GWTOKEN_SANDBOX_CLIENT_ID: sandbox.clientId,
      GWTOKEN_SANDBOX_CLIENT_SECRET: sandbox.clientSecret,
    };
    expect(await get(all)).toMatchObject({ code: 0, stderr: '' });
    expect(lastClient()).toBe('ci-client');
    expect(await get(all, '--sandbox')).toMatchObject({ code: 0, stderr: '' });
    expect(lastClient()).toBe('ci-sandbox');
    // A pair without SANDBOX belongs to the environment that the command names.
    expect(await get(given, '--sandbox')).toMatchObject({ code: 0, stderr: '' });
    expect(lastClient()).toBe('ci-client');
  });

  test('a secret comes from a file too: BOM and one line end are dropped', async () => {
    const file = join(home.dir, 'secret');
    const { GWTOKEN_CLIENT_SECRET: _, ...id } = given;
    for (const text of [production.clientSecret, `\ufeff${production.clientSecret}\r\n`]) {
      writeFileSync(file, text);
      expect(await get({ ...id, GWTOKEN_CLIENT_SECRET_FILE: file })).toMatchObject({ code: 0, stderr: '' });
      expect(new URLSearchParams(identity.requests.at(-1)?.body).get('client_secret')).toBe(
        production.clientSecret,
      );
    }
  });

  test('a profile named by flag passes the variables over, one from a variable or the config does not', async () => {
    expect(await get({ ...given, GWTOKEN_PROFILE: 'acme' })).toMatchObject({ code: 0 });
    const flagged = await get(given, '--profile', 'acme');
    expectRefusal(flagged, 5);
    expect(flagged.stderr).toContain(
      'GWTOKEN_CLIENT_ID is ignored because of --profile; to use it, set GWTOKEN_PROFILE=',
    );
    await home.gwtoken(['config', 'set', 'profile', 'acme']);
    expect(await get(given)).toMatchObject({ code: 0, stderr: '' });
    await home.gwtoken(['config', 'unset', 'profile']);
  });

  test('it needs no home either', async () => {
    const env = { ...given, HOME: '', XDG_CONFIG_HOME: '', XDG_CACHE_HOME: '' };
    expect(await get(env)).toMatchObject({ code: 0, stderr: '' });
    mkdirSync(join(home.dir, 'empty'));
    expect(await home.gwtoken(['get'], { env, cwd: join(home.dir, 'empty') })).toMatchObject({
      code: 0,
      stderr: '',
    });
    for (const args of [
      ['config', 'path'],
      ['config', 'set', 'region', 'eu'],
    ])
      expectRefusal(await home.gwtoken(args, { env }), 2);
  });
});
