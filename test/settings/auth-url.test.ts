import { describe, expect, test } from 'vitest';
import { requireAuthUrl, resolveAuthUrl } from '../../src/settings/resolve';
import { given } from './given';

describe('the auth URL', () => {
  const eu = { profile: 'acme', environment: 'production', region: 'eu' } as const;

  test('another region’s, and for production the sandbox’s, is not looked at', () => {
    const env = { GWTOKEN_AUTH_URL_US: 'nonsense', GWTOKEN_SANDBOX_AUTH_URL: 'nonsense' };
    const general = { 'auth-url.us': 'nonsense', 'sandbox.auth-url': 'nonsense' };
    expect(resolveAuthUrl(given({ env, general }), eu)).toBeUndefined();
  });

  test('{region} is replaced everywhere, and what was written is kept', () => {
    const found = resolveAuthUrl(
      given({ env: { GWTOKEN_AUTH_URL: 'https://{region}.id.example.com/{region}/' } }),
      eu,
    );
    expect(found).toMatchObject({
      value: 'https://eu.id.example.com/eu',
      template: 'https://{region}.id.example.com/{region}/',
    });
  });

  test('without one the error names every way, and variables that are empty', () => {
    expect(() => requireAuthUrl(given({ env: { GWTOKEN_AUTH_URL_EU: '' } }), eu)).toThrow(
      'no auth URL set for region eu (GWTOKEN_AUTH_URL_EU is empty)',
    );
  });
});
