/** Trust in files by owner and mode. Root may own the config; only the user may own the cache. */
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { openConfig, readConfig } from '../../../src/system/files/config-file';
import { directoryOf, type Host } from '../../../src/system/files/paths';
import { entryPath, openTokens } from '../../../src/system/files/token-cache';
import {
  assertUsable,
  makeDirectory,
  prepareDirectory,
  probeDirectory,
} from '../../../src/system/files/trust';
import { onCleanup } from '../../harness/clean-up';
import { EU_KEY, MACHINE } from '../../harness/homes/client';
import { openDirectory } from '../../harness/homes/directory';
import { refusal } from '../../settings/refusal';

const STRANGER = 64_002;
const AS_OWNER = 'run gwtoken as its owner, or set GWTOKEN_CONFIG_DIR to a directory you own';

let directory: string;
let file: string;
let entry: string;
beforeEach(() => {
  directory = join(openDirectory(), "the user's");
  file = join(directory, 'config.json');
  entry = entryPath(directory, EU_KEY);
  mkdirSync(directory, { mode: 0o700 });
  writeFileSync(entry, 'an entry', { mode: 0o600 });
  writeFileSync(file, '{"region":"eu"}', { mode: 0o600 });
});

const cached = (path = directory, host = MACHINE) => openTokens(path, host).read(EU_KEY);
const config = (host = MACHINE) => openConfig(directory, host).config;
const EDIT = { key: 'retries', value: '1' };
const edit = (host = MACHINE) => config(host).edit(EDIT);
const READ = { general: { region: 'eu' } };
const SERVED = { text: 'an entry' };

