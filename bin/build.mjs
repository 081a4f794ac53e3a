// One bundler run: src/ becomes dist/, CommonJS (an ES module entry costs 4 ms at every start on Node 20),
// cut into files at each dynamic import(), so that the source alone decides what is loaded late.
// keytar stays outside: it is native, optional, and read from node_modules when it is needed.
import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/**
 * commander loads node:child_process, 3 ms at every start, for subcommands that are programs: gwtoken has none.
 * @type {import('rolldown').Plugin}
 */
const lateChildProcess = {
  name: 'late-child-process',
  transform(code, id) {
    if (!/commander[\\/]lib[\\/]command\.js$/.test(id)) return undefined;
    const eager = "const childProcess = require('node:child_process');";
    if (!code.includes(eager)) throw new Error(`${id} loads node:child_process in another way now`);
    const late = "const childProcess = { spawn: (...args) => require('node:child_process').spawn(...args) };";
    return { code: code.replace(eager, late), map: null };
  },
};

rmSync(join(root, 'dist'), { recursive: true, force: true });
const bundle = await rolldown({
  cwd: root,
  input: { main: 'src/main.ts' },
  platform: 'node',
  external: ['keytar'],
  moduleTypes: { '.md': 'text' },
  plugins: [lateChildProcess],
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
