// Started by the scripts of package.json. `package`, `action` or `executable` builds that form, `run ARGS`
// runs the sources. --all builds the executables of all platforms; --pack also packs them into release/.
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

// The archives contain the man page and the completion scripts of the package.
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
  // Builds below node_modules, so that Node finds keytar. Source maps give stack traces the sources' lines.
  const directory = join(ROOT, 'node_modules', '.cache', 'gwtoken');
  await bundleProgram(directory, { forDebugging: true });
  const args = ['--enable-source-maps', join(directory, 'gwtoken.cjs'), ...words];
  process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
}
