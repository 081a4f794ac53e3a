/** What a release has of an executable: its archive, unpacked and used as a user would. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { ownTarget } from '../../bin/build/bun.mjs';
import { packExecutable } from '../../bin/build/pack.mjs';
import { filesBelow } from '../harness/homes/files';
import { openFolder } from '../harness/homes/folder';
import { missing } from '../harness/needs';
import { executable } from '../harness/programs/program';
import { ROOT } from '../harness/root';

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
const reason = missing('linux', 'bash', 'zsh', 'fish');
const run = (words: readonly string[], env: Record<string, string> = {}) =>
  execFileSync(words[0]!, words.slice(1), {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

let release: string;
beforeAll(() => {
  if (reason !== undefined) return;
  release = openFolder();
  packExecutable(ownTarget(), dirname(executable()), release);
}, 240_000);

test('unpacked, it has a program, a man page that man finds and completions that each shell finds', ({
  needs,
}) => {
  needs(reason);
  const folder = openFolder();
  const [archive = ''] = readdirSync(release);
  run(['tar', '-xzf', join(release, archive), '-C', folder]);
  expect([...filesBelow(folder).keys()].sort()).toEqual([
    'LICENSE',
    'THIRD-PARTY-NOTICES.txt',
    ...['_gwtoken', 'gwtoken.bash', 'gwtoken.fish', 'gwtoken.ps1'].map((name) => `completions/${name}`),
    'gwtoken',
    'gwtoken.1',
  ]);
  expect(run([join(folder, 'gwtoken'), '--version'])).toBe(`${version}\n`);
  const man = join(folder, 'share', 'man', 'man1');
  mkdirSync(man, { recursive: true });
  copyFileSync(join(folder, 'gwtoken.1'), join(man, 'gwtoken.1'));
  expect(run(['man', '-w', 'gwtoken'], { MANPATH: dirname(man) })).toBe(`${join(man, 'gwtoken.1')}\n`);

  const scripts = join(folder, 'completions');
  const PATH = `${folder}:${process.env['PATH']}`;
  const typed = `COMP_LINE='gwtoken log' COMP_POINT=11; _gwtoken; printf '%s ' "\${COMPREPLY[@]}"`;
  const inBash = `source '${join(scripts, 'gwtoken.bash')}'; ${typed}`;
  expect(run(['bash', '-c', inBash], { PATH }).trim().split(/\s+/)).toEqual(['login', 'logout']);
  const inZsh = `fpath=('${scripts}' $fpath); autoload -U compinit; compinit -u -D; print \${_comps[gwtoken]}`;
  expect(run(['zsh', '-fc', inZsh], { PATH })).toBe('_gwtoken\n');
  const inFish = `set -p fish_complete_path '${scripts}'; complete -C 'gwtoken log'`;
  expect(run(['fish', '--no-config', '-c', inFish], { PATH, HOME: folder })).toMatch(/^login\t.*\nlogout\t/);
});

test('packed again, it has the same bytes', ({ needs }) => {
  needs(reason);
  const again = openFolder();
  packExecutable(ownTarget(), dirname(executable()), again);
  const [[name, bytes]] = [...filesBelow(release)] as [[string, Buffer]];
  expect(filesBelow(again).get(name)?.equals(bytes)).toBe(true);
}, 240_000);
