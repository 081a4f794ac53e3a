// `npm run gwtoken -- ARGS`: runs the sources as they are, with source maps, so that a stack trace names
// their lines.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { bundleProgram, ROOT } from './package.mjs';

// Below node_modules, so that keytar is found.
const folder = join(ROOT, 'node_modules', '.cache', 'gwtoken');
await bundleProgram(folder, { forDebugging: true });
const args = ['--enable-source-maps', join(folder, 'gwtoken.cjs'), ...process.argv.slice(2)];
const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
process.exitCode = status ?? 1;
