// One bundler run: src/ becomes dist/, CommonJS (an ES module entry costs 4 ms at every start on Node 20),
// cut into files at each dynamic import(), so that the source alone decides what is loaded late.
// keytar stays outside: it is native, optional, and read from node_modules when it is needed.
import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

rmSync(join(root, 'dist'), { recursive: true, force: true });
const bundle = await rolldown({
  cwd: root,
  // The keychain's child is a program of its own (src/system/keychain-child.ts says why).
  input: { main: 'src/main.ts', 'keychain-child': 'src/system/keychain-child.ts' },
  platform: 'node',
  external: [/^keytar(\/|$)/],
  moduleTypes: { '.md': 'text' },
  transform: { define: { __VERSION__: JSON.stringify(version) }, target: 'node20' },
});
await bundle.write({
  dir: join(root, 'dist'),
  format: 'cjs',
  entryFileNames: '[name].cjs',
  chunkFileNames: '[name].cjs',
  minify: true,
});
await bundle.close();
