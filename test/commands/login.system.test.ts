import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { onCleanup } from '../harness/clean-up';
import { type IdentityServer, startIdentityServer } from '../harness/endpoints/identity-server';
import { filesBelow, treeOf } from '../harness/homes/files';
import { type Home, openHome } from '../harness/homes/home';
import { expectRefusal } from '../harness/homes/refusals';
import { type Keyring, keyringAvailable, startKeyring } from '../harness/keyrings/keyring';
import { BOUND_BY_MODES, type ProgramOptions } from '../harness/programs/program';

const unavailable = keyringAvailable();
const client = { clientId: 'eu-client', clientSecret: 'eu-secret+/=&' };
const ACCOUNT = 'default:production:eu';

describe('gwtoken login, without a terminal', () => {
  let identity: IdentityServer;
  let keyring: Keyring;
  let home: Home;
  beforeAll(async () => {
    if (unavailable !== undefined) return;
    identity = await startIdentityServer({ region: 'eu', clients: [client] });
    keyring = await startKeyring({ state: 'unlocked' });
  });
  beforeEach(({ skip }) => {
    skip(unavailable !== undefined, unavailable);
    home = openHome(keyring.env);
    onCleanup(() => keyring.clear(ACCOUNT));
  });

  const login = (stdin: string | Buffer, flags: readonly string[] = [], more: Partial<ProgramOptions> = {}) =>
    home.gwtoken(
      [
        'login',
        '-r',
        'eu',
        '--auth-url',
        identity.authUrl,
        '--client-id',
        client.clientId,
        '--secret-stdin',
        '--retries',
        '0',
        ...flags,
      ],
      { stdin, ...more },
    );
  const stored = async () => {
    const item = await keyring.lookup(ACCOUNT);
    return item === undefined ? undefined : (JSON.parse(item) as Record<string, string>)['client_secret'];
  };

  test.for([
    ['as it is', client.clientSecret],
    ['with LF', `${client.clientSecret}\n`],
    ['with CRLF', `${client.clientSecret}\r\n`],
    ['with a BOM', `\ufeff${client.clientSecret}\n`],
  ])('--secret-stdin takes a secret %s', async ([, stdin]) => {
    expect(await login(stdin!)).toMatchObject({ code: 0, stdout: '' });
    expect(await stored()).toBe(client.clientSecret);
  });

  test.for<[string, string | Buffer, string]>([
    ['nothing', '', 'is empty'],
    ['an end of line', '\n', 'is empty'],
    ['two lines', 'a\nb\n', 'control character'],
    ['UTF-16', Buffer.from('\ufeffsecret\r\n', 'utf16le'), 'UTF-16'],
    ['too much', 'x'.repeat(70_000), 'too long (limit: 64 KiB)'],
    ['more than an item holds', 'x'.repeat(2560), 'bytes, limit 2560)'],
  ])('--secret-stdin refuses %s, and nothing is stored or asked', async ([, stdin, says]) => {
    const before = treeOf(home.dir);
    const asked = identity.requests.length;
    const result = await login(stdin);
    expectRefusal(result, 2);
    expect(result.stderr).toContain(says);
    expect(await stored()).toBeUndefined();
    expect(treeOf(home.dir)).toEqual(before);
    expect(identity.requests).toHaveLength(asked);
  });

  test('all that is missing is named at once, with a line to copy', async () => {
    const bare = await home.gwtoken(['login']);
    expectRefusal(bare, 2);
    expect(bare.stderr).toContain(
      'missing --region, --auth-url, --client-id, --secret-stdin (cannot prompt: stdin is not a terminal)',
    );
    const some = await home.gwtoken(['login', '--sandbox', '-p', 'acme', '-r', 'us', '--client-id', 'x']);
    expectRefusal(some, 2);
    expect(some.stderr).toContain('missing --auth-url, --secret-stdin (');
    expect(some.stderr).toContain(
      'gwtoken login --region us --sandbox --profile acme --auth-url https://YOUR-AUTH-URL --client-id x --secret-stdin',
    );
  });

  test('it is usage before keychain: what is missing is told where there is no keychain either', async () => {
    const none = { env: { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' } };
    expectRefusal(await home.gwtoken(['login'], none), 2);
    expect((await login('x', [], none)).code).toBe(5);
  });

  test('--secret-stdin on a terminal is refused before anything is read', async () => {
    const terminal = home.terminal(['login', '--secret-stdin']);
    expect(await terminal.exit).toEqual({ code: 2, signal: null });
    expect(terminal.screen()).toMatch(/stdin is a terminal[\s\S]*omit --secret-stdin/);
  });

  test.for<[string, number, boolean, string[]]>([
    ['a refused secret', 3, false, []],
    ['an endpoint that does not answer', 6, true, ['--timeout', '1s']],
    ['an address where nobody listens', 6, true, ['--auth-url', 'http://127.0.0.1:9']],
    ['an address that is another’s', 7, true, ['--auth-url', '/x']],
  ])('%s: nothing is stored, code %i', async ([what, code, offered, flags]) => {
    const before = treeOf(home.dir);
    identity.hang = what.includes('does not answer');
    const more = flags.map((flag) => (flag === '/x' ? `${identity.authUrl}/x` : flag));
    const result = await login(code === 3 ? 'wrong' : client.clientSecret, more);
    identity.hang = false;
    expectRefusal(result, code);
    expect(result.stderr).toContain('hint: nothing was stored\n');
    expect(result.stderr.includes('--no-verify')).toBe(offered);
    expect(await stored()).toBeUndefined();
    expect(treeOf(home.dir)).toEqual(before);
  });

  test('--no-verify stores without asking', async () => {
    const asked = identity.requests.length;
    expect(await login('anything', ['--no-verify'])).toMatchObject({ code: 0, stdout: '' });
    expect(await stored()).toBe('anything');
    expect(identity.requests).toHaveLength(asked);
  });

  test('it warns of variables that will hide what was stored', async () => {
    const file = join(home.dir, 'secret');
    const env = {
      GWTOKEN_CLIENT_ID_EU: 'x',
      GWTOKEN_CLIENT_SECRET_FILE_EU: file,
      GWTOKEN_AUTH_URL_EU: 'https://other.example.com',
    };
    const unreadable = await login(client.clientSecret, [], { env });
    expect(unreadable.code).toBe(0);
    expect(unreadable.stderr).toContain(
      `gwtoken: warning: cannot read ${file} (from GWTOKEN_CLIENT_SECRET_FILE_EU): no such file\n`,
    );
    writeFileSync(file, 'y');
    const { code, stderr } = await login(client.clientSecret, [], { env });
    expect(code).toBe(0);
    for (const name of ['GWTOKEN_CLIENT_ID_EU', 'GWTOKEN_CLIENT_SECRET_FILE_EU', 'GWTOKEN_AUTH_URL_EU'])
      expect(stderr).toMatch(new RegExp(`^gwtoken: warning: ${name} `, 'm'));
    // A flag overrules a variable that is wrong; what has been stored is no error afterwards.
    const wrong = await login(client.clientSecret, [], { env: { GWTOKEN_REGION: 'mars' } });
    expect(wrong).toMatchObject({ code: 0 });
    expect(wrong.stderr).toContain('gwtoken: warning: invalid region "mars" (from GWTOKEN_REGION)\n');
  });

  test('the address goes where the profile, the sandbox and {region} say', async () => {
    const { port } = new URL(identity.authUrl);
    await login(client.clientSecret);
    await login(client.clientSecret, ['--auth-url', `http://localhost:${port}`, '--sandbox']);
    await login(client.clientSecret, [
      '--auth-url',
      `http://127.0.0.2:${port}/{region}`,
      '--no-verify',
      '-p',
      'acme',
    ]);
    await login(client.clientSecret, ['--auth-url', identity.authUrl, '-p', 'other']);
    expect(JSON.parse(readFileSync(join(home.config, 'config.json'), 'utf8'))).toEqual({
      'auth-url.eu': identity.authUrl,
      region: 'eu',
      'sandbox.auth-url.eu': `http://localhost:${port}`,
      profiles: {
        acme: { 'auth-url': `http://127.0.0.2:${port}/{region}`, region: 'eu' },
        other: { region: 'eu' },
      },
    });
    await home.gwtoken(['logout', '--all', '--yes']);
  });

  test('a config folder that cannot be written to is told before anything is asked', async () => {
    mkdirSync(home.config, { recursive: true, mode: 0o500 });
    const asked = identity.requests.length;
    const result = await login(client.clientSecret, [], { wrapper: BOUND_BY_MODES });
    expectRefusal(result, 1);
    expect(result.stderr).toMatch(/error: cannot write \S+config\.json \(EACCES\)\n/);
    expect(result.stderr).toContain('GWTOKEN_CONFIG_DIR');
    expect(await stored()).toBeUndefined();
    expect(identity.requests).toHaveLength(asked);
  });

  test.for([
    ['a new item', undefined],
    ['an item that was there', 'before'],
  ] as const)('if writing fails after the keychain, %s is put back as it was', async ([, previous]) => {
    if (previous !== undefined) await login(previous, ['--no-verify']);
    else await home.gwtoken(['config', 'set', 'retries', '1']);
    const files = filesBelow(home.dir);
    // The folder is shut while login waits for its token: all checks before were passed.
    identity.delayMs = 1500;
    const asked = identity.requests.length;
    const running = login(client.clientSecret, [], { wrapper: BOUND_BY_MODES });
    while (identity.requests.length === asked) await sleep(10);
    chmodSync(home.config, 0o500);
    const result = await running;
    chmodSync(home.config, 0o700);
    identity.delayMs = 0;
    expectRefusal(result, 1);
    expect(result.stderr).toMatch(/error: cannot write \S+clients\.json \(EACCES\)\n/);
    expect(await stored()).toBe(previous);
    expect(filesBelow(home.dir)).toEqual(files);
  });
});
