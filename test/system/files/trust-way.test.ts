/** Who may have put a config file where it lies: two users of one machine, and the homes that people have. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, lchownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { checkWritable, readConfig } from '../../../src/system/files/config-file';
import { distrustWay } from '../../../src/system/files/trust';
import { onCleanup } from '../../harness/clean-up';
import { openFolder } from '../../harness/homes/folder';
import { refusal } from '../../settings/refusal';

const USER = 64_001;
const STRANGER = 64_002;
const machine = { platform: process.platform, uid: USER };

let shared: string;
beforeEach(({ needs }) => {
  needs('root');
  shared = openFolder();
  chmodSync(shared, 0o1777);
});

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

describe('an ordinary home', () => {
  test.for<[string, () => void]>([
    ['with a umask of 022', () => put('home/.config/gwtoken', USER, 0o755)],
    ['with a umask of 002 and a group of the user’s own', () => put('home/.config/gwtoken', USER, 0o775)],
    ['of root, with a config that root wrote', () => put('home/.config/gwtoken', 0, 0o755)],
    ['whose config is a link to dotfiles', () => put('home/dotfiles', USER, 0o755)],
  ])('%s is taken', ([, make]) => {
    const home = put('home', USER, 0o750);
    put('home/.config', USER, 0o755);
    make();
    const real = existsSync(join(home, 'dotfiles')) ? 'home/dotfiles' : 'home/.config/gwtoken';
    config(real);
    if (real.endsWith('dotfiles')) link('home/.config/gwtoken', USER, '../dotfiles');
    const path = join(home, '.config/gwtoken/config.json');
    expect(distrustWay(path, machine)).toBeUndefined();
    expect(readConfig(path, machine).general).toHaveProperty('credential-command');
  });

  test('behind a link of root’s, as /var is on macOS, is taken', () => {
    put('private', 0, 0o755);
    put('private/home', USER, 0o755);
    link('var', 0, 'private');
    config('private/home');
    expect(distrustWay(join(shared, 'var/home/config.json'), machine)).toBeUndefined();
  });

  test('without a config is taken whatever it is like', () => {
    expect(readConfig(join(put('home', STRANGER, 0o777), 'config.json'), machine).general).toEqual({});
  });

  test('that is a mounted ConfigMap, open to all and read-only, is taken', ({ needs }) => {
    needs('namespace');
    put('map', 0, 0o777);
    put('map/config.json', 0, 0o644, { text: '{"region":"eu"}' });
    const path = join(shared, 'map', 'config.json');
    expect(distrustWay(path, machine)).toMatchObject({ why: 'open' });
    const mount = ['mount', '--bind', '-o', 'ro', dirname(path), dirname(path)];
    expect(spawnSync(mount[0]!, mount.slice(1)).status).toBe(0);
    onCleanup(() => spawnSync('umount', [dirname(path)]));
    expect(distrustWay(path, machine)).toBeUndefined();
  });
});

describe('a config that another user can put there', () => {
  const belongs = `belongs to another user (uid ${STRANGER})`;
  const asAnother = 'run gwtoken as that user, or set GWTOKEN_CONFIG_DIR to a directory you own';

  test.for<[string, () => string, string, string]>([
    [
      'in a directory of theirs',
      () => config(put('theirs', STRANGER, 0o755), 0),
      `theirs, which ${belongs}`,
      asAnother,
    ],
    [
      'below a directory that all can write to',
      () => {
        put('open', USER, 0o777);
        return config(put('open/gwtoken', USER, 0o700));
      },
      'open, which is writable by other users (mode 777)',
      'run: chmod go-w SHARED/open',
    ],
    [
      'below a directory of a group that has others in it',
      () => {
        put('group', USER, 0o775, { gid: 100 });
        return config(put('group/gwtoken', USER, 0o700));
      },
      'group, which is writable by other users (mode 775)',
      'run: chmod go-w SHARED/group',
    ],
    [
      'through a link of theirs to a file of root’s',
      () => link('config.json', STRANGER, '/proc/version'),
      `config.json, which ${belongs}`,
      asAnother,
    ],
    [
      'through a link of theirs in the middle of the way',
      () => {
        config(put('mine', USER, 0o755));
        return join(link('link', STRANGER, 'mine'), 'config.json');
      },
      `link, which ${belongs}`,
      asAnother,
    ],
  ])('%s is refused', ([, make, culprit, hint]) => {
    const path = make();
    const { message, hints } = refusal(() => readConfig(path, machine));
    const says = culprit.startsWith('config.json')
      ? culprit.replace('config.json, which ', '')
      : `is reached through ${shared}/${culprit}`;
    expect({ message, hints }).toEqual({
      message: `config file ${path} ${says}`,
      hints: [hint.replace('SHARED', shared)],
    });
    // Nothing is written there either.
    expect(() => checkWritable(dirname(path), machine)).toThrow('gwtoken will not write to it');
  });
});

test('root creates nothing in a user’s home, and follows no link of the user’s', () => {
  const home = put('home', USER, 0o755);
  const target = put('of root', 0, 0o700);
  link('home/.config', USER, target);
  for (const folder of [join(home, 'new'), join(home, '.config', 'gwtoken')])
    expect(refusal(() => checkWritable(folder, { ...machine, uid: 0 })).message).toMatch(
      /belongs to another user \(uid 64001\); gwtoken will not write to it$/,
    );
});
