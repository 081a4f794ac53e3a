/** Looking up a name by a program that can be ended: getent(1), or a child of our own. */
import { fork } from 'node:child_process';
import { V4MAPPED } from 'node:dns';
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
const WANTED = { all: true, family: 4, hints: V4MAPPED } as const;
const FOUND = [{ address: '127.0.0.1', family: 4 }];
const RESOLVER = { RES_OPTIONS: 'timeout:3', LOCALDOMAIN: 'a.test', HOSTALIASES: '/nowhere' };

/** Looks up a name with a child of this program, on a system without getent unless `own` says otherwise. */
function lookUp(
  program: string,
  name: string,
  own: Own = {},
  signal = new AbortController().signal,
): Promise<unknown> {
  const child = join(folder, 'child.cjs');
  writeFileSync(child, program);
  const lookup = endableLookup({ env: {}, platform: 'darwin', lookupChild: [child], ...own }, signal);
  return new Promise((resolve, reject) =>
    lookup(name, WANTED, (error, all) => (error ? reject(error) : resolve(all))),
  );
}
const answering = (answer: string) => `process.on('message', (asked) => process.send(${answer}));`;

/** A Linux whose getent(1) is this script. */
function withGetent(script: string): Own {
  writeFileSync(join(folder, 'getent'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { platform: 'linux', env: { PATH: `${folder}${delimiter}${process.env['PATH']}` } };
}

describe('lookup by a child', () => {
  test('sends it the name and the family, and takes its answer or its error', async () => {
    const echo = answering('{ addresses: [asked.hostname, asked.options] }');
    expect(await lookUp(echo, 'a.test')).toEqual(['a.test', { family: 4, hints: V4MAPPED }]);
    const nothing = answering(`{ code: 'ENOTFOUND', message: 'not there' }`);
    await expect(lookUp(nothing, 'a.test')).rejects.toMatchObject({
      code: 'ENOTFOUND',
      message: 'not there',
    });
  });

  test.each([
    ['crashes', 'process.exit(1);'],
    ['finds nothing', answering('{ addresses: [] }')],
  ])('that %s is followed by one in this process', async (_, program) => {
    expect(await lookUp(program, 'localhost')).toEqual(FOUND);
  });

  test.each(['linux', 'darwin'] as const)(
    'that the system does not start is followed by one in this process, on %s',
    async (platform) => {
      const env = { RES_OPTIONS: 'x'.repeat(4_000_000) };
      expect(await lookUp('', 'localhost', { platform, env })).toEqual(FOUND);
    },
  );

  test('gives it the resolver’s variables, no argument of Node’s and no stream', async ({ needs }) => {
    needs('posix');
    const told = `const { fstatSync } = require('node:fs');
      ${answering(`{ addresses: [
        Object.keys(process.env).filter((name) => !name.startsWith('NODE_CHANNEL_')).sort(),
        process.execArgv,
        [0, 1, 2].map((stream) => fstatSync(stream).isCharacterDevice()),
      ] }`)}`;
    process.execArgv.push('--no-warnings');
    onCleanup(() => process.execArgv.pop());
    expect(await lookUp(told, 'a.test', { env: { ...RESOLVER, GWTOKEN_CLIENT_SECRET: 's3cret' } })).toEqual([
      ['HOSTALIASES', 'LC_ALL', 'LOCALDOMAIN', 'RES_OPTIONS'],
      [],
      [true, true, true],
    ]);
  });

  test('calls back once, with one address if one is wanted', async () => {
    const child = join(folder, 'child.cjs');
    writeFileSync(child, answering(`{ addresses: ${JSON.stringify(FOUND)} }`));
    const own = { env: {}, platform: 'darwin', lookupChild: [child] } as const;
    const given: unknown[] = [];
    const lookup = endableLookup(own, new AbortController().signal);
    await new Promise<void>((resolve) =>
      lookup('localhost', { family: 4 }, (...answer) => {
        given.push(answer);
        resolve();
      }),
    );
    // A lookup of its own takes longer than the end of the one before.
    await lookUp('process.exit(1);', 'localhost');
    expect(given).toEqual([[null, '127.0.0.1', 4]]);
  });

  test('ends when it is aborted', async () => {
    const silent = `process.on('message', () => {});`;
    await expect(lookUp(silent, 'localhost', {}, AbortSignal.timeout(300))).rejects.toThrow('closed');
  });
});

describe('lookup by getent', () => {
  test('counts an address once, and ignores what is none', async ({ needs }) => {
    needs('posix');
    const lines = ['::1 STREAM a.test', '::1 DGRAM', '127.0.0.1 STREAM', '::1 RAW', 'none', '127.0.0.1 RAW'];
    expect(await lookUp('', 'a.test', withGetent(`printf '%s\\n' '${lines.join("' '")}'`))).toEqual([
      { address: '::1', family: 6 },
      { address: '127.0.0.1', family: 4 },
    ]);
  });

  test('gives it the name and the resolver’s variables', async ({ needs }) => {
    needs('posix');
    const seen = join(folder, 'seen');
    const own = withGetent(`(env; echo "args: $*") > '${seen}'\necho 127.0.0.1`);
    await lookUp('', 'a.test', { ...own, env: { ...own.env, ...RESOLVER, GWTOKEN_CLIENT_SECRET: 's3cret' } });
    const told = readFileSync(seen, 'utf8')
      .split('\n')
      .filter((line) => !/^(PWD|OLDPWD|SHLVL|_)=|^$/.test(line));
    expect(told.map((line) => line.replace(/=.*/, '=')).sort()).toEqual([
      ...['HOSTALIASES=', 'LC_ALL=', 'LOCALDOMAIN=', 'PATH=', 'RES_OPTIONS='],
      'args: ahosts a.test',
    ]);
  });

  test('leaves a name that begins with a hyphen to the child', async ({ needs }) => {
    needs('posix');
    const own = withGetent(`>'${join(folder, 'seen')}'\nexit 2`);
    const child = answering(`{ addresses: ${JSON.stringify(FOUND)} }`);
    expect(await lookUp(child, '-s.a.test', own)).toEqual(FOUND);
    expect(existsSync(join(folder, 'seen'))).toBe(false);
  });

  test('that failed late is not followed by a lookup that cannot be ended', async ({ needs }) => {
    needs('posix');
    // A lookup in this process would find localhost.
    await expect(lookUp('', 'localhost', withGetent('sleep 2.1\nexit 2'))).rejects.toMatchObject({
      code: 'EAI_AGAIN',
    });
  });

  test('ends when it is aborted, even if it ignores SIGTERM', async ({ needs }) => {
    needs('posix');
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

  test('finds a name, or says why not', async () => {
    const own = { env: {}, platform: 'darwin', lookupChild: [program] } as const;
    const lookup = endableLookup(own, new AbortController().signal);
    const found = (name: string, family: 4 | 6) =>
      new Promise((resolve) =>
        lookup(name, { ...WANTED, family }, (error, all) => resolve(error?.code ?? all)),
      );
    expect(await found('localhost', 4)).toEqual(FOUND);
    expect(await found('localhost', 6)).toContainEqual({ address: expect.stringContaining('::'), family: 6 });
    // Longer than a name may be, so that no DNS server is asked.
    expect(await found(`${'x'.repeat(64)}.test`, 4)).toBe('ENOTFOUND');
  });

  test('ends by a signal when its parent has gone, since an exit would wait for DNS', async ({ needs }) => {
    needs('posix');
    const child = fork(program, [], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    child.disconnect();
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  });
});

test.each([
  ['::1', { all: true }, [null, [{ address: '::1', family: 6 }]]],
  ['127.1.2.3', { all: true }, [null, [{ address: '127.1.2.3', family: 4 }]]],
  ['127.1.2.3', {}, [null, '127.1.2.3', 4]],
  ['192.0.2.1', { all: true }, [expect.objectContaining({ code: 'ENOTLOOPBACK' }), []]],
  ['::ffff:192.0.2.1', {}, [expect.objectContaining({ code: 'ENOTLOOPBACK' }), []]],
  [`${'x'.repeat(64)}.test`, { all: true }, [expect.objectContaining({ code: 'ENOTFOUND' }), []]],
])('loopbackOnly finds addresses of this machine only: %s, %j', async (name, wanted, answer) => {
  expect(await new Promise((resolve) => loopbackOnly(name, wanted, (...all) => resolve(all)))).toEqual(
    answer,
  );
});
