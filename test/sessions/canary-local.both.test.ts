import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { listen } from '../harness/endpoints/listen';
import { expectSilence, SECRET, TOKEN } from '../harness/homes/canary';
import { inVariables } from '../harness/homes/client';
import { filesBelow } from '../harness/homes/files';
import { openHome } from '../harness/homes/home';
import { type Keyring, startKeyring } from '../harness/keyrings/keyring';
import { missing } from '../harness/needs';

/** Failures on this side; `url` is an endpoint that gives a token. */
interface Local {
  readonly code: number | null;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Buffer;
  readonly files?: Readonly<Record<string, string | Buffer>>;
  /** Kept in a keychain item, by the profile `hand`. */
  readonly item?: string;
}
const LOCAL: Readonly<Record<string, Local>> = {
  'a minimum life that the token does not have': { code: 7, args: ['get', '--min-ttl', '2h'] },
  'a secret given both ways': { code: 2, args: ['get'], env: { GWTOKEN_CLIENT_SECRET_FILE: SECRET } },
  'a secret on two lines': { code: 2, args: ['get'], env: { GWTOKEN_CLIENT_SECRET: `a\n${SECRET}` } },
  'id and secret in one variable': { code: 2, args: ['get'], env: { GWTOKEN_CLIENT_ID: `id\n${SECRET}` } },
  'a secret for a file': {
    code: 2,
    args: ['get'],
    env: { GWTOKEN_CLIENT_SECRET: '', GWTOKEN_CLIENT_SECRET_FILE: SECRET },
  },
  'a file in UTF-16': {
    code: 2,
    args: ['get'],
    env: { GWTOKEN_CLIENT_SECRET: '', GWTOKEN_CLIENT_SECRET_FILE: './given' },
    files: { given: Buffer.from(SECRET, 'utf16le') },
  },
  'a secret as a flag and a word': { code: 2, args: ['login', '--client-secret', SECRET] },
  'a secret as an argument': { code: 2, args: ['login', 'id', SECRET] },
  'a secret in the address': {
    code: 2,
    args: ['get', '--auth-url', `https://id:${encodeURIComponent(SECRET)}@id.example.com`],
  },
  'a secret in the query': {
    code: 2,
    args: ['get', '--auth-url', `https://id.example.com/?client_secret=${SECRET}`],
  },
  'a secret deep in the config': {
    code: 2,
    args: ['get'],
    files: { 'config/gwtoken/config.json': JSON.stringify({ eu: { secret: SECRET } }) },
  },
  'a secret in a config that is not JSON': {
    code: 2,
    args: ['get'],
    files: { 'config/gwtoken/config.json': `{"a": ${SECRET}` },
  },
  'config set of a secret': { code: 2, args: ['config', 'set', 'client-secret', SECRET] },
  'login where it is refused': {
    code: 3,
    args: ['login', '--client-id', 'id', '--secret-stdin', '--auth-url', 'REFUSING'],
    stdin: SECRET,
  },
  'login where nobody listens': {
    code: 6,
    args: ['login', '--client-id', 'id', '--secret-stdin', '--auth-url', 'http://127.0.0.1:9'],
    stdin: SECRET,
  },
  'login with a secret that no item holds': {
    code: 2,
    args: ['login', '--client-id', 'id', '--secret-stdin'],
    stdin: SECRET.repeat(100),
  },
  'an item that is the bare secret': { code: 5, args: ['get', '-p', 'hand'], item: SECRET },
  'an item without an id': {
    code: 5,
    args: ['get', '-p', 'hand'],
    item: JSON.stringify({ client_secret: SECRET }),
  },
  'an item bound elsewhere': {
    code: 2,
    args: ['get', '-p', 'hand'],
    item: JSON.stringify({ client_id: 'a', client_secret: SECRET, auth_url: 'https://other.example.com' }),
  },
  'an item with the secret in its address': {
    code: 2,
    args: ['get', '-p', 'hand'],
    item: JSON.stringify({
      client_id: 'a',
      client_secret: 'b',
      auth_url: `https://a:${SECRET}@other.example.com`,
    }),
  },
};

describe.concurrent('no secret and no token gets out of a failure on this side', () => {
  let url: string;
  let keyring: Keyring | undefined;
  beforeAll(async () => {
    const server = createServer((request, response) => {
      const refused = { error: 'invalid_client', error_description: `not ${SECRET}` };
      const given = { access_token: TOKEN, token_type: 'bearer', expires_in: 3600 };
      const isGood = request.url?.startsWith('/good');
      response.writeHead(isGood ? 200 : 401).end(JSON.stringify(isGood ? given : refused));
    });
    ({ url } = await listen(server));
    if (missing('keyring') === undefined) keyring = await startKeyring({ state: 'unlocked' });
  });

  test.for(Object.entries(LOCAL))('on this side: %s', async ([name, failure], { needs }) => {
    const needsKeyring = failure.args[0] === 'login' || failure.item !== undefined;
    if (needsKeyring) needs('keyring');
    const home = openHome({
      ...(needsKeyring ? keyring?.env : {}),
      ...inVariables(`${url}/good`, { clientId: 'id', clientSecret: SECRET }),
      GWTOKEN_RETRIES: '0',
    });
    for (const [path, content] of Object.entries(failure.files ?? {})) {
      mkdirSync(dirname(join(home.dir, path)), { recursive: true, mode: 0o700 });
      writeFileSync(join(home.dir, path), content, { mode: 0o600 });
    }
    const profile = `hand${Object.keys(LOCAL).indexOf(name)}`;
    if (failure.item !== undefined) await keyring?.store(`${profile}:production:eu`, failure.item);
    const before = filesBelow(home.dir);
    const refusing = `${url}/refused`;
    const args = failure.args.map((arg) => (arg === 'hand' ? profile : arg === 'REFUSING' ? refusing : arg));
    const result = await home.gwtoken([...args, '-v'], {
      env: failure.env ?? {},
      cwd: home.dir,
      ...(failure.stdin === undefined ? {} : { stdin: failure.stdin }),
    });
    expect(result.code).toBe(failure.code);
    expectSilence(home, result, before);
  });
});
