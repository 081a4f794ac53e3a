/** The archive of an executable in a release, unpacked and used. A small program stands in for the executable. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ownTarget } from '../../bin/build/bun.mjs';
import { packExecutable } from '../../bin/build/pack.mjs';
import { openDirectory } from '../harness/homes/directory';
import { filesBelow } from '../harness/homes/files';
import { linkProgram } from '../harness/programs/program';
import { ROOT } from '../harness/root';

const run = (words: readonly string[], env: Record<string, string> = {}) =>
  execFileSync(words[0]!, words.slice(1), {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

test('the archive has a program, a man page and completion scripts', ({ needs }) => {
  needs('linux', 'bash', 'zsh', 'fish');
  const [built, release, directory] = [openDirectory(), openDirectory(), openDirectory()];
  copyFileSync('/usr/bin/basename', join(built, 'gwtoken'));
  copyFileSync(join(ROOT, 'dist', 'THIRD-PARTY-NOTICES.txt'), join(built, 'THIRD-PARTY-NOTICES.txt'));
  packExecutable(ownTarget(), built, release);
  const [archive = ''] = readdirSync(release);
  run(['tar', '-xzf', join(release, archive), '-C', directory]);
  expect([...filesBelow(directory).keys()].sort()).toEqual([
    'LICENSE',
    'THIRD-PARTY-NOTICES.txt',
    ...['_gwtoken', 'gwtoken.bash', 'gwtoken.fish', 'gwtoken.ps1'].map((name) => `completions/${name}`),
    'gwtoken',
    'gwtoken.1',
  ]);
  expect(run([join(directory, 'gwtoken'), '/a/b'])).toBe('b\n');
  expect(readFileSync(join(directory, 'gwtoken.1'), 'utf8')).toMatch(/^\.TH GWTOKEN 1 /m);

  const scripts = join(directory, 'completions');
  const PATH = linkProgram(openDirectory());
  const typed = `COMP_LINE='gwtoken log' COMP_POINT=11; _gwtoken; printf '%s ' "\${COMPREPLY[@]}"`;
  const inBash = `source '${join(scripts, 'gwtoken.bash')}'; ${typed}`;
  expect(run(['bash', '-c', inBash], { PATH }).trim().split(/\s+/)).toEqual(['login', 'logout']);
  const inZsh = `fpath=('${scripts}' $fpath); autoload -U compinit; compinit -u -D; print \${_comps[gwtoken]}`;
  expect(run(['zsh', '-fc', inZsh], { PATH })).toBe('_gwtoken\n');
  const inFish = `set -p fish_complete_path '${scripts}'; complete -C 'gwtoken log'`;
  expect(run(['fish', '--no-config', '-c', inFish], { PATH, HOME: directory })).toMatch(
    /^login\t.*\nlogout\t/,
  );
});
