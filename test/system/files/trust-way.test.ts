/** Who may have put a config file where it lies: two users of one machine, and the homes that people have. */
import { spawnSync } from 'node:child_process';
import { chmodSync, lchownSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { openConfig, readConfig } from '../../../src/system/files/config-file';
import type { Host } from '../../../src/system/files/paths';
import { checkPathTrust } from '../../../src/system/files/trust';
import { onCleanup } from '../../harness/clean-up';
import { openFolder } from '../../harness/homes/folder';
import { refusal } from '../../settings/refusal';

const USER = 64_001;
const STRANGER = 64_002;

let machine: Host;
let shared: string;
beforeEach(({ needs }) => {
  needs('root');
  shared = openFolder();
  chmodSync(shared, 0o1777);
  machine = { platform: process.platform, uid: USER, etc: openFolder() };
  accounts();
});

/** Writes the machine's accounts: the user's, with a group of their own, and a stranger's. */
function accounts(members = '', strangersGroup = STRANGER): void {
  const passwd = `me:x:${USER}:${USER}::/home:/bin/sh\nyou:x:${STRANGER}:${strangersGroup}::/home:/bin/sh\n`;
  writeFileSync(join(machine.etc ?? '', 'passwd'), passwd);
  writeFileSync(join(machine.etc ?? '', 'group'), `me:x:${USER}:${members}\nyou:x:${STRANGER}:\n`);
}

/** A directory or, with a text, a file below the shared directory. */
function put(name: string, uid: number, mode: number, { gid = uid, text = '' } = {}): string {
  const path = resolve(shared, name);
  if (text === '') mkdirSync(path, { recursive: true });
  else writeFileSync(path, text);
  lchownSync(path, uid, gid);
  chmodSync(path, mode);
  return path;
}
function link(name: string, uid: number, target: string): string {
  const path = resolve(shared, name);
  symlinkSync(target, path);
  lchownSync(path, uid, uid);
  return path;
}
const COMMAND = '{"credential-command":"touch /tmp/owned"}';
const config = (folder: string, uid = USER) =>
  put(join(folder, 'config.json'), uid, 0o600, { text: COMMAND });

test.for<[string, () => string]>([
  ['with a umask of 022', () => config(put('home/.config/gwtoken', USER, 0o755))],
  ['with a umask of 002 and a group of its own', () => config(put('home/.config/gwtoken', USER, 0o775))],
  ['with a config that root wrote', () => config(put('home/.config/gwtoken', 0, 0o755), 0)],
  [
    'whose config is a link to dotfiles',
    () => {
      config(put('home/dotfiles', USER, 0o755));
      return join(link('home/.config/gwtoken', USER, '../dotfiles'), 'config.json');
    },
  ],
  [
    'behind a link of root’s, as /var is on macOS',
    () => {
      config('home');
      return join(link('var', 0, 'home'), 'config.json');
    },
  ],
])('the config of a home %s is read', ([, make]) => {
  put('home', USER, 0o750);
  put('home/.config', USER, 0o755);
  expect(readConfig(make(), machine).general).toHaveProperty('credential-command');
});

test.for<[string, () => void]>([
  ['has another member', () => accounts('me,you')],
  ['is another user’s primary group', () => accounts('', USER)],
  ['is not known', () => writeFileSync(join(machine.etc ?? '', 'group'), '')],
  [
    'is not known, nor the user',
    () => {
      for (const file of ['passwd', 'group']) writeFileSync(join(machine.etc ?? '', file), '');
    },
  ],
  ['has another name', () => writeFileSync(join(machine.etc ?? '', 'group'), `us:x:${USER}:\n`)],
  ['cannot be looked up', () => rmSync(join(machine.etc ?? '', 'passwd'))],
])('a folder that its group can write to is refused if the group %s', ([, change]) => {
  const path = config(put('home', USER, 0o775));
  expect(checkPathTrust(path, machine)).toBeUndefined();
  change();
  expect(checkPathTrust(path, machine)).toMatchObject({ why: 'open', path: join(shared, 'home') });
});

test('a folder that all can write to is refused behind a read-only mount too: elsewhere it is not', ({
  needs,
}) => {
  needs('namespace');
  const path = config(put('map', 0, 0o777), 0);
  expect(spawnSync('mount', ['--bind', '-o', 'ro', dirname(path), dirname(path)]).status).toBe(0);
  onCleanup(() => spawnSync('umount', [dirname(path)]));
  expect(checkPathTrust(path, machine)).toMatchObject({ why: 'open' });
});

test('a file that was opened is refused if it is gone, or another one, when its path is checked', () => {
  const opened = statSync(config(put('mine', USER, 0o755)));
  const path = join(shared, 'way', 'config.json');
  expect(checkPathTrust(path, machine)).toBeUndefined();
  expect(checkPathTrust(path, machine, opened)).toMatchObject({ why: 'changed' });
  config(put('way', USER, 0o755));
  expect(checkPathTrust(path, machine, opened)).toMatchObject({ why: 'changed' });
  expect(checkPathTrust(path, machine, statSync(path))).toBeUndefined();
});

const belongs = `belongs to another user (uid ${STRANGER})`;
const asOwner = 'run gwtoken as its owner, or set GWTOKEN_CONFIG_DIR to a directory you own';
test.for<[string, () => string, string, string]>([
  [
    'in a directory of theirs',
    () => config(put('theirs', STRANGER, 0o755), 0),
    `is reached through SHARED/theirs, which ${belongs}`,
    asOwner,
  ],
  [
    'below a directory that all can write to',
    () => {
      put('open', USER, 0o777);
      return config(put('open/gwtoken', USER, 0o700));
    },
    'is reached through SHARED/open, which is writable by other users (mode 777)',
    'run: chmod go-w SHARED/open',
  ],
  [
    'below a directory of a group that has others in it',
    () => {
      put('group', USER, 0o775, { gid: 100 });
      return config(put('group/gwtoken', USER, 0o700));
    },
    'is reached through SHARED/group, which is writable by other users (mode 775)',
    'run: chmod go-w SHARED/group',
  ],
  [
    'through a link of theirs to a file of root’s',
    () => link('config.json', STRANGER, '/proc/version'),
    belongs,
    asOwner,
  ],
  [
    'through a link of theirs in the middle of the way',
    () => {
      config(put('mine', USER, 0o755));
      return join(link('link', STRANGER, 'mine'), 'config.json');
    },
    `is reached through SHARED/link, which ${belongs}`,
    asOwner,
  ],
])('a config that another user can put there is refused: %s', async ([, make, says, hint]) => {
  const path = make();
  expect(refusal(() => readConfig(path, machine))).toEqual({
    message: `config file ${path} ${says}`.replaceAll('SHARED', shared),
    hints: [hint.replace('SHARED', shared)],
  });
  // Nothing is written there either.
  const { checkWritable } = openConfig(dirname(path), machine).config;
  await expect(checkWritable()).rejects.toThrow('gwtoken will not write to it');
});

test('root creates nothing in a user’s home, and follows no link of the user’s', async () => {
  const home = put('home', USER, 0o755);
  put('of root', 0, 0o700);
  link('home/.config', USER, '../of root');
  for (const folder of [join(home, 'new'), join(home, '.config', 'gwtoken')])
    await expect(openConfig(folder, { ...machine, uid: 0 }).config.checkWritable()).rejects.toThrow(
      /belongs to another user \(uid 64001\); gwtoken will not write to it$/,
    );
});
