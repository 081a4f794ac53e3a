/** The quick path and the CLI give the same answer to the same command line. */
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { hmac } from '../../src/system/distribution';
import { entryPath } from '../../src/system/files/token-cache';
import { formatEntry } from '../../src/token/cache';
import { storedKey } from '../../src/token/key';
import { keyWith } from '../harness/homes/client';
import { inside } from '../harness/homes/in-process';

const A = 'https://a.example.com';
/** The auth URL as the flags of {@link PLAIN} spell it. Each spelling has its own tokens. */
const SPELLINGS = [A, `${A}/`, 'HTTPS://A.example.com:443/'];
const B = 'http://127.0.0.1:8080/id';
const spellings = (table: string): string[][] =>
  table.split(/[|\n]/).flatMap((each) => (each.trim() === '' ? [] : [each.trim().split(' ')]));

/** Typed words, likely ones first. */
const PLAIN = spellings(`
  --region eu | --region=us | -r eu | -r us | --sandbox | --no-sandbox
  --profile acme | --profile=default | -p acme
  --auth-url ${A} | --auth-url=${A}/ | --auth-url=HTTPS://A.example.com:443/
  --min-ttl 90 | --min-ttl=1h | --min-ttl 2h | --timeout 5s | --timeout=1m | --retries 0
  --ca-file /etc/ssl/ca.pem
  --format json | --format=json
`);
/** The unusual spellings of the grammar. */
const QUIRKS = [
  ...spellings(`
    --no-cache | --cache | --fresh | --verbose | --help | --version | get | --
    -reu | -r=eu | --region= | --region EU | --region | --region=-1 | --region --sandbox | --no-region eu
    --sandbox=1 | --no-sandbox=0 | --profile Acme | --profile __proto__ | -vp acme
    --min-ttl -5 | --timeout 0 | --ca-file --sandbox | --ca-file --
    --auth-url http://a.example.com | --auth-url https://{region}.example.com | --auth-url ${A}/oauth2/token
    --output - | --output /nowhere/file | --format header | --format yaml | --format constructor
    --no-format=json | --json=-- | --prefix EU_ | --prefix= | --prefix 1 | --unset
    --format sh | --format=fish | --format powershell | --format github-env
    --Region eu | -s | -- --region eu
  `),
  ['--region', ''],
  [''],
  ['--region\n', 'eu'],
];

const PAIR = { GWTOKEN_CLIENT_ID: 'client', GWTOKEN_CLIENT_SECRET: 'secret' };

const home = inside();
beforeEach(() => layOut({}));

interface Situation {
  readonly env?: Readonly<Record<string, string>>;
  readonly config?: object | string;
  /** Differences from the usual cached tokens. */
  readonly token?: { readonly ageS?: number; readonly lifetimeS?: number; readonly accessToken?: string };
  /** Auth URLs of the cached tokens as they are given. */
  readonly authUrls?: readonly string[];
  /** Owner of the cached tokens: `keychain`, or variables with this secret. */
  readonly owner?: string;
  readonly damage?: (text: string) => string;
  readonly mode?: number;
}

/** Lays out the variables, the config and an entry for each client. */
function layOut({
  env = {},
  config,
  token = {},
  authUrls = SPELLINGS,
  owner = 'keychain',
  damage = (text) => text,
  mode = 0o600,
}: Situation): void {
  home.env = { GWTOKEN_REGION: 'eu', GWTOKEN_AUTH_URL: A, ...env };
  rmSync(home.cache, { recursive: true, force: true });
  rmSync(home.config, { recursive: true, force: true });
  if (config !== undefined) home.configure(config);
  const { ageS = 10, lifetimeS = 3600, accessToken = 'a "token" with a \\' } = token;
  const requestedAtMs = home.nowMs - ageS * 1000;
  const pair = owner !== 'keychain' && { ...PAIR, GWTOKEN_CLIENT_SECRET: owner };
  mkdirSync(home.cache, { recursive: true, mode: 0o700 });
  for (const GWTOKEN_PROFILE of ['default', 'acme'])
    for (const GWTOKEN_SANDBOX of ['0', '1'])
      for (const GWTOKEN_REGION of ['eu', 'us'])
        for (const GWTOKEN_AUTH_URL of authUrls) {
          const selected = { GWTOKEN_PROFILE, GWTOKEN_SANDBOX, GWTOKEN_REGION, GWTOKEN_AUTH_URL };
          const key = keyWith({ env: { ...selected, ...pair } });
          const content = formatEntry({
            key: storedKey(key, 'salt', { hmac }),
            clientId: 'client',
            authUrl: A,
            token: { accessToken, tokenType: 'bearer', scope: 'read write', requestedAtMs, lifetimeS },
          });
          const path = entryPath(home.cache, key);
          writeFileSync(path, damage(content));
          chmodSync(path, mode);
        }
}

/** Returns whether the quick path answers. Checks that the CLI then prints the same without a request. */
async function isAnswered(argv: readonly string[]): Promise<boolean> {
  const stdout = await home.quick(argv);
  if (stdout === undefined) return false;
  const asked = home.posts.length + home.keychainCalls;
  expect({ argv, ...(await home.cli(argv)) }).toEqual({ argv, code: 0, stdout, stderr: '' });
  expect(home.posts.length + home.keychainCalls).toBe(asked);
  return true;
}

