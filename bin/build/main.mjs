// Started by the scripts of package.json. `package`, `action` or `executable` builds that form. --all builds the
// executables of all platforms; --pack also packs them into release/.
import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ownTarget } from './bun.mjs';
import { buildExecutable, EXECUTABLES, TARGETS } from './executable.mjs';
import { packAction, packExecutable } from './pack.mjs';
import { buildPackage, bundleForNode, ROOT } from './package.mjs';

const [what, ...options] = process.argv.slice(2);
const packs = options.includes('--pack');
const release = join(ROOT, 'release');
const action = join(ROOT, '.github', 'actions', 'gwtoken', 'dist');
if (packs) mkdirSync(release, { recursive: true });

// The archives contain the man page and the completion scripts of the package.
if (what === 'package' || (what === 'executable' && packs)) await buildPackage(join(ROOT, 'dist'));
if (what === 'action') {
  // Git ignores the action's program: release.yml adds it to a separate commit.
  await bundleForNode(action, { action: 'bin/gwtoken-action.ts' });
  copyFileSync(join(ROOT, 'LICENSE'), join(action, 'LICENSE'));
  if (packs) packAction(dirname(action), release);
}
if (what === 'executable') {
  const all = options.includes('--all');
  for (const target of all ? Object.keys(TARGETS) : [ownTarget()]) {
    const directory = all ? join(EXECUTABLES, target) : EXECUTABLES;
    console.log(await buildExecutable(target, directory));
    if (packs) packExecutable(target, directory, release);
  }
}
