import * as fs from 'node:fs';
import { basename } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { clientName } from '../../../src/client';
import type { HeldLock } from '../../../src/lock';
import { entryPath, openTokens } from '../../../src/system/files/token-cache';
import type { TokenKey } from '../../../src/world';
import { EU_KEY, MACHINE } from '../../harness/homes/client';
import { openDirectory } from '../../harness/homes/directory';
import { type Inside, inside } from '../../harness/homes/in-process';

let gw: Inside;
beforeEach(() => {
  gw = inside();
});
const write = (path: string) => fs.writeFileSync(path, '');
const lockPath = () => entryPath(gw.cache, EU_KEY).replace('token.json', 'lock');

test('remove() removes the files of matching clients, also in an untrusted directory', async () => {
  const kept = 'default-production-eu.token.json';
  const removed = [
    'acme-sandbox-us.token.json',
    'acme-sandbox-us.failure.json',
    'acme-sandbox-us.0123abcd.token.json',
    'acme-sandbox-us.0123abcd.lock',
    // A process was killed before it renamed this file.
    'acme-sandbox-us.0123abcd.token.json.m8x2k1zq.tmp',
  ];
  const others = ['acme-sandbox-us.my-token.json', 'acme-staging-us.token.json'];
  fs.mkdirSync(gw.cache, { recursive: true, mode: 0o700 });
  for (const file of [kept, ...removed, ...others]) write(`${gw.cache}/${file}`);
  // Files that stay would be read again once the user corrects the mode of the directory.
  fs.chmodSync(gw.cache, 0o777);
  const clients = new Set<string>();
  await openTokens(gw.cache, MACHINE).remove((client) => {
    clients.add(clientName(client));
    return client.profile === 'acme';
  });
  expect([...clients].sort()).toEqual(['acme:sandbox:us', 'default:production:eu']);
  expect(fs.readdirSync(gw.cache).sort()).toEqual([kept, ...others].sort());
});

test('remove() also removes a token that the lock holder stores meanwhile', async () => {
  const { acquireLock, remove, write } = openTokens(gw.cache, MACHINE);
  const lock = await acquireLock(EU_KEY);
  if (!lock?.held) throw new Error('the lock is not held');
  // remove() has found only the lock so far.
  const kept = await remove(() => void write(EU_KEY, 'an entry', 'token', lock) === undefined);
  expect([kept, fs.readdirSync(gw.cache)]).toEqual([[], []]);
  lock.release();
});

test('read() ignores a file above 256 KiB', () => {
  const { read } = openTokens(gw.cache, MACHINE);
  const longest = 'x'.repeat(256 * 1024);
  fs.mkdirSync(gw.cache, { recursive: true, mode: 0o700 });
  const put = (text: string) => fs.writeFileSync(entryPath(gw.cache, EU_KEY), text, { mode: 0o600 });
  put(longest);
  expect(read(EU_KEY)).toEqual({ text: longest });
  put(`${longest}x`);
  expect(read(EU_KEY)).toEqual({});
});

test('write() returns the reason of a failure', async ({ needs }) => {
  needs('posix');
  const directory = openDirectory();
  const entry = entryPath(directory, EU_KEY);
  const why = () => openTokens(directory, MACHINE).write(EU_KEY, 'an entry');
  expect([await why(), fs.readFileSync(entry, 'utf8')]).toEqual([undefined, 'an entry']);
  fs.rmSync(entry);
  fs.symlinkSync('elsewhere', entry);
  expect(await why()).toBe(`${entry} is a symbolic link`);
  fs.rmSync(entry);
  fs.mkdirSync(entry);
  expect(await why()).toBe('it is a directory');
  expect(fs.readdirSync(directory)).toEqual([basename(entry)]);
});

test('write() leaves the token and the lock of the process that took its lock over', async () => {
  const { acquireLock, read, write } = openTokens(gw.cache, MACHINE);
  const lock = await acquireLock(EU_KEY);
  if (!lock?.held) throw new Error('the lock is not held');
  expect(await write(EU_KEY, 'old', 'token', lock)).toBeUndefined();
  fs.writeFileSync(lockPath(), 'another');
  await write(EU_KEY, 'of another');
  expect(await write(EU_KEY, 'old', 'token', lock)).toBe('lock lost');
  expect(read(EU_KEY)).toEqual({ text: 'of another' });
  lock.release();
  expect(fs.readdirSync(gw.cache)).toContain(basename(lockPath()));
});

test('write() takes a file back if its lock is lost meanwhile', async () => {
  const { write } = openTokens(gw.cache, MACHINE);
  const answers = [true, false];
  const lock: HeldLock = { held: true, isHeld: () => answers.shift() ?? false, release() {} };
  expect(await write(EU_KEY, 'an entry', 'token', lock)).toBe('lock lost');
  expect(fs.readdirSync(gw.cache)).toEqual([]);
});

test('acquireLock() has a separate lock for each client and its facts', async () => {
  const { acquireLock } = openTokens(gw.cache, MACHINE);
  const us: TokenKey = { ...EU_KEY, client: { ...EU_KEY.client, region: 'us' } };
  const keys = [EU_KEY, us, { ...EU_KEY, facts: ['a'] }, { ...EU_KEY, facts: ['b'] }, EU_KEY];
  const locks = await Promise.all(keys.map((key) => acquireLock(key)));
  expect(locks.map((lock) => lock?.held)).toEqual([true, true, true, true, false]);
  for (const lock of locks) if (lock?.held) lock.release();
});
