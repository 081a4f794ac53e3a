/** Looking up a name by a program that can be ended: getent(1), or a child of our own. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { endableLookup, loopbackOnly } from '../../../src/system/wire/dns';
import { onCleanup } from '../../harness/clean-up';
import { openFolder } from '../../harness/homes/folder';
import { bundle } from '../../harness/programs/bundle';
import { isRunning, until } from '../../harness/programs/processes';
import { ROOT } from '../../harness/root';

let folder: string;
beforeEach(() => {
  folder = openFolder();
});

type Own = Partial<Parameters<typeof endableLookup>[0]>;
const FOUND = [{ address: '127.0.0.1', family: 4 }];
const VARIABLES = {
  RES_OPTIONS: 'timeout:3',
  LOCALDOMAIN: 'a.test',
  HOSTALIASES: '/nowhere',
  GWTOKEN_CLIENT_SECRET: 's3cret',
};

/** Looks up a name with a child of this program, on a system without getent unless `own` says otherwise. */
function lookUp(
  program: string,
  name: string,
  proc: Own = {},
  signal = new AbortController().signal,
): Promise<unknown> {
  const child = join(folder, 'child.cjs');
  writeFileSync(child, program);
  const lookup = endableLookup({ env: {}, platform: 'darwin', lookupChild: child, ...proc }, signal);
  return new Promise((resolve, reject) =>
    lookup(name, { all: true, family: 4 }, (error, all) => (error ? reject(error) : resolve(all))),
  );
}