describe('trust in files', () => {
  beforeEach(({ needs }) => needs('posix'));

  test('a config that others can write to is rejected with the chmod to type', () => {
    const word = (path: string) => `'${path.replaceAll("'", "'\\''")}'`;
    for (const [path, owner] of [
      [directory, 0o700],
      [file, 0o600],
    ] as const) {
      for (let others = 0; others <= 0o77; others++) {
        const mode = owner | others;
        chmodSync(path, mode);
        const text = `is writable by other users (mode ${mode.toString(8)})`;
        if ((others & 0o22) !== 0)
          expect(refusal(() => config().read())).toEqual({
            message: `${path} ${text}`,
            hints: [`run: chmod go-w ${word(path)}`],
          });
        else expect(config().read()).toMatchObject(READ);
      }
      chmodSync(path, owner);
    }
  });

  test('a cache directory with any bit for others is ignored with the chmod to type', () => {
    for (let others = 1; others <= 0o77; others++) {
      chmodSync(directory, 0o700 | others);
      const text = `is accessible to other users (mode ${(0o700 | others).toString(8)})`;
      const chmod = `chmod 700 '${directory.replaceAll("'", "'\\''")}'`;
      expect(cached()).toEqual({ untrusted: `${directory} ${text}; run: ${chmod}` });
      expect(probeDirectory('cache', directory, MACHINE)).toEqual({
        text: `${directory} ${text}`,
        hints: [`run: ${chmod}`],
      });
    }
    chmodSync(directory, 0o700);
    expect(cached()).toEqual(SERVED);
  });

  test('a cache file with any bit for others is a miss, and the next token replaces it', async () => {
    for (const others of [0o004, 0o040, 0o020, 0o077]) {
      chmodSync(entry, 0o600 | others);
      expect(cached()).toEqual({});
      expect(await openTokens(directory, MACHINE).write(EU_KEY, 'an entry')).toBeUndefined();
      expect(statSync(entry).mode & 0o777).toBe(0o600);
      expect(cached()).toEqual(SERVED);
    }
  });

  test('gwtoken writes nothing into a directory that others can write to', async () => {
    const open = join(dirname(directory), 'open');
    mkdirSync(open);
    chmodSync(open, 0o777);
    const { config, clients } = openConfig(open, MACHINE);
    // An empty directory has no file of another user, so reading is allowed.
    expect(config.read()).toMatchObject({ general: {} });
    const refused = {
      kind: 'usage',
      message: `${open} is writable by other users (mode 777)`,
    };
    await expect(config.checkWritable()).rejects.toMatchObject(refused);
    await expect(config.edit(EDIT)).rejects.toMatchObject(refused);
    await expect(clients.remove('default:production:eu')).rejects.toMatchObject(refused);
    expect(await openTokens(open, MACHINE).write(EU_KEY, 'an entry')).toContain('accessible to other users');
    expect(readdirSync(open)).toEqual([]);
  });

  test('a directory that appears while it is created must be trusted too', () => {
    const created = join(directory, 'new');
    const host: Host = {
      ...MACHINE,
      // Read before the directory is created.
      get uid() {
        if (!existsSync(created)) {
          mkdirSync(created);
          chmodSync(created, 0o777);
        }
        return MACHINE.uid;
      },
    };
    expect(() => prepareDirectory('cache', created, host)).toThrow('accessible to other users (mode 777)');
  });

  test('a file or directory of another user is used for neither cache nor config', async ({ needs }) => {
    needs('root');
    const belongs = `belongs to another user (uid ${STRANGER})`;
    for (const path of [file, directory]) {
      chownSync(path, STRANGER, STRANGER);
      expect(refusal(() => config().read())).toEqual({
        message: `${path} ${belongs}`,
        hints: [AS_OWNER],
      });
      chownSync(path, 0, 0);
    }
    for (const path of [directory, entry]) {
      chownSync(path, STRANGER, STRANGER);
      expect(cached()).toMatchObject({ untrusted: `${path} ${belongs}` });
      chownSync(path, 0, 0);
    }
  });

  test('a user gets the config of root, but not a cache of root', ({ needs }) => {
    needs('root');
    const user: Host = { ...MACHINE, uid: STRANGER };
    expect(config(user).read()).toMatchObject(READ);
    expect(cached(directory, user)).toEqual({
      untrusted: `${directory} belongs to another user (uid 0)`,
    });
    chownSync(directory, STRANGER, STRANGER);
    expect(cached(directory, user)).toMatchObject({ untrusted: `${entry} belongs to another user (uid 0)` });
  });

  test('a config behind a link is used and edited, a cache behind a link is not used', async () => {
    const link = join(dirname(directory), 'link');
    symlinkSync(directory, link);
    for (const path of [link, `${link}/`])
      expect(cached(String(directoryOf('cache', { GWTOKEN_CACHE_DIR: path }, 'linux')))).toEqual({
        untrusted: `${link} is a symbolic link`,
      });
    const broken = join(dirname(directory), 'broken');
    symlinkSync('nowhere', broken);
    expect(probeDirectory('cache', broken, MACHINE).text).toBe(`${broken} is a symbolic link`);
    const other = join(dirname(directory), 'other');
    mkdirSync(other, { mode: 0o700 });
    for (const path of [entry, file]) symlinkSync(path, path.replace(directory, other));
    expect(cached(other)).toMatchObject({ untrusted: `${entryPath(other, EU_KEY)} is a symbolic link` });
    for (const path of [link, other]) {
      await openConfig(path, MACHINE).config.edit({ key: 'retries', value: path });
      expect(readConfig(file, MACHINE).general).toEqual({ region: 'eu', retries: path });
    }
  });

  test('owners and modes are not checked on Windows', async () => {
    const windows: Host = { platform: 'win32', uid: undefined };
    for (const path of [directory, file, entry]) chmodSync(path, 0o777);
    expect(cached(directory, windows)).toEqual(SERVED);
    await edit(windows);
    expect(config(windows).read().general).toEqual({ region: 'eu', retries: '1' });
  });
});

describe('a directory that is missing', () => {
  test('is created with its parents, with mode 0700 under any umask', ({ needs }) => {
    needs('posix');
    const umask = process.umask(0o177);
    onCleanup(() => void process.umask(umask));
    makeDirectory(join(directory, 'a', 'b'));
    makeDirectory(join(directory, 'a', 'b'));
    for (const path of ['a', 'a/b']) expect(statSync(join(directory, path)).mode & 0o777).toBe(0o700);
  });

  test('is not created in the HOME of another user', async ({ needs }) => {
    needs('root');
    chownSync(directory, STRANGER, STRANGER);
    const below = join(directory, '.config', 'gwtoken');
    const { config } = openConfig(below, MACHINE);
    const message = `${directory} belongs to another user (uid ${STRANGER})`;
    for (const refused of [config.checkWritable(), config.edit(EDIT)])
      await expect(refused).rejects.toMatchObject({ kind: 'usage', message, hints: [AS_OWNER] });
    expect(await openTokens(below, MACHINE).write(EU_KEY, 'an entry')).toBe(message);
    expect(probeDirectory('cache', below, MACHINE)).toEqual({
      text: message,
      hints: [AS_OWNER.replace('CONFIG', 'CACHE')],
    });
    expect(existsSync(dirname(below))).toBe(false);
    assertUsable('cache', below, { ...MACHINE, uid: STRANGER });
    assertUsable('cache', join(dirname(directory), 'new'), { ...MACHINE, uid: STRANGER });
  });
});
