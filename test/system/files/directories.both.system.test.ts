/** Directories that cannot be written: a cache costs only itself, and a config may be read whatever its mode is. */
import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { startTokenEndpoint, type TokenEndpoint } from '../../harness/endpoints/token-endpoint';
import { inVariables } from '../../harness/homes/client';
import { type Home, openHome } from '../../harness/homes/home';
import type { ProgramResult } from '../../harness/programs/program';

/** Runs what follows in a new mount namespace, whose mounts disappear when it ends. */
function namespace(setup: string, after = ':'): string[] {
  return ['unshare', '-rm', 'sh', '-c', `set -e; ${setup}; "$0" "$@"; ${after}`];
}
const READ_ONLY = 'mount --bind "$DIR" "$DIR"; mount -o remount,ro,bind "$DIR"';

test('a config is read from a read-only directory like that of a ConfigMap', async ({ needs }) => {
  needs('namespace');
  const home = openHome();
  mkdirSync(join(home.config, '..2030'), { recursive: true });
  writeFileSync(join(home.config, '..2030', 'config.json'), '{"region":"eu"}');
  symlinkSync('..2030', join(home.config, '..data'));
  symlinkSync(join('..data', 'config.json'), join(home.config, 'config.json'));
  chmodSync(home.config, 0o777);
  const get = (wrapper: string[]) =>
    home.gwtoken(['config', 'get', 'region'], { wrapper, env: { DIR: home.config } });
  expect(await get(namespace(READ_ONLY))).toMatchObject({ code: 0, stdout: 'eu\n', stderr: '' });
  const refused = { code: 2, stderr: expect.stringContaining('is writable by other') };
  expect(await get([])).toMatchObject(refused);
  // It may be writable through another mount, for example on a container's host.
  chmodSync(join(home.config, 'config.json'), 0o666);
  expect(await get(namespace(READ_ONLY))).toMatchObject(refused);
});

describe('get with a cache that cannot be written', () => {
  let endpoint: TokenEndpoint;
  let client: Home;
  beforeEach(async ({ needs }) => {
    needs('namespace');
    endpoint = await startTokenEndpoint();
    client = openHome(inVariables(endpoint.authUrl));
    mkdirSync(client.cache, { recursive: true, mode: 0o700 });
  });

  function expectToken(ended: ProgramResult): void {
    expect(ended).toMatchObject({ code: 0, stdout: `token-${endpoint.posts.length}\n`, stderr: '' });
  }
  const inNamespace = (setup: string, after?: string) =>
    client.gwtoken(['get'], { wrapper: namespace(setup, after), env: { DIR: client.cache } });

  test('prints a token on a full disk and leaves no partial file', async () => {
    const full =
      'mount -t tmpfs -o size=16k,mode=700 none "$DIR"; dd if=/dev/zero of="$DIR/filler" 2>/dev/null || :';
    expectToken(await inNamespace(full));
    // This file system has room for the lock, but not for the token.
    expectToken(await inNamespace(`mount -t tmpfs -o nr_inodes=3,mode=700 none "$DIR"; : > "$DIR/filler"`));
    // A failed write leaves no partial file.
    const listed = await inNamespace(full, 'ls -A "$DIR" >&2');
    expect(listed.stderr.trim().split('\n')).toEqual(['filler']);
  });

  test('prints a token in a read-only directory', async () => {
    expectToken(await inNamespace(READ_ONLY));
    expect(readdirSync(client.cache)).toEqual([]);
  });

  test('uses a cached token from a read-only directory', async () => {
    expectToken(await client.gwtoken(['get']));
    const before = endpoint.posts.length;
    expectToken(await inNamespace(READ_ONLY));
    expect(endpoint.posts.length).toBe(before);
  });
});
