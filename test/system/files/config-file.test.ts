/** The config file and the list of stored clients: valid content, errors and writing. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { openConfig, readConfig } from '../../../src/system/files/config-file';
import { tryLock } from '../../../src/system/files/lock';
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
/** A wrapper whose program file modes bind: root goes without the capabilities that pass them over. */
const wrapper =
  process.getuid?.() === 0
    ? ['setpriv', `--bounding-set=${capabilities}`, `--inh-caps=${capabilities}`, '--']
    : [];

const put = (text: string) => writeFileSync(file, text, { mode: 0o600 });

const NO_HOME = 'HOME is not set to a directory; set it or GWTOKEN_CONFIG_DIR';

test('a missing file means no settings and no stored clients', () => {
  put('{}');
  for (const path of [join(directory, 'none'), join(file, 'below')])
    expect(readConfig(path, MACHINE)).toEqual({ path, general: {}, profiles: {} });
  const { config, clients } = openConfig(undefined, MACHINE);
  expect(config.read()).toEqual({ path: 'no config file', noHome: NO_HOME, general: {}, profiles: {} });
  for (const path of [directory, file]) expect(openConfig(path, MACHINE).clients.read()).toEqual({});
  expect(clients.read()).toEqual({});
});

test('values are strings, numbers and booleans, general or of a profile', () => {
  put('{"region":"eu","retries":1,"sandbox":true,"profiles":{"acme":{"retries":2},"other":{}}}');
  expect(readConfig(file, MACHINE)).toEqual({
    path: file,
    general: { region: 'eu', retries: 1, sandbox: true },
    profiles: { acme: { retries: 2 }, other: {} },
  });
});

test.each([
  ['', 'contains invalid JSON'],
  ['null', 'must contain a JSON object'],
  ['[]', 'must contain a JSON object'],
  ['{"profiles":null}', 'has an invalid value for "profiles" (use a JSON object)'],
  ['{"profiles":{"acme":"x"}}', 'has an invalid value for "acme" (use a JSON object)'],
  [
    '{"profiles":{"acme":{"a\\"b":["eu"]}}}',
    'has an invalid value for "a\\"b" (use a string, number or boolean)',
  ],
  [`{}${' '.repeat(1024 * 1024 - 1)}`, 'cannot be read: file too large'],
])('%.40s is rejected: it %s', (text, problem) => {
  put(text);
  expect(refusal(() => readConfig(file, MACHINE))).toEqual({
    message: `config file ${file} ${problem}`,
    hints: [`fix or delete ${file}`],
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

test('a directory that cannot be searched is reported', async ({ needs }) => {
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
      'no address': { ...entry, auth_url: undefined },
    }),
    { mode: 0o600 },
  );
  expect(openConfig(directory, MACHINE).clients.read()).toEqual({
    known: { clientId: 'id', authUrl: 'https://a.example.com' },
  });
});

/** Holds the lock until the returned function is called. */
async function hold(): Promise<() => void> {
  const turn = await tryLock(join(directory, 'config.lock'), MACHINE);
  if (!turn?.held) throw new Error('somebody else has the lock');
  return turn.release;
}

test('a change reads the file again under the lock', async () => {
  put('{}');
  const edit = () => openConfig(directory, MACHINE).config.edit([{ key: 'retries', value: 1 }]);
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

test('a directory that cannot be created is reported in advance', async () => {
  put('{}');
  const path = join(file, 'below', 'config.json');
  await expect(openConfig(dirname(path), MACHINE).config.checkWritable()).rejects.toMatchObject({
    kind: 'local',
    message: `cannot write ${path}: not a directory`,
    hints: ['set GWTOKEN_CONFIG_DIR to a writable directory'],
  });
});
