import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { GwtokenError } from '../../../src/errors';
import { openConfig, readConfig } from '../../../src/system/files/config-file';
import { tryLock } from '../../../src/system/files/lock';
import { directoryOf } from '../../../src/system/files/paths';
import { onCleanup } from '../../harness/clean-up';
import { inVariables, MACHINE } from '../../harness/homes/client';
import { openDirectory } from '../../harness/homes/directory';
import { openHome } from '../../harness/homes/home';
import { refusal } from '../../settings/refusal';

let directory: string;
let file: string;
beforeEach(() => {
  directory = openDirectory();
  file = join(directory, 'config.json');
});
const capabilities = '-dac_override,-dac_read_search';
/** Runs a program without root's capabilities to ignore file modes. */
const wrapper =
  process.getuid?.() === 0
    ? ['setpriv', `--bounding-set=${capabilities}`, `--inh-caps=${capabilities}`, '--']
    : [];

const put = (text: string) => writeFileSync(file, text, { mode: 0o600 });

test('a missing config file means no settings and no stored clients', () => {
  put('{}');
  for (const path of [join(directory, 'none'), join(file, 'below')])
    expect(readConfig(path, MACHINE)).toEqual({ path, noHome: [], general: {}, profiles: {} });
  const noHome = directoryOf('config', {}, 'linux') as GwtokenError;
  const { config, clients } = openConfig(noHome, MACHINE);
  expect(config.read()).toEqual({
    path: 'no config file',
    noHome: noHome.hints,
    general: {},
    profiles: {},
  });
  for (const path of [directory, file]) expect(openConfig(path, MACHINE).clients.read()).toEqual({});
  expect(clients.read()).toEqual({});
});

test('readConfig() reads strings, numbers and booleans, general and per profile', () => {
  put('{"region":"eu","retries":1,"sandbox":true,"profiles":{"acme":{"retries":2},"other":{}}}');
  expect(readConfig(file, MACHINE)).toEqual({
    path: file,
    noHome: [],
    general: { region: 'eu', retries: 1, sandbox: true },
    profiles: { acme: { retries: 2 }, other: {} },
  });
});

test('writing a file removes the temporary file that a killed process left behind', async () => {
  writeFileSync(`${file}.tmp`, 'half of');
  await openConfig(directory, MACHINE).config.edit({ key: 'region', value: 'eu' });
  expect(readdirSync(directory)).toEqual(['config.json']);
});

test('edit() removes a key that conf keeps for itself', async () => {
  put('{"region":"eu","__internal__":{}}');
  await openConfig(directory, MACHINE).config.edit({ key: '__internal__', value: undefined });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ region: 'eu' });
});

test.each([
  ['is not valid JSON', ''],
  ['must contain a JSON object', 'null'],
  ['must contain a JSON object', '[]'],
  ['must contain a JSON object for "profiles"', '{"profiles":null}'],
  ['must contain a JSON object for "acme"', '{"profiles":{"acme":"x"}}'],
  ['cannot be read: file too large', `{}${' '.repeat(1024 * 1024 - 1)}`],
])('readConfig() reports that a file %s', (problem, text) => {
  put(text);
  expect(refusal(() => readConfig(file, MACHINE))).toEqual({
    message: `config file ${file} ${problem}`,
    hints: [`fix ${file}, or rename it to start without it`],
  });
});

test('doctor and config set report a directory that is not writable', async ({ needs }) => {
  needs('posix');
  chmodSync(directory, 0o500);
  onCleanup(() => chmodSync(directory, 0o700));
  const directories = { GWTOKEN_CONFIG_DIR: directory, GWTOKEN_CACHE_DIR: directory };
  const options = { env: { ...inVariables('http://127.0.0.1:9'), ...directories }, wrapper };
  const { stdout } = await openHome().gwtoken(['doctor'], options);
  for (const which of ['config', 'cache'])
    expect(stdout).toMatch(new RegExp(`^warn ${which} directory +${directory} is not writable$`, 'm'));
  expect(await openHome().gwtoken(['config', 'set', 'region', 'eu'], options)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`cannot write ${file}`),
  });
});

test('get reports a config directory that cannot be searched', async ({ needs }) => {
  needs('posix');
  const closed = join(directory, 'closed');
  mkdirSync(join(closed, 'inner'), { recursive: true });
  chmodSync(closed, 0o000);
  onCleanup(() => chmodSync(closed, 0o700));
  const env = { GWTOKEN_CONFIG_DIR: join(closed, 'inner') };
  expect(await openHome().gwtoken(['get'], { env, wrapper })).toMatchObject({
    code: 2,
    stderr:
      `gwtoken: error: config file ${closed}/inner/config.json cannot be read: permission denied\n` +
      'hint: run gwtoken as its owner, or set GWTOKEN_CONFIG_DIR to a directory you own\n',
  });
});

test('invalid entries in the list of stored clients are ignored', () => {
  const entry = { client_id: 'id', auth_url: 'https://a.example.com' };
  writeFileSync(
    join(directory, 'clients.json'),
    JSON.stringify({
      known: { ...entry, more: 1 },
      null: null,
      'a number for an ID': { ...entry, client_id: 1 },
      'no auth URL': { ...entry, auth_url: undefined },
    }),
    { mode: 0o600 },
  );
  expect(openConfig(directory, MACHINE).clients.read()).toEqual({
    known: { clientId: 'id', authUrl: 'https://a.example.com', loginId: '' },
  });
});

function takeLock(): () => void {
  const lock = tryLock(join(directory, 'config.lock'), MACHINE);
  if (!lock?.held) throw new Error('another process holds the lock');
  return lock.release;
}
const edit = () => openConfig(directory, MACHINE).config.edit({ key: 'retries', value: '1' });

test('edit() reads the config file again under the lock', async () => {
  put('{}');
  const release = takeLock();
  const edited = edit();
  // Some editors begin a file with a byte order mark.
  put('\uFEFF{"region":"us"}');
  release();
  await edited;
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ region: 'us', retries: '1' });
});

test('edit() releases the lock and leaves the file unchanged after a failure', async () => {
  put('{}');
  const release = takeLock();
  const refused = edit();
  put('{');
  release();
  await expect(refused).rejects.toMatchObject({
    kind: 'usage',
    message: `config file ${file} is not valid JSON`,
    hints: [`fix ${file}, or rename it to start without it`],
  });
  const releaseNext = takeLock();
  releaseNext();
  expect(readFileSync(file, 'utf8')).toBe('{');
});

test('checkWritable() reports a directory that cannot be created', async () => {
  put('{}');
  const path = join(file, 'below', 'config.json');
  await expect(openConfig(dirname(path), MACHINE).config.checkWritable()).rejects.toMatchObject({
    kind: 'local',
    message: `cannot write ${path}: not a directory`,
    hints: ['set GWTOKEN_CONFIG_DIR to a writable directory'],
  });
});
