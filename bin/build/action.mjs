// The GitHub action's program: bin/gwtoken-action.ts and all that it needs as one file, committed beside action.yml, since the
// runner takes an action from the repository as it is. `--check` fails where git has another one than the sources make.
import { execFileSync } from 'node:child_process';
import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const FILE = '.github/actions/gwtoken/gwtoken.cjs';
const HEAD = '// Generated from bin/gwtoken-action.ts by `npm run build`: change it there.\n';

/** The program's text: the same on every machine that has the packages of the lock file. */
export async function buildAction() {
  const bundle = await rolldown({
    cwd: root,
    input: 'bin/gwtoken-action.ts',
    platform: 'node',
    transform: {
      define: { __VERSION__: JSON.stringify(version), __EXECUTABLE__: 'false' },
      target: 'node24',
    },
    plugins: [withoutUndici],
  });
  const { output } = await bundle.generate({ format: 'cjs', codeSplitting: false, minify: true });
  await bundle.close();
  const packages = output[0].moduleIds.filter((id) => id.includes('node_modules'));
  // Its licence would have to be passed on with it, and the text would no longer be short enough for a review.
  if (packages.length > 0) throw new Error(`the action has ${packages.join(', ')} in it`);
  return HEAD + output[0].code;
}

/**
 * Node's own HTTP in undici's place: what calls its functions for a client calls the client's own of that name.
 * @type {import('rolldown').Plugin}
 */
const withoutUndici = {
  name: 'without-undici',
  resolveId(id) {
    if (id === './one-socket') return join(root, 'src', 'system', 'wire', 'one-socket.action.ts');
    return id.startsWith('undici/lib/api/') ? `\0${id}` : undefined;
  },
  load(id) {
    const name = /^\0undici\/lib\/api\/api-(\w+)\.js$/.exec(id)?.[1];
    return name && `export default function (asked) { return this.${name}(asked); }`;
  },
};

export async function writeAction() {
  writeFileSync(join(root, FILE), await buildAction());
}

/** What the next commit will have: the file itself may have been built a moment ago. */
function committed() {
  try {
    return execFileSync('git', ['show', `:${FILE}`], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return undefined;
  }
}

// Run and not imported: import.meta.main is younger than Node 20.
const started = process.argv[1] === undefined ? '' : realpathSync(process.argv[1]);
if (started === fileURLToPath(import.meta.url)) {
  if (!process.argv.includes('--check')) await writeAction();
  else if (committed() !== (await buildAction())) {
    throw new Error(`${FILE} is not what the sources make: run \`npm run build\`, and \`git add\` that file`);
  }
}
