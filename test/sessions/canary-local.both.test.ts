/** A canary replaces the secret: it must appear in no output, whatever is wrong on this machine. */
import { createServer } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { listen } from '../harness/endpoints/listen';
import { expectSilence, SECRET, TOKEN } from '../harness/homes/canary';
import { inVariables } from '../harness/homes/client';
import { filesBelow } from '../harness/homes/files';
import { openHome } from '../harness/homes/home';
import { type Keyring, startKeyring, UNHURRIED } from '../harness/keyrings/keyring';
import { missing } from '../harness/needs';

/** A failure on this machine: its exit code, command line and set-up. */
type LocalFailure = readonly [
  code: number,
  /** REFUSED_URL stands for an auth URL that refuses the credentials. */
  args: string,
  more?: {
    readonly env?: Readonly<Record<string, string>>;
    readonly stdin?: string;
    readonly config?: string | object;
    /** Keychain item of the profile that the command line then selects. */
    readonly item?: string | object;
  },
];
const LOGIN = 'login --client-id id --secret-stdin';
const fromFile = (path: string) => ({ GWTOKEN_CLIENT_SECRET: '', GWTOKEN_CLIENT_SECRET_FILE: path });
const itemOf = (client_id: string, client_secret: string, auth_url: string) => ({
  item: { client_id, client_secret, auth_url },
});
const FAILURES: Readonly<Record<string, LocalFailure>> = {
  'a min-ttl that is longer than the token lasts': [7, 'get --min-ttl 2h'],
  'a secret that is set in two variables': [2, 'get', { env: { GWTOKEN_CLIENT_SECRET_FILE: SECRET } }],
  'a secret on two lines': [2, 'get', { env: { GWTOKEN_CLIENT_SECRET: `a\n${SECRET}` } }],
  'ID and secret in one variable': [2, 'get', { env: { GWTOKEN_CLIENT_ID: `id\n${SECRET}` } }],
  'a secret in the variable of a secret file': [2, 'get', { env: fromFile(SECRET) }],
  'a secret after a flag': [2, `login --client-secret ${SECRET}`],
  'a secret as an argument': [2, `login id ${SECRET}`],
  'a secret in the auth URL': [2, `get --auth-url https://id:${encodeURIComponent(SECRET)}@id.example.com`],
  'a secret in the query of the auth URL': [
    2,
    `get --auth-url https://id.example.com/?client_secret=${SECRET}`,
  ],
  'a secret deep in the config': [2, 'get', { config: { eu: { secret: SECRET } } }],
  'a secret in a config that is not JSON': [2, 'get', { config: `{"a": ${SECRET}` }],
  'config set with a secret': [2, `config set client-secret ${SECRET}`],
  'a login that the endpoint refuses': [3, `${LOGIN} --auth-url REFUSED_URL`, { stdin: SECRET }],
  'a login at a port where nothing listens': [6, `${LOGIN} --auth-url http://127.0.0.1:9`, { stdin: SECRET }],
  'a login with a secret that is too long for an item': [2, LOGIN, { stdin: SECRET.repeat(100) }],
  'an item that is the bare secret': [5, 'get', { item: SECRET }],
  'an item without an ID': [5, 'get', { item: { client_secret: SECRET } }],
  'an item that was stored for another auth URL': [
    2,
    'get',
    itemOf('a', SECRET, 'https://other.example.com'),
  ],
  'an item with the secret in its auth URL': [
    5,
    'get',
    itemOf('a', 'b', `https://a:${SECRET}@other.example.com`),
  ],
};

describe.concurrent('gwtoken shows no secret and no token for', () => {
  let url: string;
  let keyring: Keyring | undefined;
  beforeAll(async () => {
    const server = createServer((request, response) => {
      const refused = { error: 'invalid_client', error_description: `not ${SECRET}` };
      const token = { access_token: TOKEN, token_type: 'bearer', expires_in: 3600 };
      const isGood = request.url?.startsWith('/good');
      response.writeHead(isGood ? 200 : 401).end(JSON.stringify(isGood ? token : refused));
    });
    ({ url } = await listen(server));
    if (missing('keyring') === undefined) keyring = await startKeyring({ state: 'unlocked' });
  });

  test.for(Object.entries(FAILURES))('%s', async ([name, failure], { needs }) => {
    const [code, args, { env = {}, stdin = '', config, item } = {}] = failure;
    const needsKeyring = args.startsWith('login') || item !== undefined;
    if (needsKeyring) needs('keyring');
    const home = openHome({
      ...(needsKeyring ? { ...keyring?.env, ...UNHURRIED } : {}),
      ...inVariables(`${url}/good`, { clientId: 'id', clientSecret: SECRET }),
      GWTOKEN_RETRIES: '0',
    });
    if (config !== undefined) home.configure(config);
    const words = args.replace('REFUSED_URL', `${url}/refused`).split(' ');
    if (item !== undefined) {
      // The tests run at the same time with one keyring.
      const profile = `p${Object.keys(FAILURES).indexOf(name)}`;
      await keyring?.store(
        `${profile}:production:eu`,
        typeof item === 'string' ? item : JSON.stringify(item),
      );
      words.push('--profile', profile);
    }
    const before = filesBelow(home.dir);
    const result = await home.gwtoken([...words, '-v'], { env, cwd: home.dir, stdin });
    expect(result.code).toBe(code);
    expectSilence(home, result, before);
  });
});
