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
  ).hints;

const MISTAKES = {
  'begins and ends with a quote': ['"s3cret"', "'s3cret'"],
  'begins or ends with a space': [' s3cret', 's3cret '],
  'is a placeholder that nothing has replaced': [
    ...['$(GWTOKEN_CLIENT_SECRET)', `\${GWTOKEN_CLIENT_SECRET}`, '$GWTOKEN_CLIENT_SECRET', '{{ secret }}'],
    ...['%SECRET%', '<your secret>', '***', '#{SECRET}#', '__SECRET__', 'null', 'undefined', 'ChangeMe'],
  ],
  'is JSON; give only the value': ['{"client_secret":"s3cret"}'],
  'looks like a reference that nothing has resolved': [
    ...['op://vault/item/field', 'vault:secret/data/api#secret', 'ref+awssecrets://name'],
    ...['arn:aws:secretsmanager:eu-west-1:1:secret:api', 'ENC[AES256_GCM,data:abc=]', 'ENC(abc=)'],
    ...['@Microsoft.KeyVault(SecretUri=https://v.test/secrets/a)', 'projects/p/secrets/s/versions/latest'],
  ],
  'contains characters outside ASCII, often copied along': [
    ...['s3\u200bcret', '\u201cs3cret\u201d', 's3\u2013cret\u2026'],
  ],
};
test.each(Object.entries(MISTAKES))('withMistakes() names a secret that %s', (problem, secrets) => {
  for (const secret of secrets) expect([secret, mistakesIn(secret)]).toEqual([secret, [`SECRET ${problem}`]]);
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

test('withMistakes() finds no mistake in values that are only similar', () => {
  const similar = ['/nowhere/s3cret', 'builds/SECRET', 's3cret', 's3:cret', 'https://id.test', 'null0'];
  for (const secret of [...similar, 'a{"b"}', '"', '"s3cret', 's$(a)', 'a<b>', '**', '$s3cret', 'a b'])
    expect([secret, mistakesIn(secret)]).toEqual([secret, []]);
});

test('withMistakes() changes no other error', () => {
  const credentials = { clientId: "'id'", clientSecret: "'s'" };
  for (const error of [new GwtokenError('unreached', 'no'), new Error('a bug')])
    expect(withMistakes(error, credentials, { readFile })).toBe(error);
});
