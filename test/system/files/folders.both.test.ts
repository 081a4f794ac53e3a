import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { startTokenEndpoint, type TokenEndpoint } from '../../harness/endpoints/token-endpoint';
import { entryIn, inVariables } from '../../harness/homes/client';
import { type Home, openHome } from '../../harness/homes/home';
import { inside } from '../../harness/homes/in-process';
import { type ProgramResult, runProgram } from '../../harness/programs/program';

/** Wherever the cache cannot or must not be used, there is a token all the same. */
let endpoint: TokenEndpoint;
let client: Home;
beforeEach(async () => {
  endpoint = await startTokenEndpoint();
  client = openHome(inVariables(endpoint.authUrl));
});

function expectToken({ code, stdout, stderr }: ProgramResult, warning = /^$/): void {
  expect({ code, stdout }).toEqual({ code: 0, stdout: `token-${endpoint.posts.length}\n` });
  expect(stderr).toMatch(warning);
}
const oneWarning = (what: string) =>
  new RegExp(`^gwtoken: warning: token cache ignored: [^\n]*${what}[^\n]*\n$`);

describe('one warning, no reading and no writing', () => {
  /** Twice, since a token that was kept after all would be served the second time. */
  async function expectUnused(warning: RegExp): Promise<void> {
    for (let call = 1; call <= 2; call++) {
      const before = endpoint.posts.length;
      expectToken(await client.gwtoken(['get']), warning);
      expect(endpoint.posts.length).toBe(before + 1);
    }
  }

  test('for a folder that others can write to', async ({ needs }) => {
    needs('posix');
    mkdirSync(client.cache, { recursive: true });
    chmodSync(client.cache, 0o777);
    await expectUnused(oneWarning('is writable by other users \\(mode 777\\)'));
    expect(readdirSync(client.cache)).toEqual([]);
  });

  test('for a link in its place: nothing is written through it', async ({ needs }) => {
    needs('posix');
    const target = join(client.dir, 'elsewhere');
    mkdirSync(target, { mode: 0o700 });
    mkdirSync(dirname(client.cache));
    symlinkSync(target, client.cache);
    await expectUnused(oneWarning('is a symbolic link'));
    expect(readdirSync(target)).toEqual([]);
  });

  test('on one line, whatever the folder is called', async ({ needs }) => {
    needs('posix');
    const folder = join(client.dir, 'a\nhint: run: rm \x1b[2K');
    mkdirSync(folder, { mode: 0o700 });
    chmodSync(folder, 0o777);
    const run = await client.gwtoken(['get'], { env: { GWTOKEN_CACHE_DIR: folder } });
    expectToken(run, /^gwtoken: warning/);
    expect(run.stderr).toBe(
      `gwtoken: warning: token cache ignored: ${client.dir}/a\\u000ahint: run: rm \\u001b[2K is writable by other users (mode 777)\n`,
    );
  });
});

test('without a home, what needs one says which variables to set, and the rest tells with --verbose', async ({
  needs,
}) => {
  needs('posix');
  const gw = inside();
  Object.assign(gw.env, { HOME: '', XDG_CONFIG_HOME: '', XDG_CACHE_HOME: '' });
  const lacks = (what: string, which: string) => ({
    stdout: '',
    stderr: `gwtoken: error: no home directory for ${what}\nhint: set HOME, or set GWTOKEN_${which}_DIR to a directory you own\n`,
  });
  expect(await gw.cli(['config', 'set', 'retries', '1'])).toEqual({
    code: 2,
    ...lacks('the config file', 'CONFIG'),
  });
  expect(await gw.cli(['exec', '--token-file', '--', 'true'])).toEqual({
    code: 125,
    ...lacks('the token file', 'CACHE'),
  });
  expect((await gw.cli(['get', '--verbose'])).stderr).toMatch(
    /^gwtoken: cache: cannot write the token \(ENOHOME\)$/m,
  );
});

describe('without a word', () => {
  test('when there is no home at all', async () => {
    const { HOME, XDG_CACHE_HOME, XDG_CONFIG_HOME, ...env } = client.env;
    expectToken(await runProgram(['get'], { env, cwd: client.dir }));
    expect(readdirSync(client.dir)).toEqual(['home']);
  });

  test('when a file lies in the folder’s place, or a folder in the file’s', async () => {
    mkdirSync(dirname(client.cache));
    writeFileSync(client.cache, 'not a folder');
    expectToken(await client.gwtoken(['get']));

    const other = openHome(inVariables(endpoint.authUrl));
    const entry = entryIn(other.cache);
    mkdirSync(entry, { recursive: true, mode: 0o700 });
    chmodSync(other.cache, 0o700);
    writeFileSync(join(entry, 'a file'), '');
    expectToken(await other.gwtoken(['get']));
    expect(readdirSync(other.cache).sort()).toEqual(['.locks', 'token-default-production-eu.json']);
  });

  test('but with --verbose, which tells why', async () => {
    mkdirSync(dirname(client.cache));
    writeFileSync(client.cache, 'not a folder');
    expectToken(
      await client.gwtoken(['get', '-v']),
      /^gwtoken: cache: cannot write the token \((EEXIST|ENOTDIR)\)$/m,
    );
  });

  /** Runs the program in a mount namespace of its own, which leaves nothing mounted behind. */
  const inNamespace = (setup: string, after = ':') =>
    client.gwtoken(['get'], {
      wrapper: ['unshare', '-rm', 'sh', '-c', `set -e; ${setup}; "$0" "$@"; ${after}`],
      env: { DIR: client.cache },
    });
  test('on a full disk', async ({ needs }) => {
    needs('namespace');
    mkdirSync(client.cache, { recursive: true, mode: 0o700 });
    const full =
      'mount -t tmpfs -o size=16k,mode=700 none "$DIR"; dd if=/dev/zero of="$DIR/filler" 2>/dev/null || :';
    expectToken(await inNamespace(full));
    // With room for the folder of the locks, and none for the token.
    expectToken(await inNamespace(`mount -t tmpfs -o nr_inodes=3,mode=700 none "$DIR"; : > "$DIR/filler"`));
    // What could not be written does not lie there half done.
    const listed = await inNamespace(full, 'ls -A "$DIR" >&2');
    expect(listed.stderr.trim().split('\n')).toEqual(['.locks', 'filler']);
  });

  test('in a read-only folder, where a cached token is still served', async ({ needs }) => {
    needs('namespace');
    const readOnly = 'mount --bind "$DIR" "$DIR"; mount -o remount,ro,bind "$DIR"';
    mkdirSync(client.cache, { recursive: true, mode: 0o700 });
    expectToken(await inNamespace(readOnly));
    expect(readdirSync(client.cache)).toEqual([]);

    expectToken(await client.gwtoken(['get']));
    const before = endpoint.posts.length;
    expectToken(await inNamespace(readOnly));
    expect(endpoint.posts.length).toBe(before);
  });
});
