import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDirectory } from '../homes/directory';
import { ROOT } from '../root';
import { executable, FORM, type Words } from './program';

const DIST = join(ROOT, 'dist');
const CHILD = 'keychain-child.cjs';

/** Copies the built program with this index.js in place of keytar's, or without keytar. */
export function copyProgram(keytar: string | undefined) {
  const dir = copyFiles(readdirSync(DIST), keytar);
  const program: Words =
    FORM === 'executable'
      ? ['env', `KEYTAR=${join(dir, 'node_modules', 'keytar')}`, executable('any-keytar')]
      : [process.execPath, join(dir, 'dist', 'gwtoken.cjs')];
  return { dir, program };
}

/** Copies only the keychain's child, as copyProgram() copies the whole program. */
export function copyChild(keytar: string | undefined) {
  const dir = copyFiles([CHILD], keytar);
  return { dir, childPath: join(dir, 'dist', CHILD) };
}

function copyFiles(names: readonly string[], keytar: string | undefined): string {
  const dir = openDirectory();
  mkdirSync(join(dir, 'dist'));
  for (const name of names) copyFileSync(join(DIST, name), join(dir, 'dist', name));
  if (keytar !== undefined) {
    const module = join(dir, 'node_modules', 'keytar');
    mkdirSync(module, { recursive: true });
    writeFileSync(join(module, 'package.json'), '{"name":"keytar","version":"0.0.0","main":"index.js"}');
    writeFileSync(join(module, 'index.js'), keytar);
  }
  return dir;
}
