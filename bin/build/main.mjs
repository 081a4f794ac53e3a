// Started by package.json's scripts: `package`, `action` or `executable` builds that form, `run ARGS` runs
// the sources as they are. --all: the executable for every platform; --pack: also a release's, in release/.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ownTarget } from './bun.mjs';
import { buildExecutable, EXECUTABLES, TARGETS } from './executable.mjs';
import { packAction, packExecutable } from './pack.mjs';
import { buildAction, buildPackage, bundleProgram, ROOT } from './package.mjs';

const [what, ...words] = process.argv.slice(2);
const packs = words.includes('--pack');
const release = join(ROOT, 'release');
const action = join(ROOT, '.github', 'actions', 'gwtoken', 'dist');
if (packs) mkdirSync(release, { recursive: true });

// The man page and the completion scripts of an archive are the package's.
if (what === 'package' || (what === 'executable' && packs)) await buildPackage(join(ROOT, 'dist'));
if (what === 'action') {
  await buildAction(action);
  copyFileSync(join(ROOT, 'LICENSE'), join(action, 'LICENSE'));
  if (packs) packAction(dirname(action), release);
}
if (what === 'executable') {
  const all = words.includes('--all');
  for (const target of all ? Object.keys(TARGETS) : [ownTarget()]) {
    const directory = all ? join(EXECUTABLES, target) : EXECUTABLES;
    console.log(await buildExecutable(target, directory));
    if (packs) packExecutable(target, directory, release);
  }
}
if (what === 'run') {
  // Below node_modules, so that keytar is found; a stack trace names the lines of the sources.
  const directory = join(ROOT, 'node_modules', '.cache', 'gwtoken');
  await bundleProgram(directory, { forDebugging: true });
  const args = ['--enable-source-maps', join(directory, 'program.cjs'), ...words];
  process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
}
