/** Mistakes in copied credentials, which the hints of a refusal name. */
import { expect, test } from 'vitest';
import { withMistakes } from '../../src/credentials/copy-mistakes';
import { GwtokenError } from '../../src/errors';

const refused = new GwtokenError('refused', 'no');
const PATHS = ['/builds/a.tmp/SECRET', 'C:\\builds\\SECRET'];
/** Reads the files of PATHS only. */
function readFile(path: string): Uint8Array {
  if (PATHS.includes(path)) return Buffer.from('s3cret');
  throw new Error('no such file');
}
const mistakesIn = (clientSecret: string, clientId = 'id', secretFile?: string) =>
  (
    withMistakes(
      refused,
      { clientId, clientSecret, names: { id: 'ID', secret: 'SECRET', secretFile } },
      { readFile },
    ) as GwtokenError
  ).subject.mistakes ?? [];

test.each([
  ['"s3cret"', 'begins and ends with a quote'],
  ["'s3cret'", 'begins and ends with a quote'],
  [' s3cret', 'begins or ends with a space'],
  ['s3cret ', 'begins or ends with a space'],
  ['$(GWTOKEN_CLIENT_SECRET)', 'is a placeholder that nothing has replaced'],
  [`\${GWTOKEN_CLIENT_SECRET}`, 'is a placeholder that nothing has replaced'],
  ['$GWTOKEN_CLIENT_SECRET', 'is a placeholder that nothing has replaced'],
  ['{{ secret }}', 'is a placeholder that nothing has replaced'],
  ['%SECRET%', 'is a placeholder that nothing has replaced'],
  ['<your secret>', 'is a placeholder that nothing has replaced'],
  ['***', 'is a placeholder that nothing has replaced'],
  ['#{SECRET}#', 'is a placeholder that nothing has replaced'],
  ['__SECRET__', 'is a placeholder that nothing has replaced'],
  ['null', 'is a placeholder that nothing has replaced'],
  ['undefined', 'is a placeholder that nothing has replaced'],
  ['ChangeMe', 'is a placeholder that nothing has replaced'],
  ['{"client_secret":"s3cret"}', 'is JSON; give only the value'],
  ['op://vault/item/field', 'looks like a reference that nothing has resolved'],
  ['vault:secret/data/api#secret', 'looks like a reference that nothing has resolved'],
  ['ref+awssecrets://name', 'looks like a reference that nothing has resolved'],
  ['arn:aws:secretsmanager:eu-west-1:1:secret:api', 'looks like a reference that nothing has resolved'],
  [
    '@Microsoft.KeyVault(SecretUri=https://v.test/secrets/a)',
    'looks like a reference that nothing has resolved',
  ],
  ['ENC[AES256_GCM,data:abc=]', 'looks like a reference that nothing has resolved'],
  ['ENC(abc=)', 'looks like a reference that nothing has resolved'],
  ['projects/p/secrets/s/versions/latest', 'looks like a reference that nothing has resolved'],
  ['s3\u200bcret', 'contains characters outside ASCII, often copied along'],
  ['\u201cs3cret\u201d', 'contains characters outside ASCII, often copied along'],
  ['s3\u2013cret\u2026', 'contains characters outside ASCII, often copied along'],
])('withMistakes() names the mistake in the secret %j', (secret, problem) => {
  expect(mistakesIn(secret)).toEqual([`SECRET ${problem}`]);
});

test('withMistakes() names the mistakes in the ID and in the secret', () => {
  expect(mistakesIn('"s3cret"', "'id'")).toEqual([
    'ID begins and ends with a quote',
    'SECRET begins and ends with a quote',
  ]);
});

test.each(PATHS)('withMistakes() names the variable for the file %s', (path) => {
  const problem = 'is the path of a file';
  expect(mistakesIn(path, 'id', 'SECRET_FILE')).toEqual([`SECRET ${problem}; set SECRET_FILE instead`]);
  expect(mistakesIn(path)).toEqual([`SECRET ${problem}`]);
  expect(mistakesIn('s3cret', path)[0]).toBe(`ID ${problem}`);
});

test.each([
  '/nowhere/s3cret',
  'builds/SECRET',
  's3cret',
  's3:cret',
  'https://id.test',
  'null0',
  'a{"b"}',
  '"',
  '"s3cret',
  's$(a)',
  'a<b>',
  '**',
  '$s3cret',
  'a b',
])('withMistakes() finds no mistake in the secret %j', (secret) => {
  expect(mistakesIn(secret)).toEqual([]);
});

test('withMistakes() changes no other error', () => {
  const credentials = { clientId: "'id'", clientSecret: "'s'" };
  for (const error of [new GwtokenError('unreached', 'no'), new Error('a bug')])
    expect(withMistakes(error, credentials, { readFile })).toBe(error);
});
