/** `get --output FILE` and `exec --token-file=PATH`: a whole token at a path, in a file of the user's. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { openFolder } from '../harness/homes/folder';
import { type Inside, inside } from '../harness/homes/in-process';

let gw: Inside;
let folder: string;
let file: string;
beforeEach(() => {
  gw = inside();
  folder = openFolder();
  file = join(folder, 'token');
});

describe('get --output', () => {
  test.each(['', '--fresh'])('writes what would be printed, and prints nothing: get %s', async (flag) => {
    const flags = flag === '' ? [] : [flag];
    const printed = await gw.get('--format', 'header');
    expect(await gw.get('--format', 'header', '--output', file, ...flags)).toBe('');
    const written = readFileSync(file, 'utf8');
    expect(written.trim()).toBe(flags.length > 0 ? 'Authorization: Bearer token-2' : printed);
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['token']);
  });

  test('- is stdout', async () => {
    expect(await gw.get('--output', '-')).toBe('token-1');
    expect(existsSync('-')).toBe(false);
  });

  test('leaves the file as it was if there is no token', async () => {
    writeFileSync(file, 'old');
    gw.answer = () => ({ status: 401, body: { error: 'invalid_client' } });
    expect((await gw.cli(['get', '--output', file])).code).toBe(3);
    expect(readFileSync(file, 'utf8')).toBe('old');
  });

  test('replaces no link, device or folder, and says where the token cannot be written', async () => {
    const link = join(folder, 'link');
    symlinkSync(file, link);
    for (const path of [link, '/dev/null', folder]) {
      const { code, stdout, stderr } = await gw.cli(['get', '--output', path]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(`${path} is not a regular file; it was left as it is`);
    }
    const nowhere = join(folder, 'nowhere', 'token');
    const { code, stderr } = await gw.cli(['get', '--output', nowhere]);
    expect(code).toBe(1);
    expect(stderr).toContain(`cannot write ${nowhere} (ENOENT)`);
  });

  test('takes no format for a file, as other tools do', async () => {
    const { code, stderr } = await gw.cli(['get', '--output', 'json']);
    expect(code).toBe(2);
    expect(stderr).toContain('hint: use --format json, or --output ./json');
  });
});

describe.skipIf(process.platform === 'win32')('exec --token-file=PATH', () => {
  const exec = async (flag: string) => {
    let during = '';
    gw.own = {
      async runProgram(_, __, env) {
        during = `${env['GWTOKEN_TOKEN_FILE']}: ${readFileSync(String(env['GWTOKEN_TOKEN_FILE']), 'utf8')}`;
        return { code: 0, signal: null };
      },
    };
    const ended = await gw.cli(['exec', flag, '--', 'anything']);
    return { ...ended, during };
  };

  test('keeps the token there while the command runs, also in place of a killed gwtoken', async () => {
    writeFileSync(file, 'of a killed one', { mode: 0o644 });
    expect(await exec(`--token-file=${file}`)).toMatchObject({ code: 0, during: `${file}: token-1` });
    expect(existsSync(file)).toBe(false);
  });

  test('is refused in a folder that others can write to, and in place of a link', async () => {
    const open = join(folder, 'open');
    mkdirSync(open);
    chmodSync(open, 0o777);
    expect((await exec(`--token-file=${join(open, 'token')}`)).stderr).toContain(
      'is writable by other users',
    );
    symlinkSync('elsewhere', file);
    const { code, stderr, during } = await exec(`--token-file=${file}`);
    expect({ code, during }).toEqual({ code: 125, during: '' });
    expect(stderr).toContain(`${file} is not a regular file`);
  });

  test('takes its path only behind the equals sign', async () => {
    const { during } = await exec('--token-file');
    expect(during.startsWith(join(gw.cache, 'exec-'))).toBe(true);
  });

  test('without a home says which variables to set', async () => {
    Object.assign(gw.env, { HOME: '', XDG_CONFIG_HOME: '', XDG_CACHE_HOME: '' });
    expect(await gw.cli(['exec', '--token-file', '--', 'true'])).toEqual({
      code: 125,
      stdout: '',
      stderr:
        'gwtoken: error: no home directory for the token file\nhint: set HOME, or set GWTOKEN_CACHE_DIR to a directory you own\n',
    });
  });
});
