/** How the config file and the list of stored clients are written: what is checked, when, and read again. */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { openConfig } from '../../../src/system/files/config-file';
import { tryLock } from '../../../src/system/files/lock';
import { MACHINE } from '../../harness/homes/client';
import { openFolder } from '../../harness/homes/folder';

let folder: string;
let file: string;
beforeEach(() => {
  folder = openFolder();
  file = join(folder, 'config.json');
});
const config = () => openConfig(folder, MACHINE).config;
const clients = () => openConfig(folder, MACHINE).clients;
const put = (text: string) => writeFileSync(file, text, { mode: 0o600 });

/** Holds the lock until the returned function is called. */
async function hold(): Promise<() => void> {
  const turn = await tryLock(join(folder, 'config.lock'), MACHINE);
  if (!turn?.held) throw new Error('somebody else has the lock');
  return turn.release;
}

test('what is stored is read again under the lock: no change of another process is lost, and none made trusted', async () => {
  put('{}');
  const edit = () => config().edit([{ key: 'retries', value: 1 }]);
  const release = await hold();
  const edited = edit();
  // Of an editor that begins a file with a byte order mark.
  put('\uFEFF{"region":"us"}');
  release();
  await edited;
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ region: 'us', retries: 1 });

  const again = await hold();
  const refused = edit();
  put('{');
  again();
  await expect(refused).rejects.toMatchObject({
    kind: 'usage',
    message: `config file ${file} contains invalid JSON`,
    hints: [`fix or delete ${file}`],
  });
  // Whoever fails has let go of the lock as well.
  (await hold())();
  expect(readFileSync(file, 'utf8')).toBe('{');
});

test('edits apply in their order, to all or to one profile, and a profile without values goes', async () => {
  const edits = [
    { key: 'region', value: 'eu' },
    { key: 'region', value: 'us' },
    { profile: 'acme', key: 'retries', value: 1 },
    { profile: 'acme', key: 'sandbox', value: false },
    { profile: 'other', key: 'retries', value: 2 },
  ];
  await config().edit(edits);
  const stored = () => JSON.parse(readFileSync(file, 'utf8'));
  expect(stored()).toEqual({
    region: 'us',
    profiles: { acme: { retries: 1, sandbox: false }, other: { retries: 2 } },
  });
  const gone = { value: undefined };
  await config().edit([
    { profile: 'acme', key: 'retries', ...gone },
    { profile: 'other', key: 'retries', ...gone },
    { key: 'timeout', ...gone },
  ]);
  expect(stored()).toEqual({ region: 'us', profiles: { acme: { sandbox: false } } });
  await config().edit([
    { profile: 'acme', key: 'sandbox', ...gone },
    { profile: 'none', key: 'sandbox', ...gone },
  ]);
  expect(readFileSync(file, 'utf8')).toBe('{\n  "region": "us"\n}\n');
});

test('a stored client is added, replaced or removed, and what a later version has stored stays', async () => {
  const stored = () => JSON.parse(readFileSync(join(folder, 'clients.json'), 'utf8'));
  const entry = (clientId: string) => ({ clientId, authUrl: 'https://a.example.com' });
  // There is no list yet, as where a login takes back what it could not store.
  await clients().remove(['a']);
  expect(stored()).toEqual({});
  writeFileSync(join(folder, 'clients.json'), '{"later":[1]}', { mode: 0o600 });
  for (const [name, clientId] of [
    ['a', 'one'],
    ['b', 'two'],
    ['a', 'three'],
  ] as const)
    await clients().add(name, entry(clientId));
  const later = [1];
  const known = (clientId: string) => ({ client_id: clientId, auth_url: 'https://a.example.com' });
  expect(stored()).toEqual({ later, a: known('three'), b: known('two') });
  await clients().remove(['b', 'none']);
  expect(stored()).toEqual({ later, a: known('three') });
});

test('a directory that cannot be created is told in advance', async () => {
  put('{}');
  const path = join(file, 'below', 'config.json');
  await expect(openConfig(dirname(path), MACHINE).config.checkWritable()).rejects.toMatchObject({
    kind: 'local',
    message: `cannot write ${path} (ENOTDIR)`,
    hints: ['set GWTOKEN_CONFIG_DIR to a writable directory'],
  });
});
