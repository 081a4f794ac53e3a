import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  generationPath,
  readEntry,
  readFile,
  removeEntries,
  renewGeneration,
  takeTurn,
  writeEntry,
} from '../../../src/system/files/token-cache';
import { EU, entryIn, MACHINE, putEntry } from '../../harness/homes/client';
import { openFolder } from '../../harness/homes/folder';
import { type Inside, inside } from '../../harness/homes/in-process';

/** The files of the token cache: their modes, their content, what killed writers leave. */
let gw: Inside;
beforeEach(() => {
  gw = inside();
});

const entry = () => entryIn(gw.cache);

describe('the files', () => {
  test.skipIf(process.platform === 'win32')('are for the user alone, whatever the umask', async () => {
    const umask = process.umask(0);
    try {
      await gw.get();
    } finally {
      process.umask(umask);
    }
    expect((statSync(gw.cache).mode & 0o777).toString(8)).toBe('700');
    const modes = readdirSync(gw.cache).map(
      (file) => `${file} ${(statSync(`${gw.cache}/${file}`).mode & 0o777).toString(8)}`,
    );
    expect(modes.sort()).toEqual(['.locks 700', 'token-default-production-eu.json 600']);
  });

  test('that killed writers left are swept ten minutes later, others are not', async () => {
    await gw.get();
    const old = ['token-default-production-eu.json.abc.tmp', 'generation-default-production-eu.abc.tmp'];
    const others = ['token-notes.txt', 'other.tmp', 'my-token-notes.tmp', 'token-notes.tmp.txt'];
    const kept = ['token-default-production-us.json.def.tmp', ...others];
    for (const file of [...old, ...kept]) writeFileSync(`${gw.cache}/${file}`, '');
    const past = new Date(Date.now() - 601_000);
    for (const file of [...old, ...others]) utimesSync(`${gw.cache}/${file}`, past, past);
    await gw.get('--fresh');
    const left = readdirSync(gw.cache);
    for (const file of old) expect(left).not.toContain(file);
    for (const file of kept) expect(left).toContain(file);

    gw.configure({});
    const ofConf = ['config.json.tmp-5291723236184b57', 'clients.json.tmp-5291723236184b58'];
    const notOfConf = ['config.json.mine', 'my-config.json.tmp-5291723236184b57'];
    const keptThere = ['config.json.tmp-5291723236184b59', ...notOfConf];
    for (const file of [...ofConf, ...keptThere]) writeFileSync(`${gw.config}/${file}`, '');
    for (const file of [...ofConf, ...notOfConf]) utimesSync(`${gw.config}/${file}`, past, past);
    expect(await gw.cli(['config', 'set', 'region', 'eu'])).toMatchObject({ code: 0 });
    expect(readdirSync(gw.config).sort()).toEqual(['.locks', 'config.json', ...keptThere].sort());
  });

  test('that cannot be swept do not keep others from being written', async () => {
    await gw.get();
    gw.configure({});
    // A folder with something in it cannot be removed as a file, by root neither.
    for (const left of [`${gw.cache}/token-notes.tmp`, `${gw.config}/config.json.tmp-5291723236184b57`]) {
      mkdirSync(left);
      writeFileSync(`${left}/x`, '');
      utimesSync(left, new Date(0), new Date(0));
    }
    expect(await gw.get('--fresh')).toBe('token-2');
    expect(await gw.get()).toBe('token-2');
    const set = await gw.cli(['config', 'set', 'region', 'eu']);
    expect(set).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('are removed for the clients that are meant, and no others, even where no token is read', () => {
    const names = ['token-default-production-eu.json', 'token-acme-sandbox-us.json'];
    const others = [
      'my-token-default-production-eu.json',
      'token-default-production-eu.json.abc.tmp',
      'token-default-staging-eu.json',
      'generation-default-production-eu',
    ];
    mkdirSync(gw.cache, { recursive: true, mode: 0o700 });
    for (const file of [...names, ...others]) writeFileSync(`${gw.cache}/${file}`, '');
    // It may be closed later, and then they would be read.
    chmodSync(gw.cache, 0o777);
    const seen: unknown[] = [];
    removeEntries(gw.cache, MACHINE, (client) => seen.push(client) > 0 && client.profile === 'acme');
    expect(seen).toEqual([{ profile: 'acme', environment: 'sandbox', region: 'us' }, EU]);
    expect(readdirSync(gw.cache).sort()).toEqual([names[0], ...others].sort());
  });

  test.skipIf(process.platform === 'win32')(
    'of a new generation: the entry goes, also where the generation cannot be written, or must not be',
    () => {
      const folder = openFolder();
      const generation = generationPath(folder, EU, MACHINE);
      const renew = () => {
        putEntry(folder, 'an entry');
        expect(renewGeneration(folder, EU, MACHINE)).toEqual([]);
        expect(existsSync(entryIn(folder))).toBe(false);
      };
      renew();
      const first = readFileSync(generation, 'utf8');
      expect(first).toMatch(/^[0-9a-z]{10,30}$/);
      renew();
      expect(readFileSync(generation, 'utf8')).not.toBe(first);
      rmSync(generation);
      mkdirSync(generation);
      renew();
      rmdirSync(generation);
      chmodSync(folder, 0o777);
      renew();
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  test('have 256 KiB at most', () => {
    const longest = 'x'.repeat(256 * 1024);
    putEntry(gw.cache, longest);
    expect(readFile(entry(), MACHINE)).toEqual({ text: longest });
    putEntry(gw.cache, `${longest}x`);
    expect(readFile(entry(), MACHINE)).toEqual({});
  });

  test.skipIf(process.platform === 'win32')('are a miss where nobody can look for them', () => {
    const folder = openFolder();
    symlinkSync('loop', `${folder}/loop`);
    expect(readEntry(`${folder}/loop/cache`, EU, MACHINE)).toEqual({});
  });

  test.skipIf(process.platform === 'win32')('that cannot be written say why, by a code', () => {
    const folder = openFolder();
    const why = () => writeEntry(folder, EU, MACHINE, 'an entry');
    expect([why(), readFileSync(entryIn(folder), 'utf8')]).toEqual([undefined, 'an entry']);
    rmSync(entryIn(folder));
    symlinkSync('elsewhere', entryIn(folder));
    expect(why()).toBe('EUNTRUSTED');
    rmSync(entryIn(folder));
    mkdirSync(entryIn(folder));
    expect(why()).toBe('EISDIR');
    chmodSync(folder, 0o777);
    expect(why()).toBe('EUNTRUSTED');
    expect(readdirSync(folder)).toEqual(['token-default-production-eu.json']);
    putEntry(gw.cache, 'a file');
    expect(writeEntry(entry(), EU, MACHINE, 'an entry')).toBe('EEXIST');
  });

  test('of different clients, or with different credentials, have turns of their own', async () => {
    const us = { ...EU, region: 'us' } as const;
    const turns = [
      await takeTurn(gw.cache, EU, 'a', MACHINE),
      await takeTurn(gw.cache, EU, 'b', MACHINE),
      await takeTurn(gw.cache, us, 'a', MACHINE),
      await takeTurn(gw.cache, EU, 'a', MACHINE),
    ];
    expect(turns.map((turn) => turn?.held)).toEqual([true, true, true, false]);
    for (const turn of turns) if (turn?.held) turn.release('to the last');
    if (turns[3]?.held === false) expect(await turns[3].wait(20_000)).toBe('to the last');
  });
});
