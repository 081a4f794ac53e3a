/** What a release has of an executable: its archive and its Debian package, unpacked and used as a user would. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { ownTarget } from '../../bin/build/executable.mjs';
import { pack, writeManifests } from '../../bin/build/pack.mjs';
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
  pack(ownTarget(), dirname(executable()), release);
}, 240_000);

/** Each shell completes `gwtoken log` with the script where its own loader looks. */
function expectCompletions(bash: string, zsh: string, fish: string, bin: string): void {
  const PATH = `${bin}:${process.env['PATH']}`;
  const inBash = `source '${bash}'; COMP_LINE='gwtoken log' COMP_POINT=11; _gwtoken; printf '%s ' "\${COMPREPLY[@]}"`;
  expect(run(['bash', '-c', inBash], { PATH }).trim().split(/\s+/)).toEqual(['login', 'logout']);
  const inZsh = `fpath=('${zsh}' $fpath); autoload -U compinit; compinit -u -D; print \${_comps[gwtoken]}`;
  expect(run(['zsh', '-fc', inZsh], { PATH })).toBe('_gwtoken\n');
  const inFish = `set -p fish_complete_path '${fish}'; complete -C 'gwtoken log'`;
  expect(run(['fish', '--no-config', '-c', inFish], { PATH, HOME: bin })).toMatch(/^login\t.*\nlogout\t/);
}

describe('the archive', () => {
  test('unpacked, it has a program, a man page that man finds and completions', ({ needs }) => {
    needs(reason);
    const folder = openFolder();
    const [archive = ''] = readdirSync(release).filter((name) => name.endsWith('.tar.gz'));
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
    const completions = join(folder, 'completions');
    expectCompletions(join(completions, 'gwtoken.bash'), completions, completions, folder);
  });

  test('packed again, it has the same bytes, and so has the Debian package', ({ needs }) => {
    needs(reason);
    const again = openFolder();
    pack(ownTarget(), dirname(executable()), again);
    const [first, second] = [release, again].map((folder) => filesBelow(folder));
    expect([...second!.keys()]).toEqual([...first!.keys()]);
    for (const [name, bytes] of first!) expect(second!.get(name)!.equals(bytes), name).toBe(true);
  }, 240_000);
});

test('the Debian package is installed and removed, and leaves nothing', ({ needs }) => {
  needs(reason, 'root');
  const [file = ''] = readdirSync(release).filter((name) => name.endsWith('.deb'));
  const root = openFolder();
  const state = join(root, 'var', 'lib', 'dpkg');
  for (const name of ['info', 'updates']) mkdirSync(join(state, name), { recursive: true });
  for (const name of ['status', 'available']) writeFileSync(join(state, name), '');
  const dpkg = (...words: string[]) => run(['dpkg', `--root=${root}`, '--force-depends', ...words]);
  dpkg('--install', join(release, file));
  const below = (path: string) => join(root, 'usr', path);
  expect(run([below('bin/gwtoken'), '--version'])).toBe(`${version}\n`);
  expect(run(['man', '-w', 'gwtoken'], { MANPATH: below('share/man') })).toContain('gwtoken.1.gz\n');
  expectCompletions(
    below('share/bash-completion/completions/gwtoken'),
    below('share/zsh/vendor-completions'),
    below('share/fish/vendor_completions.d'),
    below('bin'),
  );
  expect(run(['dpkg-deb', '-f', join(release, file), 'Recommends'])).toBe('libsecret-1-0\n');
  const copyright = readFileSync(below('share/doc/gwtoken/copyright'), 'utf8');
  expect(copyright).toContain('MIT License');
  expect(copyright).toContain('/usr/share/common-licenses/LGPL-2');
  dpkg('--purge', 'gwtoken');
  expect([...filesBelow(root).keys()].filter((name) => name.startsWith('usr/'))).toEqual([]);
});

test('lintian has nothing against the Debian package but what it says of itself', ({ needs }) => {
  needs(reason, 'lintian');
  const [file = ''] = readdirSync(release).filter((name) => name.endsWith('.deb'));
  run(['lintian', '--profile', 'debian', '--fail-on', 'error,warning', join(release, file)]);
});

test('the formula and the manifest have the URL and the sum of each archive', () => {
  const folder = openFolder();
  const names = ['darwin-arm64.tar.gz', 'darwin-x64.tar.gz', 'linux-arm64.tar.gz', 'linux-x64.tar.gz'];
  const zips = ['windows-x64.zip', 'windows-arm64.zip'];
  const archives = [...names, ...zips].map((name) => `gwtoken-${version}-${name}`);
  for (const name of archives) writeFileSync(join(folder, name), name);
  const url = `https://github.com/OWNER/gwtoken/releases/download/v${version}`;
  writeManifests(folder, url);
  const sum = (text: string) => createHash('sha256').update(text).digest('hex');
  const formula = readFileSync(join(folder, 'gwtoken.rb'), 'utf8');
  const pairs = [...formula.matchAll(/url "(.*)"\n +sha256 "(.*)"/g)].map(([, ...pair]) => pair);
  expect(pairs.sort()).toEqual(archives.slice(0, 4).map((name) => [`${url}/${name}`, sum(name)]));
  const { architecture } = JSON.parse(readFileSync(join(folder, 'gwtoken.json'), 'utf8'));
  expect(Object.values(architecture)).toEqual(
    archives.slice(4).map((name) => ({ url: `${url}/${name}`, hash: sum(name) })),
  );
});
