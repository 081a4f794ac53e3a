/** The certificates of a CA file, and invalid files, which Node would silently ignore. */
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type GwtokenError, valueOrError } from '../../../src/errors';
import { trustFile } from '../../../src/system/wire/certificates';
import { makeAuthority } from '../../harness/endpoints/authority';
import { openDirectory } from '../../harness/homes/directory';
import { shown } from './open-wire';

const GARBLED = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';

test.each<[problem: string, make: (path: string) => void]>([
  ['no such CA file: PATH', () => {}],
  ['the CA file PATH cannot be read: it is not a regular file', (path) => mkdirSync(path)],
  ['the CA file PATH contains no PEM certificate', (path) => writeFileSync(path, 'hello\n')],
  [
    'the CA file PATH contains an invalid certificate',
    (path) => writeFileSync(path, `${makeAuthority().ca}${GARBLED}`),
  ],
  [
    'the CA file PATH cannot be read: file too large',
    (path) => {
      writeFileSync(path, '');
      truncateSync(path, 4 * 1024 * 1024 + 1);
    },
  ],
])('trustFile() reports: %s', (problem, make) => {
  const path = join(openDirectory(), 'ca.pem');
  make(path);
  const { kind, message, hints } = shown(valueOrError(() => trustFile(path, {})) as GwtokenError);
  expect([kind, message]).toEqual(['usage', problem.replace('PATH', path)]);
  expect(hints).toEqual(['pass a PEM file with --ca-file']);
});

test('trustFile() trusts every certificate of a CA file', () => {
  const path = join(openDirectory(), 'ca.pem');
  const [first, second] = [makeAuthority().ca, makeAuthority().ca];
  writeFileSync(path, `# first\n${first}# second\n${second}`);
  const { ca = [], from } = trustFile(path, {});
  expect([ca.at(-1), from]).toEqual([`${first}${second}`.trim(), path]);
});
