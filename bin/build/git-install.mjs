// Repairs `npm install --global git+URL` (npm/cli#6984), as the last step of `prepare`. npm prepares a clone
// with a second npm, which inherits `--global`: it puts a link to the clone where the package belongs, and
// removes keytar there. The first npm then unpacks the package through the link, and deletes the clone.
// A directory with keytar in place of the link survives that.
import { cpSync, lstatSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';

// npm starts the second npm with --force.
const { npm_config_global_prefix: prefix = '', npm_config_force: isSecondNpm } = process.env;
const place = join(prefix, process.platform === 'win32' ? '' : 'lib', 'node_modules', 'gwtoken');
const isClone = /[\\/]_cacache[\\/]tmp[\\/]git-clone/.test(process.cwd());
if (isClone && !isSecondNpm && lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink()) {
  unlinkSync(place);
  const keytar = join('node_modules', 'keytar');
  cpSync(keytar, join(place, keytar), { recursive: true });
}
