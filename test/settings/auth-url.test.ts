import { describe, expect, test } from 'vitest';
import { requireAuthUrl, resolveAuthUrl } from '../../src/settings/resolve';
import { given, type Places } from './given';

describe('the auth URL', () => {
  const eu = { profile: 'acme', environment: 'production', region: 'eu' } as const;
  const sandbox = { ...eu, environment: 'sandbox' } as const;
  const at = (places: Places, client: typeof eu | typeof sandbox = eu) =>
    resolveAuthUrl(given(places), client)?.source.name;
  const url = 'https://id.example.com';

  test('the region’s name wins over the general one, and another region’s is not looked at', () => {
    const env = { GWTOKEN_AUTH_URL_EU: url, GWTOKEN_AUTH_URL: url, GWTOKEN_AUTH_URL_US: 'nonsense' };
    expect(at({ env })).toBe('GWTOKEN_AUTH_URL_EU');
    expect(at({ env: { ...env, GWTOKEN_AUTH_URL_EU: '' } })).toBe('GWTOKEN_AUTH_URL');
    expect(at({ env: { GWTOKEN_AUTH_URL_US: url } })).toBeUndefined();
  });

  test('the profile’s specific, its general, the general’s specific, the general’s general', () => {
    const own: Record<string, string> = { 'auth-url.eu': url, 'auth-url': url };
    const general: Record<string, string> = { ...own };
    const seen: (string | undefined)[] = [];
    for (const [values, key] of [
      [own, 'auth-url.eu'],
      [own, 'auth-url'],
      [general, 'auth-url.eu'],
      [general, 'auth-url'],
    ] as const) {
      seen.push(at({ general, profiles: { acme: own } }));
      delete values[key];
    }
    expect(seen).toEqual([
      'auth-url.eu of profile acme in /c.json',
      'auth-url of profile acme in /c.json',
      'auth-url.eu in /c.json',
      'auth-url in /c.json',
    ]);
    expect(at({ general, profiles: { acme: own } })).toBeUndefined();
  });

  test('with the sandbox, any name with SANDBOX wins over all without; else the region’s address serves both', () => {
    const env: Record<string, string> = {
      GWTOKEN_SANDBOX_AUTH_URL_EU: url,
      GWTOKEN_SANDBOX_AUTH_URL: url,
      GWTOKEN_AUTH_URL_EU: url,
    };
    const general = { 'sandbox.auth-url': url, 'auth-url.eu': url };
    expect(at({ env, general }, sandbox)).toBe('GWTOKEN_SANDBOX_AUTH_URL_EU');
    delete env['GWTOKEN_SANDBOX_AUTH_URL_EU'];
    expect(at({ env, general }, sandbox)).toBe('GWTOKEN_SANDBOX_AUTH_URL');
    delete env['GWTOKEN_SANDBOX_AUTH_URL'];
    expect(at({ env, general, profiles: { acme: { 'auth-url.eu': url } } }, sandbox)).toBe(
      'sandbox.auth-url in /c.json',
    );
    expect(at({ env }, sandbox)).toBe('GWTOKEN_AUTH_URL_EU');
    expect(at({ env: { GWTOKEN_SANDBOX_AUTH_URL: url } })).toBeUndefined();
    expect(at({ env, flags: { 'auth-url': url } }, sandbox)).toBe('--auth-url');
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
      'no auth URL given for region eu (GWTOKEN_AUTH_URL_EU is set but empty)',
    );
  });
});
