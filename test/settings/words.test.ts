/** Messages about settings: errors for missing ones, and lines with values and sources. */
import { describe, expect, test } from 'vitest';
import { settingLines } from '../../src/settings/resolve';
import { queryOf } from '../../src/token/query';
import { settingsWith, type Values } from './places';
import { refusal } from './refusal';

describe('the error for a missing setting', () => {
  const PAIR = { GWTOKEN_CLIENT_ID: 'id', GWTOKEN_CLIENT_SECRET: 'secret' };
  const CI_HELP = 'for CI, containers and servers, run: gwtoken help ci';

  test('queryOf() without an auth URL suggests commands and variables for this client', () => {
    const message = 'no auth URL set for region eu';
    const ways = 'or export GWTOKEN_AUTH_URL, or run: gwtoken config set auth-url.eu URL';
    const login = 'to set up this client, run: gwtoken login --region eu --sandbox';
    const flags = { region: 'eu', sandbox: true };
    const query = (env: Record<string, string>, prefersVariables: boolean) => {
      const settings = settingsWith({ flags, env: { ...PAIR, ...env }, prefersVariables });
      return refusal(
        () => queryOf(settings, { ...settings, readFile: () => expect.unreachable(), now: () => 0 }),
        settings,
      );
    };
    expect(query({}, false)).toEqual({ message, hints: [login, ways] });
    expect(query({ GWTOKEN_AUTH_URL: '' }, true).hints).toEqual([ways.replace('or ', ''), CI_HELP]);
  });
});

describe('descriptions of settings', () => {
  test('settingLines returns each set or default value with its source', () => {
    const lines = (values: Values) => settingLines(settingsWith(values));
    const flags = { region: 'us', 'auth-url': 'https://{region}.test' };
    expect(
      lines({
        flags: { ...flags, cache: false },
        env: { GWTOKEN_MIN_TTL: '90', GWTOKEN_KEYCHAIN_TIMEOUT: '1m' },
        general: { 'api-url': 'x', 'ca-file': '/ca.pem', 'credential-command': 'pass show secret' },
        profiles: { default: { timeout: '1h' } },
      }).slice(4),
    ).toEqual([
      'API URL: API URL "x" (from api-url in /c.json) is not a valid https:// URL',
      'min-ttl: 1 min 30 s (GWTOKEN_MIN_TTL)',
      'timeout: 1 h (timeout of profile default in /c.json)',
      'retries: 2 (default)',
      'cache: off (--no-cache)',
      'ca-file: /ca.pem (ca-file in /c.json)',
      'keychain-timeout: 1 min (GWTOKEN_KEYCHAIN_TIMEOUT)',
      'credential-command: set (credential-command in /c.json)',
    ]);
  });
});
