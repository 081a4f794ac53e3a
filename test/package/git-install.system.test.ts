/** The package, installed from a git URL by an npm that does not run as root. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { openDirectory } from '../harness/homes/directory';
import { ROOT } from '../harness/root';

const IS_ROOT = process.getuid?.() === 0;
const NOBODY = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];

test('npm install --global from a git URL installs a working program with keytar', {
  timeout: 600_000,
}, ({ needs }) => {
  needs('linux', 'git');
  const home = openDirectory();
  const clone = join(home, 'clone');
  const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  // The clone also gets uncommitted changes.
  const names = git('ls-files', '-z', '--cached', '--others', '--exclude-standard').split('\0');
  for (const name of names.filter((each) => each !== '' && existsSync(join(ROOT, each))))
    cpSync(join(ROOT, name), join(clone, name));
  git('-C', clone, 'init', '-q');
  git('-C', clone, 'add', '.');
  git('-C', clone, '-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-qm', 'All');
  if (IS_ROOT) execFileSync('chown', ['-R', '65534:65534', home]);

  // Uses the developer's registry, and the developer's npm cache if it belongs to the same user.
  const options = ['registry', 'cafile', ...(IS_ROOT ? [] : ['cache'])]
    .map((key) => [key, execFileSync('npm', ['config', 'get', key], { cwd: ROOT, encoding: 'utf8' }).trim()])
    .flatMap(([key, value]) => (value === 'null' ? [] : [`--${key}=${value}`]));
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
  asUser('npm', 'install', '--global', '--prefix', prefix, ...options, `git+file://${clone}`);
  const program = join(prefix, 'bin', 'gwtoken');
  expect(asUser(program, '--version')).toMatch(/^\d+\.\d+\.\d+\n$/);
  const installed = join(prefix, 'lib', 'node_modules', 'gwtoken', 'node_modules');
  expect(existsSync(join(installed, 'keytar', 'prebuilds'))).toBe(true);
});
