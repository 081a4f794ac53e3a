/** Secrets in variables, and texts that hide them. The precedence is in test/sessions/text/sources.txt. */
import { describe, expect, test } from 'vitest';
import { withoutCredentials } from '../../src/credentials/sources';
import { CREDENTIAL_VARIABLES, hideSecrets, variablesSource } from '../../src/credentials/variables';
import { settingsWith } from '../settings/places';

test('an empty variable for a secret file counts as unset', async () => {
  const pair = { GWTOKEN_CLIENT_ID: 'id', GWTOKEN_CLIENT_SECRET: 's', GWTOKEN_CLIENT_SECRET_FILE: '' };
  const env = { ...pair, GWTOKEN_REGION: 'eu' };
  const source = variablesSource(settingsWith({ env }), { env, readFile: () => expect.unreachable() });
  expect(source?.name).toBe('GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET');
});

test('no program gets the variables of any source', () => {
  const set = Object.fromEntries(CREDENTIAL_VARIABLES.map((name) => [name, 'a secret']));
  expect(withoutCredentials({ ...set, PATH: '/bin' })).toEqual({ PATH: '/bin' });
});

describe('hideSecrets', () => {
  test.each([
    'GWTOKEN_CLIENT_SECRET',
    'GWTOKEN_CLIENT_SECRET_EU',
    'GWTOKEN_SANDBOX_CLIENT_SECRET_US',
    'GWTOKEN_CLIENT_EU_SECRET',
    'gwtoken_client_secret',
    'OKTA_CLIENT_SECRET',
  ])('hides the secret in %s', (name) => {
    expect(hideSecrets('s3cr3t-1 or "s3cr3t-1"', { [name]: 's3cr3t-1' })).toBe('*** or ***');
  });

  test('shows the path in GWTOKEN_CLIENT_SECRET_FILE', () => {
    expect(hideSecrets('/run/secret', { GWTOKEN_CLIENT_SECRET_FILE: '/run/secret' })).toBe('/run/secret');
  });

  test('hides a secret of less than 8 characters only in quotes', () => {
    const shown = hideSecrets('"testing" while testing', { GWTOKEN_CLIENT_SECRET: 'testing' });
    expect(shown).toBe('*** while testing');
  });

  test('hides the part of a secret before an equals sign', () => {
    expect(hideSecrets('no key s3cr3t-1', { GWTOKEN_CLIENT_SECRET: 's3cr3t-1=rest' })).toBe('no key ***');
  });

  test('changes nothing if a variable is empty', () => {
    expect(hideSecrets('a "" b', { GWTOKEN_CLIENT_SECRET: '', GWTOKEN_CLIENT_SECRET_EU: undefined })).toBe(
      'a "" b',
    );
  });
});