/** A Linux whose getent(1) is this script. */
function withGetent(script: string): Own {
  writeFileSync(join(folder, 'getent'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { platform: 'linux', env: { ...VARIABLES, PATH: `${folder}${delimiter}${process.env['PATH']}` } };
}

describe('lookup by a child', () => {
  test('rejects with the error that it answers', async () => {
    const nothing = `process.send({ code: 'ENOTFOUND', message: 'not there' });`;
    await expect(lookUp(nothing, 'a.test')).rejects.toMatchObject({
      code: 'ENOTFOUND',
      message: 'not there',
    });
  });

  test.each([
    ['crashes', 'process.exit(1);', {}],
    ['the system does not start', '', { env: { RES_OPTIONS: 'x'.repeat(4_000_000) } }],
  ])('that %s is followed by one in this process', async (_, program, own) => {
    for (const platform of ['linux', 'darwin'] as const)
      expect(await lookUp(program, 'localhost', { ...own, platform })).toEqual(FOUND);
  });

  test('gives it the name, the resolver’s variables, no argument of Node’s and no stream', async ({
    needs,
  }) => {
    needs('posix');
    const told = `const { fstatSync } = require('node:fs');
      process.send({ addresses: [
        process.argv.at(-1),
        Object.keys(process.env).filter((name) => !name.startsWith('NODE_CHANNEL_')).sort(),
        process.execArgv,
        [0, 1, 2].map((stream) => fstatSync(stream).isCharacterDevice()),
      ] });`;
    process.execArgv.push('--no-warnings');
    onCleanup(() => process.execArgv.pop());
    expect(await lookUp(told, 'a.test', { env: VARIABLES })).toEqual([
      'a.test',
      ['HOSTALIASES', 'LC_ALL', 'LOCALDOMAIN', 'PATH', 'RES_OPTIONS'],
      [],
      [true, true, true],
    ]);
  });

  test('ends when it is aborted', async () => {
    const silent = 'setInterval(() => {}, 1000);';
    await expect(lookUp(silent, 'localhost', {}, AbortSignal.timeout(300))).rejects.toThrow('closed');
  });
});

describe('lookup by getent', () => {
  beforeEach(({ needs }) => needs('posix'));

  test('gives it the name and the resolver’s variables, and counts each address once', async () => {
    const seen = join(folder, 'seen');
    const lines = ['::1 STREAM a.test', '::1 DGRAM', '127.0.0.1 STREAM', '::1 RAW', 'none', '127.0.0.1 RAW'];
    const own = withGetent(`(env; echo "args: $*") > '${seen}'\nprintf '%s\\n' '${lines.join("' '")}'`);
    expect(await lookUp('', 'a.test', own)).toEqual([{ address: '::1', family: 6 }, ...FOUND]);
    const told = readFileSync(seen, 'utf8')
      .split('\n')
      .filter((line) => !/^(PWD|OLDPWD|SHLVL|_)=|^$/.test(line));
    expect(told.map((line) => line.replace(/=.*/, '=')).sort()).toEqual([
      ...['HOSTALIASES=', 'LC_ALL=', 'LOCALDOMAIN=', 'PATH=', 'RES_OPTIONS='],
      'args: ahosts a.test',
    ]);
  });

  test('leaves a name that begins with a hyphen to the child', async () => {
    const own = withGetent(`>'${join(folder, 'seen')}'\nexit 2`);
    const child = `process.send({ addresses: ${JSON.stringify(FOUND)} });`;
    expect(await lookUp(child, '-s.a.test', own)).toEqual(FOUND);
    expect(existsSync(join(folder, 'seen'))).toBe(false);
  });

  test('that failed late is not followed by a lookup that cannot be ended', async () => {
    // A lookup in this process would find localhost.
    await expect(lookUp('', 'localhost', withGetent('sleep 2.1\nexit 2'))).rejects.toMatchObject({
      code: 'EAI_AGAIN',
    });
  });

  test('ends when it is aborted, even if it ignores SIGTERM', async () => {
    const pid = join(folder, 'pid');
    const own = withGetent(`trap '' TERM\necho $$ >'${pid}.new'\nmv '${pid}.new' '${pid}'\nexec sleep 40`);
    const cutter = new AbortController();
    const found = lookUp('', 'localhost', own, cutter.signal);
    await until('getent runs', () => existsSync(pid));
    cutter.abort();
    await expect(found).rejects.toThrow('closed');
    await until('getent has ended', () => !isRunning(Number(readFileSync(pid, 'utf8'))));
  });
});

describe('the child', () => {
  let program: string;
  beforeAll(async () => {
    program = await bundle(join(ROOT, 'src', 'system', 'wire', 'lookup-child.ts'));
  });

  const start = (name: string) => {
    const child = fork(program, [name], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    onCleanup(() => child.kill('SIGKILL'));
    return child;
  };

  test('finds a name, or says why not', async () => {
    const answer = async (name: string) => (await once(start(name), 'message'))[0];
    expect(await answer('localhost')).toEqual({ addresses: expect.arrayContaining(FOUND) });
    // Longer than a name may be, so that no DNS server is asked.
    expect(await answer(`${'x'.repeat(64)}.test`)).toMatchObject({ code: 'ENOTFOUND' });
  });

  test('ends by a signal when its parent has gone, since an exit would wait for DNS', async ({ needs }) => {
    needs('posix');
    const child = start('localhost');
    await once(child, 'message');
    child.disconnect();
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  });
});

test.each([
  ['::1', { all: true }, [null, [{ address: '::1', family: 6 }]]],
  ['127.1.2.3', {}, [null, '127.1.2.3', 4]],
  ['192.0.2.1', { all: true }, [expect.objectContaining({ code: 'ENOTLOOPBACK' }), []]],
  ['::ffff:192.0.2.1', {}, [expect.objectContaining({ code: 'ENOTLOOPBACK' }), []]],
  [`${'x'.repeat(64)}.test`, { all: true }, [expect.objectContaining({ code: 'ENOTFOUND' }), []]],
])('loopbackOnly finds addresses of this machine only: %s, %j', async (name, wanted, answer) => {
  expect(await new Promise((resolve) => loopbackOnly(name, wanted, (...all) => resolve(all)))).toEqual(
    answer,
  );
});
