import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDirectory } from '../homes/directory';
import { ROOT } from '../root';
import { executable, FORM, type Words } from './program';

/** Copies the built program with this index.js in place of keytar's, or without keytar. */
export function copyProgram(keytar: string | undefined) {
  const dir = openDirectory();
  cpSync(join(ROOT, 'dist'), join(dir, 'dist'), { recursive: true });
  if (keytar !== undefined) {
    const module = join(dir, 'node_modules', 'keytar');
    mkdirSync(module, { recursive: true });
    writeFileSync(join(module, 'package.json'), '{"name":"keytar","version":"0.0.0","main":"index.js"}');
    writeFileSync(join(module, 'index.js'), keytar);
  }
  const program: Words =
    FORM === 'executable'
      ? ['env', `KEYTAR=${join(dir, 'node_modules', 'keytar')}`, executable('any-keytar')]
      : [process.execPath, join(dir, 'dist', 'gwtoken.cjs')];
  return { dir, program, childPath: join(dir, 'dist', 'keychain-child.cjs') };
}
