import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { expectRefusal, openSession, treeOf } from './harness/session';

const posix = process.platform !== 'win32';
const root = process.getuid?.() === 0;
/** Enough to fetch a token with, from an address where nobody listens: what gets as far as that has not been refused. */
const COMPLETE = {
  GWTOKEN_REGION: 'eu',
  GWTOKEN_AUTH_URL: 'http://127.0.0.1:9',
  GWTOKEN_CLIENT_ID: 'id',
  GWTOKEN_CLIENT_SECRET: 'secret',
};

interface Bad {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A variable of the complete ones to leave out. */
  readonly unset?: string;
  readonly stdin?: string | Buffer;
  /** Files below the home's folder, by their path. */
  readonly files?: Readonly<Record<string, string | Buffer>>;
  readonly before?: (folder: string) => void;
  readonly code?: number;
  /** What the error or its hints have to name: the value, where it came from, the next step. */
  readonly says: readonly (string | RegExp)[];
}
const config = (text: string): Pick<Bad, 'files'> => ({ files: { 'config/gwtoken/config.json': text } });
const secretFile = (content: string | Buffer): Pick<Bad, 'files' | 'env'> => ({
  files: { secret: content },
  env: { GWTOKEN_CLIENT_SECRET: '', GWTOKEN_CLIENT_SECRET_FILE: './secret' },
});
const authUrl = (url: string): Pick<Bad, 'args'> => ({ args: ['get', '--auth-url', url] });

const TABLE: Readonly<Record<string, Bad>> = {
  'no region': {
    env: { GWTOKEN_REGION: '' },
    says: ['--region', 'GWTOKEN_REGION is set but empty', 'config set region'],
  },
  'an unknown region': { args: ['get', '-r', 'ap'], says: ['"ap"', '--region', 'eu or us'] },
  'an upper-case region': {
    env: { GWTOKEN_REGION: 'EU' },
    says: ['"EU"', 'GWTOKEN_REGION', 'did you mean eu?'],
  },
  'a region in the config that is none': {
    env: { GWTOKEN_REGION: '' },
    ...config('{"region":"mars"}'),
    says: ['"mars"', 'region in ', 'config.json'],
  },
  'an upper-case profile': { args: ['get', '-p', 'Acme'], says: ['"Acme"', '--profile', 'use acme'] },
  'a profile with a slash': { env: { GWTOKEN_PROFILE: '../x' }, says: ['"../x"', 'GWTOKEN_PROFILE'] },
  'an empty profile': { args: ['get', '--profile', ''], says: ['""', '--profile'] },
  'a profile of 65 characters': { args: ['get', '-p', 'x'.repeat(65)], says: ['--profile', '1 to 64'] },
  'no auth URL': {
    env: { GWTOKEN_AUTH_URL: '' },
    says: ['no auth URL', 'GWTOKEN_AUTH_URL is set but empty', 'config set auth-url.eu', '--auth-url'],
  },
  'no URL': { ...authUrl('identity'), says: ['"identity"', '--auth-url', 'https://'] },
  'a URL without a scheme': {
    ...authUrl('id.example.com/a'),
    says: ['did you mean https://id.example.com/a?'],
  },
  'a URL with a newline': { ...authUrl('https://id.exa\nmple.com'), says: ['\\n', 'control character'] },
  'a URL with backslashes': { ...authUrl('https:\\\\id.example.com'), says: ['backslash'] },
  'a URL of another scheme': { ...authUrl('ftp://id.example.com'), says: ['neither https: nor http:'] },
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
    says: ['token endpoint', 'use https://id.example.com/x'],
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
    says: ['GWTOKEN_CLIENT_ID is set', 'GWTOKEN_CLIENT_SECRET is empty', 'CI secrets are not given to forks'],
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
    says: ['/nowhere/s', 'GWTOKEN_CLIENT_SECRET_FILE', 'ENOENT'],
  },
  'a secret in the variable for its file': {
    env: { GWTOKEN_CLIENT_SECRET: '', GWTOKEN_CLIENT_SECRET_FILE: 'hidden' },
    says: ['GWTOKEN_CLIENT_SECRET_FILE', 'ENOENT'],
  },
  'a client id with a control character': { env: { GWTOKEN_CLIENT_ID: 'a\tb' }, says: ['GWTOKEN_CLIENT_ID'] },
  'a config file that others can write': {
    ...config('{}'),
    before: (folder) => chmodSync(join(folder, 'config/gwtoken/config.json'), 0o666),
    says: ['config.json', 'can be written by others (mode 666)', 'chmod go-w'],
  },
  'config set on one: its content is not made trusted': {
    ...config('{"credential-command":"evil"}'),
    before: (folder) => chmodSync(join(folder, 'config/gwtoken/config.json'), 0o620),
    args: ['config', 'set', 'retries', '1'],
    says: ['can be written by others (mode 620)'],
  },
  'a config file of another user': {
    ...config('{}'),
    before: (folder) => chownSync(join(folder, 'config/gwtoken/config.json'), 1234, 1234),
    says: ['config.json', 'belongs to another user (uid 1234)', 'GWTOKEN_CONFIG_DIR'],
  },
  'config set in another user’s home': {
    before: (folder) => chownSync(folder, 1234, 1234),
    args: ['config', 'set', 'retries', '1'],
    says: ['belongs to another user (uid 1234)'],
  },
  'login in another user’s home': {
    before: (folder) => chownSync(folder, 1234, 1234),
    args: ['login', '--client-id', 'x', '--secret-stdin'],
    stdin: 'x',
    says: ['belongs to another user (uid 1234)'],
  },
  'a folder in place of the config file': {
    before: (folder) => mkdirSync(join(folder, 'config/gwtoken/config.json'), { recursive: true }),
    says: ['config.json', 'EISDIR'],
  },
  'a link to nowhere in place of the config file': {
    before: (folder) => {
      mkdirSync(join(folder, 'config/gwtoken'), { recursive: true });
      symlinkSync('../../dotfiles/config.json', join(folder, 'config/gwtoken/config.json'));
    },
    args: ['config', 'set', 'retries', '1'],
    code: 1,
    says: ['is a link to ../../dotfiles/config.json, which is not there'],
  },
  'a config file that is not JSON': { ...config('{"hidden":'), says: ['config.json', 'is not valid JSON'] },
  'config set on one': {
    ...config('{"hidden":'),
    args: ['config', 'set', 'retries', '1'],
    says: ['is not valid JSON'],
  },
  'a config file that is a list': { ...config('[1]'), says: ['does not hold a JSON object'] },
  'a config file with a nested value': { ...config('{"auth-url":{"eu":"hidden"}}'), says: ['"auth-url"'] },
  'profiles that are none': {
    ...config('{"profiles":"x"}'),
    args: ['config', 'set', 'retries', '1'],
    says: ['does not hold a JSON object'],
  },
  'a config file with an unknown key': {
    ...config('{"regoin":"eu"}'),
    says: ['"regoin"', 'config.json', 'gwtoken config unset regoin'],
  },
  'a profile with a key that it cannot have': {
    ...config('{"profiles":{"a":{"cache":"off"}}}'),
    says: ['cache', '(a)', 'gwtoken config unset cache --profile a'],
  },
  'config set of an unknown key': {
    args: ['config', 'set', 'regoin', 'eu'],
    says: ['"regoin"', 'the keys are: region, '],
  },
  'config set of a credential': {
    args: ['config', 'set', 'client-secret', 'hidden'],
    says: ['gwtoken login'],
  },
  'config set of __proto__': { args: ['config', 'set', '__proto__', 'x'], says: ['"__proto__"'] },
  'config set of a bad value': {
    args: ['config', 'set', 'auth-url.us', 'us.example.com'],
    says: ['the command line', 'did you mean https://us.example.com?'],
  },
  'config set of a key that no profile has': {
    args: ['config', 'set', 'cache', 'off', '-p', 'a'],
    says: ['cache', 'gwtoken config set cache VALUE'],
  },
  'config get of an unknown key': { args: ['config', 'get', 'regoin'], says: ['"regoin"'] },
  'config get of what has no value': {
    args: ['config', 'get', 'region'],
    says: ['config.json', 'gwtoken config set region VALUE'],
  },
  'config unset of an unknown key': { args: ['config', 'unset', 'regoin'], says: ['"regoin"'] },
  'config with nothing': {
    args: ['config'],
    says: ['gwtoken config needs one of: list, get, set, unset, path'],
  },
  'config with an unknown verb': { args: ['config', 'add'], says: ["'add'", 'gwtoken config --help'] },
  'config get without a key': { args: ['config', 'get'], says: ["'key'", 'gwtoken config get --help'] },
  'config set with a value in two words': {
    args: ['config', 'set', 'timeout', '5', 'm'],
    says: ['gwtoken config set <key> <value>', 'quote'],
  },
  'an unknown flag': {
    args: ['get', '--regoin', 'eu'],
    says: ["'--regoin'", 'Did you mean --region?', 'gwtoken get --help'],
  },
  'a flag that would take a secret': {
    args: ['login', '--client-secret=hidden'],
    says: ["'--client-secret'", '--secret-stdin'],
  },
  'an unknown command': { args: ['gett'], says: ["'gett'", 'Did you mean get?', 'gwtoken --help'] },
  'an unknown command on two lines': { args: ['x\nhint: y'], says: ['\\u000a'] },
  'a flag without its value': { args: ['get', '--region'], says: ['--region', 'argument missing'] },
  'an argument where none belongs': {
    args: ['login', 'id', 'hidden'],
    says: ['gwtoken login takes no arguments'],
  },
  'an unknown format': {
    args: ['get', '--format', 'yaml'],
    says: ['"yaml"', '--format', 'token, json, header, curl'],
  },
};

