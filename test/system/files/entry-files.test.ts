import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { entryIn } from '../../harness/homes/client';
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

  test('that killed writers left are swept a minute later, others are not', async () => {
    await gw.get();
    const old = ['token-default-production-eu.json.abc.tmp'];
    const kept = ['token-default-production-us.json.def.tmp', 'token-notes.txt', 'other.tmp'];
    for (const file of [...old, ...kept]) writeFileSync(`${gw.cache}/${file}`, '');
    const past = new Date(Date.now() - 61_000);
    for (const file of [...old, 'token-notes.txt', 'other.tmp'])
      utimesSync(`${gw.cache}/${file}`, past, past);
    await gw.get('--fresh');
    const left = readdirSync(gw.cache);
    for (const file of old) expect(left).not.toContain(file);
    for (const file of kept) expect(left).toContain(file);

    gw.configure({});
    const ofConf = ['config.json.tmp-5291723236184b57', 'clients.json.tmp-5291723236184b58'];
    const others = ['config.json.tmp-5291723236184b59', 'config.json.mine'];
    for (const file of [...ofConf, ...others]) writeFileSync(`${gw.config}/${file}`, '');
    for (const file of [...ofConf, 'config.json.mine']) utimesSync(`${gw.config}/${file}`, past, past);
    expect(await gw.cli(['config', 'set', 'region', 'eu'])).toMatchObject({ code: 0 });
    expect(readdirSync(gw.config).sort()).toEqual(['.locks', 'config.json', ...others].sort());
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

  test.each(['', 'x', '{}', 'null', '[]', '{"version":1}', '\0'.repeat(100), 'x'.repeat(300_000)])(
    'with anything else in them are a miss (%#)',
    async (text) => {
      await gw.get();
      writeFileSync(entry(), text);
      expect(gw.quick(['get'])).toBeUndefined();
      expect(await gw.get()).toBe('token-2');
      expect(await gw.get()).toBe('token-2');
    },
  );

  test('each member of an entry is looked at', async () => {
    await gw.get();
    const whole = JSON.parse(readFileSync(entry(), 'utf8'));
    const spoilt = [
      { access_token: '' },
      { access_token: 'a\nb' },
      { token_type: 1 },
      { scope: null },
      { requested_at_ms: '0' },
      { lifetime_s: null },
      { source: null },
      { source: { kind: 'variables' } },
      { source: { kind: 'other' } },
      { client_id: 1 },
      { auth_url: {} },
      { version: 2 },
    ];
    for (const change of spoilt) {
      writeFileSync(entry(), JSON.stringify({ ...whole, ...change }));
      expect(gw.quick(['get'])).toBeUndefined();
    }
    writeFileSync(entry(), JSON.stringify({ ...whole, refresh_token: 'of a later version' }));
    expect(gw.quick(['get'])).toBe('token-1\n');
  });
});
