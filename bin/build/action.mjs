// The GitHub action's program, in a folder beside action.yml that git ignores: release.yml puts it on a commit of its own.
import { copyFileSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tar } from './pack.mjs';
import { bundle, GROUPS } from './package.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
export const ACTION = join(root, '.github', 'actions', 'gwtoken', 'dist');

/** @param {string} folder */
export const buildAction = (folder) =>
  bundle(folder, {
    input: { action: 'bin/gwtoken-action.ts' },
    external: [/^keytar(\/|\.|$)/],
    define: { __EXECUTABLE__: 'false' },
    codeSplitting: { groups: GROUPS },
  });

// Run and not imported: import.meta.main is younger than Node 20.
const started = process.argv[1] === undefined ? '' : realpathSync(process.argv[1]);
if (started === fileURLToPath(import.meta.url)) {
  await buildAction(ACTION);
  copyFileSync(join(root, 'LICENSE'), join(ACTION, 'LICENSE'));
  if (process.argv.includes('--pack'))
    tar(dirname(ACTION), ['dist'], join(root, 'release', `gwtoken-${version}-action.tar.gz`));
}
