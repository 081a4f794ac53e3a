import { lookup } from 'node:dns/promises';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, test } from 'vitest';
import { findByGetent, lookupUntil } from '../../../src/system/wire/dns';
import type { Env } from '../../../src/world';
import { openDirectory } from '../../harness/homes/directory';
import { isRunning, until } from '../../harness/programs/processes';

let directory: string;
beforeEach(() => {
  directory = openDirectory();
});

const FOUND = [{ address: '127.0.0.1', family: 4 }];
const WANTED = { all: true, family: 4 } as const;
const VARIABLES = {
  RES_OPTIONS: 'timeout:3',
  LOCALDOMAIN: 'a.test',
  HOSTALIASES: '/nowhere',
  GWTOKEN_CLIENT_SECRET: 's3cret',
};
const find = (name: string, env: Env, signal = new AbortController().signal) =>
  findByGetent(env, signal)(name, WANTED);

/** Returns an environment whose getent(1) is this script. */
function withGetent(script: string): Env {
  writeFileSync(join(directory, 'getent'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { ...VARIABLES, PATH: `${directory}${delimiter}${process.env['PATH']}` };
}

describe('findByGetent()', () => {
  beforeEach(({ needs }) => needs('posix'));

  test('passes the resolver’s variables to getent and returns each address once', async () => {
    const seen = join(directory, 'seen');
    const lines = ['::1 STREAM a.test', '::1 DGRAM', '127.0.0.1 STREAM', '::1 RAW', 'none', '127.0.0.1 RAW'];
    const own = withGetent(`(env; echo "args: $*") > '${seen}'\nprintf '%s\\n' '${lines.join("' '")}'`);
    expect(await find('a.test', own)).toEqual([{ address: '::1', family: 6 }, ...FOUND]);
    const passed = readFileSync(seen, 'utf8')
      .split('\n')
      .filter((line) => !/^(PWD|OLDPWD|SHLVL|_)=|^$/.test(line));
    expect(passed.map((line) => line.replace(/=.*/, '=')).sort()).toEqual([
      ...['HOSTALIASES=', 'LC_ALL=', 'LOCALDOMAIN=', 'PATH=', 'RES_OPTIONS='],
      'args: ahosts a.test',
    ]);
  });

  test('starts no lookup in Node if getent finds nothing', async () => {
    // A lookup in this process would find localhost.
    await expect(find('localhost', withGetent('exit 2'))).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  test('ends when its signal is aborted', async () => {
    const pid = join(directory, 'pid');
    const own = withGetent(`echo $$ >'${pid}.new'\nmv '${pid}.new' '${pid}'\nexec sleep 40`);
    const controller = new AbortController();
    const found = find('localhost', own, controller.signal);
    await until('getent runs', () => existsSync(pid));
    controller.abort();
    await expect(found).rejects.toThrow();
    await until('getent has ended', () => !isRunning(Number(readFileSync(pid, 'utf8'))));
  });
});

test('findByGetent() asks Node if getent is not installed', async () => {
  expect(await find('localhost', { PATH: directory })).toEqual(await lookup('localhost', WANTED));
});

test('lookupUntil() finds localhost without a lookup', async () => {
  const { signal } = new AbortController();
  const traced: string[] = [];
  const env = withGetent('exit 2');
  const find = promisify(lookupUntil(signal, { platform: 'linux', env }, (line) => traced.push(line)));
  expect(await find('localhost', WANTED)).toEqual([...FOUND, { address: '::1', family: 6 }]);
  expect(traced).toEqual(['looking up localhost', 'the addresses of localhost: 127.0.0.1, ::1']);
});
