/** What the config file and the list of stored clients may contain, and what is said of anything else. */
import { symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { openConfig, readConfig } from '../../../src/system/files/config-file';
import { MACHINE } from '../../harness/homes/client';
import { openFolder } from '../../harness/homes/folder';
import { refusal } from '../../settings/refusal';

let file: string;
beforeEach(() => {
  file = join(openFolder(), 'config.json');
});
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

const OBJECT = '(use a JSON object)';
const VALUE = '(use a string, number or boolean)';
test.each([
  ['', 'contains invalid JSON'],
  ['null', 'must contain a JSON object'],
  ['"x"', 'must contain a JSON object'],
  ['[]', 'must contain a JSON object'],
  ['{"profiles":null}', `has an invalid value for "profiles" ${OBJECT}`],
  ['{"profiles":{"acme":"x"}}', `has an invalid value for "acme" ${OBJECT}`],
  ['{"profiles":{"acme":{"region":["eu"]}}}', `has an invalid value for "region" ${VALUE}`],
  ['{"a\\"b":null}', `has an invalid value for "a\\"b" ${VALUE}`],
])('%s is refused: it %s', (text, problem) => {
  put(text);
  expect(refusal(() => readConfig(file, MACHINE))).toEqual({
    message: `config file ${file} ${problem}`,
    hints: [`fix or delete ${file}`],
  });
});

test('a file has a megabyte at most', () => {
  const longest = '{"region":"eu"}'.padEnd(1024 * 1024);
  put(longest);
  expect(readConfig(file, MACHINE).general).toEqual({ region: 'eu' });
  put(`${longest} `);
  expect(refusal(() => readConfig(file, MACHINE)).message).toBe(`config file ${file} cannot be read (EFBIG)`);
});

test.skipIf(process.platform === 'win32')(
  'a link that leads to itself is named with the code of the system',
  () => {
    symlinkSync(file, file);
    expect(refusal(() => readConfig(file, MACHINE))).toEqual({
      message: `config file ${file} cannot be read (ELOOP)`,
      hints: [`fix or delete ${file}`],
    });
  },
);

test('of the stored clients whatever is none is passed over', () => {
  const entry = { client_id: 'id', auth_url: 'https://a.example.com' };
  writeFileSync(
    join(dirname(file), 'clients.json'),
    JSON.stringify({
      known: { ...entry, more: 1 },
      null: null,
      text: 'x',
      'no ID': { ...entry, client_id: undefined },
      'a number for an ID': { ...entry, client_id: 1 },
      'no address': { ...entry, auth_url: undefined },
      'a number for an address': { ...entry, auth_url: 1 },
    }),
    { mode: 0o600 },
  );
  expect(openConfig(dirname(file), MACHINE).clients.read()).toEqual({
    known: { clientId: 'id', authUrl: 'https://a.example.com' },
  });
});
