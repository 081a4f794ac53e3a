/** A CA file that is none, or only in part: Node would pass over it in silence. */
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { type GwtokenError, valueOrError } from '../../../src/errors';
import { readCaFile } from '../../../src/system/wire/authorities';
import { type Authority, makeAuthority } from '../../harness/endpoints/authority';
import { openFolder } from '../../harness/homes/folder';

let authority: Authority;
beforeAll(() => {
  authority = makeAuthority();
});

const GARBLED = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
const PASS = 'pass a PEM file with --ca-file, GWTOKEN_CA_FILE or the config key ca-file';
/** What is said of a file of this name, and advised. */
function refused(name: string, make: (path: string) => void) {
  const path = join(openFolder(), name);
  make(path);
  const error = valueOrError(() => readCaFile(path));
  expect(error).toMatchObject({ kind: 'usage' });
  const { message, hints } = error as GwtokenError;
  return { message: message.replaceAll(path, name), hints };
}

test.each<[string, (path: string) => void, string]>([
  ['folder', (path) => mkdirSync(path), 'cannot be read (EISDIR)'],
  ['text', (path) => writeFileSync(path, 'hello\n'), 'contains no PEM certificate'],
  ['empty', (path) => writeFileSync(path, ''), 'contains no PEM certificate'],
  ['second', (path) => writeFileSync(path, `${authority.ca}${GARBLED}`), 'contains an invalid certificate'],
  [
    'large',
    (path) => {
      writeFileSync(path, authority.ca);
      truncateSync(path, 4 * 1024 * 1024 + 1);
    },
    'is larger than 4 MiB',
  ],
])('readCaFile refuses a file: %s', (name, make, problem) => {
  expect(refused(name, make)).toEqual({ message: `the CA file ${name} ${problem}`, hints: [PASS] });
});

test('readCaFile says that there is no such file', () => {
  expect(refused('none', () => {})).toEqual({ message: 'no such CA file: none', hints: [PASS] });
});

test('readCaFile leaves out what is around the certificates', () => {
  const path = join(openFolder(), 'ca.pem');
  writeFileSync(path, `one\n${authority.ca}two\n${authority.selfSigned().cert}`);
  const certificates = [authority.ca, authority.selfSigned().cert].map((pem) => pem.trim());
  expect(readCaFile(path)).toBe(certificates.join('\n'));
});