describe.concurrent('bad input is refused with one error line and a hint, and changes nothing', () => {
  test.for(Object.entries(TABLE))('%s', async ([, bad], { skip }) => {
    skip(!posix && bad.before !== undefined, 'needs POSIX owners and modes');
    skip(!root && String(bad.before).includes('chown'), 'needs root: chown');
    const session = openSession();
    try {
      const folder = session.home.dir;
      for (const [path, content] of Object.entries(bad.files ?? {})) {
        mkdirSync(join(folder, path, '..'), { recursive: true, mode: 0o700 });
        writeFileSync(join(folder, path), content, { mode: 0o600 });
      }
      bad.before?.(folder);
      const before = treeOf(folder);
      const given = Object.entries({ ...COMPLETE, ...bad.env }).filter(([name]) => name !== bad.unset);
      const result = await session.gwtoken(bad.args ?? ['get'], {
        env: Object.fromEntries(given),
        cwd: folder,
        ...(bad.stdin === undefined ? {} : { stdin: bad.stdin }),
      });
      expectRefusal(result, bad.code ?? 2);
      for (const part of bad.says)
        expect(result.stderr).toMatch(part instanceof RegExp ? part : literal(part));
      expect(result.stderr).not.toContain('hidden');
      expect(treeOf(folder)).toEqual(before);
    } finally {
      session.remove();
    }
  });

  test('what the table begins with is not refused by itself', async () => {
    const session = openSession();
    try {
      const result = await session.gwtoken(['get', '--retries', '0'], { env: COMPLETE });
      expectRefusal(result, 6);
    } finally {
      session.remove();
    }
  });
});

function literal(text: string): RegExp {
  return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
}
