/** The archive of an executable in a release, unpacked and used. A small program stands in for the executable. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ownTarget } from '../../bin/build/bun.mjs';
import { packExecutable } from '../../bin/build/pack.mjs';
import { openDirectory } from '../harness/homes/directory';
import { filesBelow } from '../harness/homes/files';
import { inside } from '../harness/homes/in-process';
import { ROOT } from '../harness/root';

/** The shells of the completion scripts. zsh, fish and bash-completion load a file by this name. */
const COMPLETIONS = {
  _gwtoken: 'zsh',
  'gwtoken.bash': 'bash',
  'gwtoken.fish': 'fish',
  'gwtoken.ps1': 'powershell',
};

test('the archive has a program, a man page and completion scripts', async ({ needs }) => {
  needs('linux');
  const [built, release, directory] = [openDirectory(), openDirectory(), openDirectory()];
  copyFileSync('/usr/bin/basename', join(built, 'gwtoken'));
  copyFileSync(join(ROOT, 'dist', 'THIRD-PARTY-NOTICES.txt'), join(built, 'THIRD-PARTY-NOTICES.txt'));
  packExecutable(ownTarget(), built, release);
  const [archive = ''] = readdirSync(release);
  execFileSync('tar', ['-xzf', join(release, archive), '-C', directory]);
  expect([...filesBelow(directory).keys()].sort()).toEqual([
    'LICENSE',
    'THIRD-PARTY-NOTICES.txt',
    ...Object.keys(COMPLETIONS).map((name) => `completions/${name}`),
    'gwtoken',
    'gwtoken.1',
  ]);
  expect(execFileSync(join(directory, 'gwtoken'), ['/a/b'], { encoding: 'utf8' })).toBe('b\n');
  expect(readFileSync(join(directory, 'gwtoken.1'), 'utf8')).toMatch(/^\.TH GWTOKEN 1 /m);

  const files = filesBelow(directory);
  for (const [name, shell] of Object.entries(COMPLETIONS)) {
    const { stdout } = await inside().cli(['completion', shell]);
    expect(String(files.get(`completions/${name}`))).toBe(stdout);
  }
});
