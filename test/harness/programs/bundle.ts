import { basename, join } from 'node:path';
import { rolldown } from 'rolldown';
import { openDirectory } from '../homes/directory';

/** Bundles a TypeScript file and its imports for Node. Returns the path of the program. */
export async function bundle(source: string): Promise<string> {
  const dir = openDirectory();
  const bundler = await rolldown({ input: source, platform: 'node', logLevel: 'silent' });
  await bundler.write({ dir, format: 'cjs', entryFileNames: '[name].cjs' });
  await bundler.close();
  return join(dir, basename(source).replace(/\.ts$/, '.cjs'));
}
