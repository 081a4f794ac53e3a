/**
 * The Dockerfiles of `gwtoken help ci`, built and run by buildah, which needs no engine and no registry: what they are
 * built from is made of this machine's own programs, under the same names.
 */

import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { blocksUnder } from '../documents/topic-blocks';
import { openFolder } from '../harness/homes/folder';
import { openHome } from '../harness/homes/home';
import { runCommand } from '../harness/programs/program';

const PROGRAMS = [
  '/bin/sh',
  ...['cat', 'curl', 'gzip', 'sha256sum', 'tar'].map((name) => `/usr/bin/${name}`),
];
/** What Debian's base image has beside what these need. */
const LIBRARIES = ['libc.so.6', 'libdl.so.2', 'libm.so.6', 'libpthread.so.0'];

const isX64 = process.arch === 'x64' ? undefined : 'needs x64';

/** buildah with a storage of its own, in which Debian's images are already. */
async function openBuildah() {
  const dir = openFolder();
  const { env } = openHome();
  const storage = ['--root', join(dir, 'root'), '--runroot', join(dir, 'run'), '--storage-driver', 'vfs'];
  const buildah = async (args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    runCommand(['buildah', ...storage, ...args], { env: { ...env, ...more }, timeoutMs: 120_000 });
  const base = join(dir, 'base');
  const libraries = PROGRAMS.flatMap(
    (path) => execFileSync('ldd', [path], { encoding: 'utf8' }).match(/\/\S+/g) ?? [],
  );
  const others = LIBRARIES.map((name) => `/lib/x86_64-linux-gnu/${name}`);
  for (const path of [...PROGRAMS, ...libraries, ...others]) {
    mkdirSync(join(base, dirname(path)), { recursive: true });
    copyFileSync(path, join(base, path));
  }
  mkdirSync(join(base, 'tmp'));
  writeFileSync(join(dir, 'Dockerfile'), 'FROM scratch\nCOPY base /\n');
  const names = ['docker.io/library/debian:12-slim', 'docker.io/library/buildpack-deps:bookworm-curl'];
  const made = await buildah(['bud', '--isolation', 'chroot', ...names.flatMap((name) => ['-t', name]), dir]);
  expect(made.code, made.stderr).toBe(0);
  /** What `docker build` is given, but for the folder. */
  const build = (folder: string, args: readonly string[], more = {}) =>
    buildah(['bud', '--pull-never', '--isolation', 'chroot', ...args, folder], more);
  return { dir, buildah, build };
}

const codeIn = (wanted: string) =>
  blocksUnder('Docker').flatMap(({ language, code }) => (language === wanted ? [code] : []));
const dockerfiles = codeIn('dockerfile');
const shells = codeIn('sh');

test('a build gets the token as a secret, and the image does not have it', async ({ needs }) => {
  needs('root', 'buildah', 'curl', isX64);
  const { dir, buildah, build } = await openBuildah();
  const context = join(dir, 'context');
  mkdirSync(context);
  writeFileSync(join(context, 'Dockerfile'), dockerfiles[0]!);
  // The token itself would be in the image if the script kept it.
  const script = '#!/bin/sh\nprintf %s "$GWTOKEN_ACCESS_TOKEN" | sha256sum > downloaded\n';
  writeFileSync(join(context, 'download.sh'), script, { mode: 0o755 });
  const [, names = ''] = /docker build (.*) \.$/m.exec(shells[0]!) ?? [];
  expect(names).toBe('--secret id=token,env=GWTOKEN_ACCESS_TOKEN');
  const built = await build(context, ['-t', 'built', ...names.split(' ')], {
    GWTOKEN_ACCESS_TOKEN: 'canary-token',
  });
  expect(built.code, built.stderr).toBe(0);
  await buildah(['from', '--name', 'container', 'localhost/built']);
  const root = (await buildah(['mount', 'container'])).stdout.trim();
  const sum = execFileSync('sha256sum', { input: 'canary-token', encoding: 'utf8' });
  expect(readFileSync(join(root, 'downloaded'), 'utf8')).toBe(sum);
  await buildah(['push', 'localhost/built', `dir:${join(dir, 'pushed')}`]);
  const found = await runCommand(['grep', '-rl', 'canary-token', root, join(dir, 'pushed')], { env: {} });
  expect(found.stdout).toBe('');
});
