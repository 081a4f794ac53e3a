import { expect, test } from 'vitest';
import { openHome } from '../harness/homes/home';
import { type Bad, COMPLETE, expectRefusal, testRefusals } from '../harness/homes/refusals';

const config = (text: string): Pick<Bad, 'files'> => ({ files: { 'config/gwtoken/config.json': text } });
const secretFile = (content: string | Buffer): Pick<Bad, 'files' | 'env'> => ({
  files: { secret: content },
  env: { GWTOKEN_CLIENT_SECRET: '', GWTOKEN_CLIENT_SECRET_FILE: './secret' },
});
const authUrl = (url: string): Pick<Bad, 'args'> => ({ args: ['get', '--auth-url', url] });

const PROFILE = 'use 1 to 64 of a-z, 0-9, ".", "_" and "-", starting with a letter or digit';
const EXAMPLE = 'example: https://identity.example.com';
const ONE_LINE = 'provide only the secret, on one line';
const ONLY = 'the file must contain only the client secret';

const TABLE: Readonly<Record<string, Bad>> = {
  'no region': {
    env: { GWTOKEN_REGION: '' },
    says: [
      'no region set (GWTOKEN_REGION is empty)',
      'use --region eu or --region us, set GWTOKEN_REGION, or run: gwtoken config set region eu',
    ],
  },
  'an unknown region': {
    args: ['get', '-r', 'ap'],
    says: ['invalid region "ap" (from --region)', 'use eu or us'],
  },
  'a region in the config that is none': {
    env: { GWTOKEN_REGION: '' },
    ...config('{"region":"mars"}'),
    says: ['invalid region "mars" (from region in FILE)', 'use eu or us'],
  },
  'an upper-case profile': {
    args: ['get', '-p', 'Acme'],
    says: ['invalid profile name "Acme" (from --profile)', 'did you mean acme?', PROFILE],
  },
  'a profile with a slash': {
    env: { GWTOKEN_PROFILE: '../x' },
    says: ['invalid profile name "../x" (from GWTOKEN_PROFILE)', PROFILE],
  },
  'an empty profile': {
    args: ['get', '--profile', ''],
    says: ['invalid profile name "" (from --profile)', PROFILE],
  },
  'a profile of 65 characters': {
    args: ['get', '-p', 'x'.repeat(65)],
    says: [`invalid profile name "${'x'.repeat(65)}" (from --profile)`, PROFILE],
  },
  'no auth URL': {
    env: { GWTOKEN_AUTH_URL: '' },
    says: [
      'no auth URL set for region eu (GWTOKEN_AUTH_URL is empty)',
      'run: gwtoken config set auth-url.eu https://YOUR-AUTH-URL',
      'or use --auth-url URL, or set GWTOKEN_AUTH_URL_EU or GWTOKEN_AUTH_URL',
    ],
  },
  'no URL': { ...authUrl('identity'), says: ['auth URL "identity" (from --auth-url) is not a URL', EXAMPLE] },
  'a URL without a scheme': {
    ...authUrl('id.example.com/a'),
    says: [
      'auth URL "id.example.com/a" (from --auth-url) is not a URL',
      'did you mean https://id.example.com/a?',
    ],
  },
  'a URL with a newline': {
    ...authUrl('https://id.exa\nmple.com'),
    says: [
      'auth URL "https://id.exa\\nmple.com" (from --auth-url) contains a space, backslash or control character',
      EXAMPLE,
    ],
  },
  'a URL with backslashes': {
    ...authUrl('https:\\\\id.example.com'),
    says: [
      'auth URL "https:\\\\\\\\id.example.com" (from --auth-url) contains a space, backslash or control character',
      EXAMPLE,
    ],
  },
  'a URL of another scheme': {
    ...authUrl('ftp://id.example.com'),
    says: ['auth URL "ftp://id.example.com" (from --auth-url) must begin with https://', EXAMPLE],
  },
  'a URL with another placeholder': {
    ...authUrl('https://{REGION}.example.com'),
    says: [
      'auth URL "https://{REGION}.example.com" (from --auth-url) contains { or }',
      'the only placeholder is {region}',
    ],
  },
  'a URL with a query': {
    ...authUrl('https://id.example.com/?a=hidden'),
    says: [
      'auth URL "https://id.example.com/?***" (from --auth-url) contains a query or fragment',
      'use only the base URL, for example https://identity.example.com',
    ],
  },
  'a URL with a fragment': {
    ...authUrl('https://id.example.com/#a'),
    says: [
      'auth URL "https://id.example.com/#***" (from --auth-url) contains a query or fragment',
      'use only the base URL, for example https://identity.example.com',
    ],
  },
  'a URL with user info': {
    ...authUrl('https://user:hidden@id.example.com'),
    says: [
      'auth URL "https://***@id.example.com" (from --auth-url) contains a user name or password',
      'remove it; gwtoken login stores credentials in the keychain',
    ],
  },
  'http: to another machine': {
    env: { GWTOKEN_AUTH_URL: 'http://id.example.com' },
    says: [
      'auth URL "http://id.example.com" (from GWTOKEN_AUTH_URL) would send the client secret unencrypted',
      'use https://id.example.com',
    ],
  },
  'http: to an address that looks local': {
    ...authUrl('http://127.0.0.1.example.com'),
    says: [
      'auth URL "http://127.0.0.1.example.com" (from --auth-url) would send the client secret unencrypted',
      'use https://127.0.0.1.example.com',
    ],
  },
  'an address with the token path': {
    ...authUrl('https://id.example.com/x/oauth2/token/'),
    says: [
      'auth URL "https://id.example.com/x/oauth2/token/" (from --auth-url) already ends with /oauth2/token',
      'gwtoken adds that path; use https://id.example.com/x',
    ],
  },
  'a port that is none': {
    ...authUrl('https://id.example.com:99999'),
    says: ['auth URL "https://id.example.com:99999" (from --auth-url) is not a URL', EXAMPLE],
  },
  'a switch that is neither': {
    env: { GWTOKEN_SANDBOX: 'yes' },
    says: ['invalid value "yes" (from GWTOKEN_SANDBOX)', 'use 1, true, 0 or false'],
  },
  'a duration that is none': {
    args: ['get', '--timeout', '5 minutes'],
    says: ['invalid duration "5 minutes" (from --timeout)', 'use 90, 90s, 5m or 1h'],
  },
  'a time limit of nothing': {
    env: { GWTOKEN_TIMEOUT: '0' },
    says: ['invalid timeout "0" (from GWTOKEN_TIMEOUT)', 'use 1s to 1h'],
  },
  'too many retries': {
    args: ['get', '--retries', '11'],
    says: ['invalid retries "11" (from --retries)', 'use 0 to 10'],
  },
  'a minimum life that is none': {
    args: ['get', '--min-ttl', '-1'],
    says: ['invalid duration "-1" (from --min-ttl)', 'use 90, 90s, 5m or 1h'],
  },
  'a CA file that is not there': {
    args: ['get', '--ca-file', '/nowhere/ca.pem', '--auth-url', 'https://127.0.0.1:9'],
    says: [
      'the CA file /nowhere/ca.pem cannot be read (ENOENT)',
      'pass a PEM file with --ca-file, GWTOKEN_CA_FILE or the config key ca-file',
    ],
  },
  'half a pair: no secret': {
    unset: 'GWTOKEN_CLIENT_SECRET',
    says: [
      'GWTOKEN_CLIENT_ID is set but GWTOKEN_CLIENT_SECRET is not',
      'set GWTOKEN_CLIENT_SECRET too, or unset GWTOKEN_CLIENT_ID to use other credentials',
    ],
  },
  'half a pair: an empty secret': {
    env: { GWTOKEN_CLIENT_SECRET: '' },
    says: [
      'GWTOKEN_CLIENT_ID is set but GWTOKEN_CLIENT_SECRET is empty (CI systems withhold secrets from forks)',
      'set GWTOKEN_CLIENT_SECRET, or unset GWTOKEN_CLIENT_ID to use other credentials',
    ],
  },
  'half a pair: an empty id': {
    env: { GWTOKEN_CLIENT_ID: '' },
    says: [
      'GWTOKEN_CLIENT_SECRET is set but GWTOKEN_CLIENT_ID is empty (CI systems withhold secrets from forks)',
      'set GWTOKEN_CLIENT_ID, or unset GWTOKEN_CLIENT_SECRET to use other credentials',
    ],
  },
  'half of the region’s pair beside a whole general one': {
    env: { GWTOKEN_CLIENT_ID_EU: 'x' },
    says: [
      'GWTOKEN_CLIENT_ID_EU is set but GWTOKEN_CLIENT_SECRET_EU is not',
      'set GWTOKEN_CLIENT_SECRET_EU too, or unset GWTOKEN_CLIENT_ID_EU to use other credentials',
    ],
  },
  'a secret given both ways': {
    env: { GWTOKEN_CLIENT_SECRET_FILE: './secret' },
    files: { secret: 'x' },
    says: ['both GWTOKEN_CLIENT_SECRET and GWTOKEN_CLIENT_SECRET_FILE are set', 'unset one of them'],
  },
  'a newline in a secret': {
    env: { GWTOKEN_CLIENT_SECRET: 'a\nb' },
    says: [
      'the client secret from GWTOKEN_CLIENT_SECRET contains a control character (such as a newline)',
      ONE_LINE,
    ],
  },
  'a secret file with two lines': {
    ...secretFile('a\nb\n'),
    says: [
      'the client secret from ./secret (GWTOKEN_CLIENT_SECRET_FILE) contains a control character (such as a newline)',
      ONE_LINE,
    ],
  },
  'a secret file with two ends of line': {
    ...secretFile('a\n\n'),
    says: [
      'the client secret from ./secret (GWTOKEN_CLIENT_SECRET_FILE) contains a control character (such as a newline)',
      ONE_LINE,
    ],
  },
  'a secret file with a NUL': {
    ...secretFile('a\0b'),
    says: [
      'the client secret from ./secret (GWTOKEN_CLIENT_SECRET_FILE) contains NUL bytes',
      'it looks like UTF-16 text: save it as UTF-8',
    ],
  },
  'a secret file in UTF-16': {
    ...secretFile(Buffer.from('\ufeffsecret', 'utf16le')),
    says: [
      'the client secret from ./secret (GWTOKEN_CLIENT_SECRET_FILE) contains NUL bytes',
      'it looks like UTF-16 text: save it as UTF-8',
    ],
  },
  'a secret file in Latin-1': {
    ...secretFile(Buffer.from([0x61, 0xe9])),
    says: [
      'the client secret from ./secret (GWTOKEN_CLIENT_SECRET_FILE) is not UTF-8 text',
      'save it as UTF-8',
    ],
  },
  'an empty secret file': {
    ...secretFile('\n'),
    says: ['the client secret from ./secret (GWTOKEN_CLIENT_SECRET_FILE) is empty', ONE_LINE],
  },
  'a secret file of a megabyte': {
    ...secretFile('x'.repeat(1 << 20)),
    says: ['cannot read ./secret (from GWTOKEN_CLIENT_SECRET_FILE): EFBIG', ONLY],
  },
  'a secret file that is not there': {
    env: { GWTOKEN_CLIENT_SECRET: '', GWTOKEN_CLIENT_SECRET_FILE: '/nowhere/s' },
    says: ['cannot read /nowhere/s (from GWTOKEN_CLIENT_SECRET_FILE): no such file', ONLY],
  },
  'a secret in the variable for its file': {
    env: { GWTOKEN_CLIENT_SECRET: '', GWTOKEN_CLIENT_SECRET_FILE: 'hidden' },
    says: ['cannot read the file (from GWTOKEN_CLIENT_SECRET_FILE): no such file', ONLY],
  },
  'a client id with a control character': {
    env: { GWTOKEN_CLIENT_ID: 'a\tb' },
    says: [
      'GWTOKEN_CLIENT_ID contains a character that is not allowed in a client ID',
      'set it to the client ID only, on one line',
    ],
  },
};

testRefusals('bad settings and credentials', TABLE);

test('what the table begins with is not refused by itself', async () => {
  const result = await openHome(COMPLETE).gwtoken(['get', '--retries', '0']);
  expectRefusal(result, 6);
  expect(result.stderr).toContain('127.0.0.1:9');
});