test('the CLI prints what the quick path prints for random flags', async () => {
  const flags = fc.array(fc.constantFrom(...PLAIN), { maxLength: 5 });
  const answered = new Set<string>();
  const command = fc.constantFrom('get', 'env');
  const property = fc.asyncProperty(command, flags, fc.nat({ max: 5 }), async (name, words, before) => {
    const argv = words.toSpliced(before, 0, [name]).flat();
    if (await isAnswered(argv)) for (const word of argv) answered.add(word);
  });
  await fc.assert(property, { numRuns: 200, seed: 1 });
  // A generator that never gets an answer would pass too.
  expect([...answered]).toEqual(expect.arrayContaining(PLAIN.flat().filter((word) => word !== '2h')));
});

test('the quick path treats unusual spellings like the CLI, or leaves them to it', async () => {
  const left: string[] = [];
  for (const quirk of QUIRKS)
    for (const argv of [
      ['get', ...quirk],
      ['env', ...quirk, '--region', 'eu'],
      ['get', '--region', 'eu', ...quirk],
      [...quirk, 'get'],
    ])
      if (!(await isAnswered(argv))) left.push(argv.join(' '));
  expect(left).toEqual(expect.arrayContaining(['get -vp acme', 'get --region --sandbox', 'get --fresh']));
  expect(left.length).toBeLessThan(4 * QUIRKS.length - 20);
});

const ANSWERED: Readonly<Record<string, Situation>> = {
  'variables select another client': {
    env: { GWTOKEN_SANDBOX: '1', GWTOKEN_PROFILE: 'acme', CI: 'true', NO_COLOR: '1' },
  },
  'credentials are in variables': { env: { ...PAIR, GWTOKEN_AUTH_URL: `${A}/` }, owner: 'secret' },
  'the auth URL contains {region}': {
    env: { GWTOKEN_AUTH_URL: 'https://{region}.test' },
    authUrls: ['https://{region}.test'],
  },
  'the auth URL is set for the region': { env: { GWTOKEN_AUTH_URL_EU: B }, authUrls: [B] },
  'the config has a long min-ttl': {
    config: { profile: 'acme', profiles: { acme: { region: 'us', 'min-ttl': '2h' } } },
  },
};
const LEFT_TO_CLI: Readonly<Record<string, Situation>> = {
  'the secret has changed': { env: { ...PAIR, GWTOKEN_CLIENT_SECRET: 'changed' }, owner: 'secret' },
  'the secret is empty': { env: { ...PAIR, GWTOKEN_CLIENT_SECRET: '' }, owner: 'secret' },
  'the secret is given twice': { env: { ...PAIR, GWTOKEN_CLIENT_SECRET_FILE: '/nowhere' }, owner: 'secret' },
  'the auth URL has changed': { env: { GWTOKEN_AUTH_URL: B } },
  'no region is set': { env: { GWTOKEN_REGION: '' } },
  'the token is older than a min-ttl allows': { env: { GWTOKEN_MIN_TTL: '2h' } },
  'a min-ttl is invalid': { env: { GWTOKEN_MIN_TTL: 'soon' } },
  'the number of retries is invalid': { env: { GWTOKEN_RETRIES: '99' } },
  'the keychain timeout is invalid': { env: { GWTOKEN_KEYCHAIN_TIMEOUT: 'x' } },
  'a variable turns the cache off': { env: { GWTOKEN_NO_CACHE: '1' } },
  'GitHub has to mask the token': { env: { GITHUB_ACTIONS: 'true' } },
  'the config turns the cache off': { config: { cache: 'off' } },
  'the config has a credential command': { config: { 'credential-command': 'true' } },
  'the config has an unknown key': { config: { regoin: 'eu' } },
  'the config is not JSON': { config: '{' },
  'a variable is misspelled': { env: { GWTOKEN_SANBOX: '1' } },
  'the token has only 200 s left': { token: { ageS: 3400 } },
  'the token is from the future': { token: { ageS: -5 } },
  'the entry is incomplete': { damage: (text) => text.slice(0, -20) },
  'the entry has no lifetime': { damage: (text) => text.replace('"lifetimeS":', '"lifetime":') },
  'others may write the entry': { mode: 0o666 },
};
const areAnswered = async () => [await isAnswered(['get']), await isAnswered(['env', '--format', 'json'])];

test.each(Object.entries(ANSWERED))('the quick path answers if %s', async (_, situation) => {
  layOut(situation);
  expect(await areAnswered()).toEqual([true, true]);
});

test.for(Object.entries(LEFT_TO_CLI))(
  'the quick path leaves the answer to the CLI if %s',
  async ([, situation], { needs }) => {
    needs(situation.mode === undefined ? undefined : 'posix');
    layOut(situation);
    expect(await areAnswered()).toEqual([false, false]);
  },
);

test('the quick path leaves env on a terminal to the CLI, which says what to type', () => {
  expect(home.quick(['env'])).toBeDefined();
  home.own = { stdout: { isTTY: () => true, write() {} } };
  expect(home.quick(['env'])).toBeUndefined();
});
