/** What is said of settings: which one is missing, and what to do first; and where each comes from. */
import { describe, expect, test } from 'vitest';
import {
  firstRunHints,
  requireAuthUrl,
  resolveClient,
  resolveFetchSettings,
} from '../../src/settings/resolve';
import { SETTINGS } from '../../src/settings/table';
import { describeSetting, describeSettings, equivalents } from '../../src/settings/words';
import { EU } from '../harness/homes/client';
import { refusal } from './refusal';
import { type Places, sources } from './sources';

describe('a setting that is missing', () => {
  const LOGIN = 'to set up gwtoken, run: gwtoken login';
  const CI = { env: { CI: 'true' } };
  const CI_HELP = 'for CI examples, run: gwtoken help ci';

  test('on a first run leads to login, and in CI to its help', () => {
    expect(firstRunHints(sources({}))).toEqual([LOGIN]);
    expect(firstRunHints(sources(CI))).toEqual([CI_HELP]);
    for (const name of ['GWTOKEN_REGION', 'MY_GWTOKEN_CLIENT_ID', 'GWTOKEN_CLIENTS', 'GWTOKEN_SANDBOX_ID'])
      expect(firstRunHints(sources({ env: { [name]: 'x' } }))).toEqual([LOGIN]);
  });

  test.for<Places>([
    { general: { retries: 1 } },
    { profiles: { acme: {} } },
    { env: { GWTOKEN_CLIENT_SECRET_FILE_US: '' } },
  ])('is that one setting once %j is there', (places) => {
    expect(firstRunHints(sources(places))).toEqual([]);
  });

  test('the region: the error names all three ways', () => {
    const WAYS = 'use --region eu or --region us, set GWTOKEN_REGION, or run: gwtoken config set region eu';
    expect(refusal(() => resolveClient(sources({})))).toEqual({
      message: 'no region set',
      hints: [LOGIN, WAYS],
    });
    const env = { GWTOKEN_REGION: '' };
    expect(refusal(() => resolveClient(sources({ env, general: { retries: 1 } })))).toEqual({
      message: 'no region set (GWTOKEN_REGION is empty)',
      hints: [WAYS],
    });
  });

  test('the auth URL: the error leads to login, or in CI to a variable, and says what it is', () => {
    const ABOUT =
      "it is the token endpoint's URL without /oauth2/token; the gateway's operator or documentation has it";
    const sandbox = { ...EU, environment: 'sandbox' } as const;
    expect(refusal(() => requireAuthUrl(sources({}), sandbox))).toEqual({
      message: 'no auth URL set for region eu',
      hints: [
        'to set up this client, run: gwtoken login --region eu --sandbox',
        'to set only the auth URL, run: gwtoken config set auth-url.eu URL; or use --auth-url URL, or set GWTOKEN_AUTH_URL_EU or GWTOKEN_AUTH_URL',
        ABOUT,
      ],
    });
    const env = { CI: '1', GWTOKEN_AUTH_URL: '', GWTOKEN_AUTH_URL_US: '' };
    expect(refusal(() => requireAuthUrl(sources({ env }), { ...EU, region: 'us' }))).toEqual({
      message: 'no auth URL set for region us (GWTOKEN_AUTH_URL_US is empty) (GWTOKEN_AUTH_URL is empty)',
      hints: ['use --auth-url URL, or set GWTOKEN_AUTH_URL_US or GWTOKEN_AUTH_URL', CI_HELP, ABOUT],
    });
  });

  test('an auth URL that was checked before is not checked again', () => {
    const flags = { 'auth-url': 'not checked in {region}' };
    expect(requireAuthUrl(sources({ flags }), EU, 'not checked in eu')).toMatchObject({
      value: 'not checked in eu',
      template: 'not checked in {region}',
    });
    expect(() => requireAuthUrl(sources({ flags }), EU, 'not checked in us')).toThrow('contains a space');
  });
});

describe('settings in words', () => {
  test('are each with its source, and those that nobody set are left out but for the client’s and the defaults', () => {
    const lines = (places: Places) => {
      const from = sources(places);
      const client = resolveClient(from);
      const authUrl = requireAuthUrl(from, client.client);
      return describeSettings(client, authUrl, resolveFetchSettings(from, client.client.profile));
    };
    const flags = { region: 'us', 'auth-url': 'https://{region}.test' };
    expect(lines({ flags })).toEqual([
      'region: us (--region)',
      'environment: production (default)',
      'profile: default (default)',
      'auth URL: https://us.test (--auth-url)',
      'timeout: 10 s (default)',
      'retries: 2 (default)',
      'cache: on (default)',
    ]);
    expect(
      lines({
        flags: { ...flags, cache: false },
        env: { GWTOKEN_MIN_TTL: '90', GWTOKEN_KEYCHAIN_TIMEOUT: '1m' },
        general: { 'ca-file': '/ca.pem', 'credential-command': 'pass show secret' },
        profiles: { default: { timeout: '1h' } },
      }).slice(4),
    ).toEqual([
      'min-ttl: 1 min 30 s (GWTOKEN_MIN_TTL)',
      'timeout: 1 h (timeout of profile default in /c.json)',
      'retries: 2 (default)',
      'cache: off (--no-cache)',
      'ca-file: /ca.pem (ca-file in /c.json)',
      'keychain-timeout: 1 min (GWTOKEN_KEYCHAIN_TIMEOUT)',
      'credential-command: set (credential-command in /c.json)',
    ]);
  });

  test('say what holds if nothing is set', () => {
    expect(describeSetting(SETTINGS.minTtlMs, undefined)).toBe(
      '300 s or 20% of the lifetime, whichever is less (default)',
    );
    expect(describeSetting(SETTINGS.region, undefined)).toBe('none (default)');
  });

  test('name the variable and the key that do the same as a flag', () => {
    const { environment, authUrl, cache, credentialCommand } = SETTINGS;
    expect([environment, authUrl, cache, credentialCommand].map(equivalents)).toEqual([
      ['GWTOKEN_SANDBOX', 'sandbox'],
      ['GWTOKEN_AUTH_URL[_EU|_US]', 'auth-url[.eu|.us]'],
      ['GWTOKEN_NO_CACHE=1', 'cache'],
      ['', 'credential-command'],
    ]);
  });
});
