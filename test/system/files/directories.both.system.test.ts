/** A cache that cannot be written stops no command and causes no message. */
import { mkdirSync, readdirSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { startTokenEndpoint, type TokenEndpoint } from '../../harness/endpoints/token-endpoint';
import { inVariables } from '../../harness/homes/client';
import { type Home, openHome } from '../../harness/homes/home';
import type { ProgramResult } from '../../harness/programs/program';

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
  /** Runs get in a new mount namespace, whose mounts disappear when get ends. */
  const inNamespace = (setup: string, after = ':') =>
    client.gwtoken(['get'], {
      wrapper: ['unshare', '-rm', 'sh', '-c', `set -e; ${setup}; "$0" "$@"; ${after}`],
      env: { DIR: client.cache },
    });

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

  const readOnly = 'mount --bind "$DIR" "$DIR"; mount -o remount,ro,bind "$DIR"';

  test('prints a token in a read-only directory', async () => {
    expectToken(await inNamespace(readOnly));
    expect(readdirSync(client.cache)).toEqual([]);
  });

  test('uses a cached token from a read-only directory', async () => {
    expectToken(await client.gwtoken(['get']));
    const before = endpoint.posts.length;
    expectToken(await inNamespace(readOnly));
    expect(endpoint.posts.length).toBe(before);
  });
});
