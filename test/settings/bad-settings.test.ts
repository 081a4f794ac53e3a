import { expect, test } from 'vitest';
import { openHome } from '../harness/homes/home';
import { type Bad, COMPLETE, expectRefusal, testRefusals } from '../harness/homes/refusals';

const config = (text: string): Pick<Bad, 'files'> => ({ files: { 'config/gwtoken/config.json': text } });
const secretFile = (content: string | Buffer): Pick<Bad, 'files' | 'env'> => ({
  files: { secret: content },
  env: { GWTOKEN_CLIENT_SECRET: '', GWTOKEN_CLIENT_SECRET_FILE: './secret' },
});
const authUrl = (url: string): Pick<Bad, 'args'> => ({ args: ['get', '--auth-url', url] });

const TABLE: Readonly<Record<string, Bad>> = {
  'no region': {
    env: { GWTOKEN_REGION: '' },
    says: ['--region', 'GWTOKEN_REGION is empty', 'config set region'],
  },
  'an unknown region': { args: ['get', '-r', 'ap'], says: ['"ap"', '--region', 'eu or us'] },
  'a region in the config that is none': {
    env: { GWTOKEN_REGION: '' },
    ...config('{"region":"mars"}'),
    says: ['"mars"', 'region in ', 'config.json'],
  },
  'an upper-case profile': {
    args: ['get', '-p', 'Acme'],
    says: ['"Acme"', '--profile', 'did you mean acme?'],
  },
  'a profile with a slash': { env: { GWTOKEN_PROFILE: '../x' }, says: ['"../x"', 'GWTOKEN_PROFILE'] },
  'an empty profile': { args: ['get', '--profile', ''], says: ['""', '--profile'] },
  'a profile of 65 characters': { args: ['get', '-p', 'x'.repeat(65)], says: ['--profile', '1 to 64'] },
  'no auth URL': {
    env: { GWTOKEN_AUTH_URL: '' },
    says: ['no auth URL', 'GWTOKEN_AUTH_URL is empty', 'config set auth-url.eu', '--auth-url'],
  },
  'no URL': { ...authUrl('identity'), says: ['"identity"', '--auth-url', 'https://'] },
  'a URL without a scheme': {
    ...authUrl('id.example.com/a'),
    says: ['did you mean https://id.example.com/a?'],
  },
  'a URL with a newline': { ...authUrl('https://id.exa\nmple.com'), says: ['\\n', 'control character'] },
  'a URL with backslashes': { ...authUrl('https:\\\\id.example.com'), says: ['backslash'] },
  'a URL of another scheme': { ...authUrl('ftp://id.example.com'), says: ['must begin with https://'] },
  'a URL with another placeholder': { ...authUrl('https://{REGION}.example.com'), says: ['{region}'] },
  'a URL with a query': { ...authUrl('https://id.example.com/?a=hidden'), says: ['query'] },
  'a URL with a fragment': { ...authUrl('https://id.example.com/#a'), says: ['fragment'] },
  'a URL with user info': {
    ...authUrl('https://user:hidden@id.example.com'),
    says: ['"https://***@id.example.com"'],
  },
  'http: to another machine': {
    env: { GWTOKEN_AUTH_URL: 'http://id.example.com' },
    says: ['"http://id.example.com"', 'GWTOKEN_AUTH_URL', 'unencrypted', 'use https://id.example.com'],
  },
  'http: to an address that looks local': {
    ...authUrl('http://127.0.0.1.example.com'),
    says: ['unencrypted'],
  },
  'an address with the token path': {
    ...authUrl('https://id.example.com/x/oauth2/token/'),
    says: ['already ends with /oauth2/token', 'use https://id.example.com/x'],
  },
  'a port that is none': { ...authUrl('https://id.example.com:99999'), says: ['is not a URL'] },
  'a switch that is neither': {
    env: { GWTOKEN_SANDBOX: 'yes' },
    says: ['"yes"', 'GWTOKEN_SANDBOX', '1, true, 0 or false'],
  },
  'a duration that is none': {
    args: ['get', '--timeout', '5 minutes'],
    says: ['"5 minutes"', '--timeout', '90s'],
  },
  'a time limit of nothing': { env: { GWTOKEN_TIMEOUT: '0' }, says: ['"0"', 'GWTOKEN_TIMEOUT'] },
  'too many retries': { args: ['get', '--retries', '11'], says: ['"11"', '--retries', '0 to 10'] },
  'a minimum life that is none': { args: ['get', '--min-ttl', '-1'], says: ['"-1"', '--min-ttl'] },
  'a CA file that is not there': {
    args: ['get', '--ca-file', '/nowhere/ca.pem', '--auth-url', 'https://127.0.0.1:9'],
    says: ['/nowhere/ca.pem', '--ca-file'],
  },
  'half a pair: no secret': {
    unset: 'GWTOKEN_CLIENT_SECRET',
    says: ['GWTOKEN_CLIENT_ID is set but GWTOKEN_CLIENT_SECRET is not', 'set GWTOKEN_CLIENT_SECRET too'],
  },
  'half a pair: an empty secret': {
    env: { GWTOKEN_CLIENT_SECRET: '' },
    says: [
      'GWTOKEN_CLIENT_ID is set',
      'GWTOKEN_CLIENT_SECRET is empty',
      '(CI systems withhold secrets from forks)',
    ],
  },
  'half a pair: an empty id': {
    env: { GWTOKEN_CLIENT_ID: '' },
    says: ['GWTOKEN_CLIENT_SECRET is set', 'GWTOKEN_CLIENT_ID is empty'],
  },
  'half of the region’s pair beside a whole general one': {
    env: { GWTOKEN_CLIENT_ID_EU: 'x' },
    says: ['GWTOKEN_CLIENT_ID_EU is set but GWTOKEN_CLIENT_SECRET_EU is not'],
  },
  'a secret given both ways': {
    env: { GWTOKEN_CLIENT_SECRET_FILE: './secret' },
    files: { secret: 'x' },
    says: ['both GWTOKEN_CLIENT_SECRET and GWTOKEN_CLIENT_SECRET_FILE'],
  },
  'a newline in a secret': {
    env: { GWTOKEN_CLIENT_SECRET: 'a\nb' },
    says: ['GWTOKEN_CLIENT_SECRET', 'control character'],
  },
  'a secret file with two lines': {
    ...secretFile('a\nb\n'),
    says: ['GWTOKEN_CLIENT_SECRET_FILE', 'control character'],
  },
  'a secret file with two ends of line': { ...secretFile('a\n\n'), says: ['control character'] },
  'a secret file with a NUL': { ...secretFile('a\0b'), says: ['NUL', 'UTF-16'] },
  'a secret file in UTF-16': {
    ...secretFile(Buffer.from('\ufeffsecret', 'utf16le')),
    says: ['UTF-16', 'UTF-8'],
  },
  'a secret file in Latin-1': { ...secretFile(Buffer.from([0x61, 0xe9])), says: ['UTF-8'] },
  'an empty secret file': { ...secretFile('\n'), says: ['GWTOKEN_CLIENT_SECRET_FILE', 'is empty'] },
  'a secret file of a megabyte': { ...secretFile('x'.repeat(1 << 20)), says: ['./secret', 'EFBIG'] },
  'a secret file that is not there': {
    env: { GWTOKEN_CLIENT_SECRET: '', GWTOKEN_CLIENT_SECRET_FILE: '/nowhere/s' },
    says: ['cannot read /nowhere/s (from GWTOKEN_CLIENT_SECRET_FILE): no such file\n'],
  },
  'a secret in the variable for its file': {
    env: { GWTOKEN_CLIENT_SECRET: '', GWTOKEN_CLIENT_SECRET_FILE: 'hidden' },
    says: ['cannot read the file (from GWTOKEN_CLIENT_SECRET_FILE): no such file\n'],
  },
  'a client id with a control character': { env: { GWTOKEN_CLIENT_ID: 'a\tb' }, says: ['GWTOKEN_CLIENT_ID'] },
};

testRefusals('bad settings and credentials', TABLE);

test('what the table begins with is not refused by itself', async () => {
  const result = await openHome(COMPLETE).gwtoken(['get', '--retries', '0']);
  expectRefusal(result, 6);
  expect(result.stderr).toContain('127.0.0.1:9');
});
