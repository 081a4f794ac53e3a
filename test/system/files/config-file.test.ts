/** What the config file and the list of stored clients may contain, and what is said of anything else. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { openConfig, readConfig } from '../../../src/system/files/config-file';
import { onCleanup } from '../../harness/clean-up';
import { MACHINE } from '../../harness/homes/client';
import { openFolder } from '../../harness/homes/folder';
import { openHome } from '../../harness/homes/home';
import { refusal } from '../../settings/refusal';

let file: string;
beforeEach(() => {
  file = join(openFolder(), 'config.json');
});
const capabilities = '-dac_override,-dac_read_search';
/** A wrapper whose program file modes bind: root goes without the capabilities that pass them over. */
const wrapper =
  process.getuid?.() === 0
    ? ['setpriv', `--bounding-set=${capabilities}`, `--inh-caps=${capabilities}`, '--']
    : [];

const put = (text: string) => writeFileSync(file, text, { mode: 0o600 });

test('if there is no file, or can be none, nothing is set and no client stored', () => {
  put('{}');
  for (const path of [join(dirname(file), 'none'), join(file, 'below')])
    expect(readConfig(path, MACHINE)).toEqual({ path, general: {}, profiles: {} });
  const { config, clients } = openConfig(undefined, MACHINE);
  expect(config.read()).toEqual({ path: 'no config file', general: {}, profiles: {} });
  for (const folder of [dirname(file), file]) expect(openConfig(folder, MACHINE).clients.read()).toEqual({});
  expect(clients.read()).toEqual({});
});

test('a value is a string, a number or a boolean, for all or for a profile', () => {
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
  [`{}${' '.repeat(1024 * 1024 - 1)}`, 'cannot be read (EFBIG)'],
])('%.40s is refused: it %s', (text, problem) => {
  put(text);
  expect(refusal(() => readConfig(file, MACHINE))).toEqual({
    message: `config file ${file} ${problem}`,
    hints: [`fix or delete ${file}`],
  });
});

test('whoever may not look into the directory is told whose it is', async ({ needs }) => {
  needs('posix');
  const closed = join(dirname(file), 'closed');
  mkdirSync(join(closed, 'inner'), { recursive: true });
  chmodSync(closed, 0o000);
  onCleanup(() => chmodSync(closed, 0o700));
  const env = { GWTOKEN_CONFIG_DIR: join(closed, 'inner') };
  expect(await openHome().gwtoken(['get'], { env, wrapper })).toMatchObject({
    code: 2,
    stderr:
      `gwtoken: error: config file ${closed}/inner/config.json cannot be read (EACCES)\n` +
      'hint: run gwtoken as its owner, or set GWTOKEN_CONFIG_DIR to a directory you own\n',
  });
});

test('of the stored clients whatever is none is passed over', () => {
  const entry = { client_id: 'id', auth_url: 'https://a.example.com' };
  writeFileSync(
    join(dirname(file), 'clients.json'),
    JSON.stringify({
      known: { ...entry, more: 1 },
      null: null,
      'a number for an ID': { ...entry, client_id: 1 },
      'no address': { ...entry, auth_url: undefined },
    }),
    { mode: 0o600 },
  );
  expect(openConfig(dirname(file), MACHINE).clients.read()).toEqual({
    known: { clientId: 'id', authUrl: 'https://a.example.com' },
  });
});
