/** The directories that gwtoken uses, by variables and platform, and what happens if they cannot be used. */
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { startTokenEndpoint, type TokenEndpoint } from '../../harness/endpoints/token-endpoint';
import { entryIn, inVariables } from '../../harness/homes/client';
import { type Home, openHome } from '../../harness/homes/home';
import { inside } from '../../harness/homes/in-process';
import type { ProgramResult } from '../../harness/programs/program';

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
/** Twice, since a token that was kept after all would be served the second time. */
test('a cache that others can write to: a token, one warning, no reading and no writing', async ({
  needs,
}) => {
  needs('posix');
  const folder = join(client.dir, 'a\nhint: run: rm \x1b[2K');
  mkdirSync(folder, { mode: 0o700 });
  chmodSync(folder, 0o777);
  // On one line, whatever it is called.
  const shown = `${client.dir}/a\\u000ahint: run: rm \\u001b[2K is writable by other users (mode 777)`;
  for (let call = 1; call <= 2; call++) {
    const run = await client.gwtoken(['get'], { env: { GWTOKEN_CACHE_DIR: folder } });
    expectToken(run, /^gwtoken: warning/);
    expect(run.stderr).toBe(`gwtoken: warning: token cache ignored: ${shown}\n`);
    expect(endpoint.posts.length).toBe(call);
  }
  expect(readdirSync(folder)).toEqual([]);
});

test('exec --token-file without a home says which variables to set', async ({ needs }) => {
  needs('posix');
  const gw = inside();
  Object.assign(gw.env, { HOME: '', XDG_CONFIG_HOME: '', XDG_CACHE_HOME: '' });
  expect(await gw.cli(['exec', '--token-file', '--', 'true'])).toEqual({
    code: 125,
    stdout: '',
    stderr:
      'gwtoken: error: no home directory for the token file\nhint: set HOME, or set GWTOKEN_CACHE_DIR to a directory you own\n',
  });
});

describe('without a word', () => {
  test('but with -v, when a file lies in the folder’s place, or a folder in the file’s', async () => {
    mkdirSync(dirname(client.cache));
    writeFileSync(client.cache, 'not a folder');
    const why = /^gwtoken: cache: cannot write the token \((EEXIST|ENOTDIR)\)$/m;
    expectToken(await client.gwtoken(['get']));
    expectToken(await client.gwtoken(['get', '-v']), why);

    const other = openHome(inVariables(endpoint.authUrl));
    const entry = entryIn(other.cache);
    mkdirSync(entry, { recursive: true, mode: 0o700 });
    chmodSync(other.cache, 0o700);
    writeFileSync(join(entry, 'a file'), '');
    expectToken(await other.gwtoken(['get']));
    expect(readdirSync(other.cache).sort()).toEqual(['.locks', 'token-default-production-eu.json']);
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
