import { expect, test } from 'vitest';
import { settingLines } from '../../src/settings/resolve';
import { settingsWith, type Values } from './places';

test('settingLines() returns each set or default value with its source', () => {
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
