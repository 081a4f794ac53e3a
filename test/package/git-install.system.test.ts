/** The package, built and installed from a git URL by an npm that does not run as root. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { openDirectory } from '../harness/homes/directory';
import { filesBelow } from '../harness/homes/files';
import { ROOT } from '../harness/root';

const IS_ROOT = process.getuid?.() === 0;
const NOBODY = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];

const git = (args: readonly string[], env: NodeJS.ProcessEnv = process.env) =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', env });

/** Clones this repository with its uncommitted changes, at the time of its last commit. */
function cloneInto(clone: string): void {
  const names = git(['ls-files', '-z', '--cached', '--others', '--exclude-standard']).split('\0');
  const files = names.filter((each) => each !== '' && existsSync(join(ROOT, each)));
  for (const name of files) cpSync(join(ROOT, name), join(clone, name));
  git(['-C', clone, 'init', '-q']);
  git(['-C', clone, 'add', '.']);
  const commit = ['-C', clone, '-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-qm', 'All'];
  git(commit, { ...process.env, GIT_COMMITTER_DATE: git(['log', '-1', '--format=%cI']) });
}

/** Returns the files of the built package. V8's compiled code differs from run to run, as V8 seeds its hash tables. */
const built = (directory: string) =>
  [...filesBelow(directory)].map(([name, content]) => [name, name.includes('.cjs.') ? '' : String(content)]);

/** Returns flags for the developer's registry, and for the developer's npm cache if it belongs to the same user. */
function npmOptions(): string[] {
  const keys = ['registry', 'cafile', ...(IS_ROOT ? [] : ['cache'])];
  const settings = execFileSync('npm', ['config', 'get', ...keys], { cwd: ROOT, encoding: 'utf8' });
  return (settings.match(/^.*=(?!null$|$).*$/gm) ?? []).map((setting) => `--${setting}`);
}

test('npm install --global from a git URL installs the same program with keytar', {
  timeout: 600_000,
}, ({ needs }) => {
  needs('linux', 'git');
  const home = openDirectory();
  const clone = join(home, 'clone');
  cloneInto(clone);
  if (IS_ROOT) execFileSync('chown', ['-R', '65534:65534', home]);
  const env = { HOME: home, PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter) };
  const asUser = (...words: string[]) => {
    const [program = '', ...args] = [...(IS_ROOT ? NOBODY : []), ...words];
    return execFileSync(program, args, {
      cwd: home,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  };
  const prefix = join(home, '.local');
  asUser('npm', 'install', '--global', '--prefix', prefix, ...npmOptions(), `git+file://${clone}`);
  const program = join(prefix, 'bin', 'gwtoken');
  expect(asUser(program, '--version')).toMatch(/^\d+\.\d+\.\d+\n$/);
  const installed = join(prefix, 'lib', 'node_modules', 'gwtoken');
  expect(existsSync(join(installed, 'node_modules', 'keytar', 'prebuilds'))).toBe(true);
  // A release compares the builds of two machines.
  expect(built(join(installed, 'dist'))).toEqual(built(join(ROOT, 'dist')));
});
