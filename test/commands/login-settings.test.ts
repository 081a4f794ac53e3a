/** What login stores beside the credentials, where, and what it says of it: in this process, whose keychain is a list. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { GwtokenError } from '../../src/errors';
import { readConfig } from '../../src/system/files/config-file';
import type { Terminal } from '../../src/world/streams';
import { PLAIN } from '../documents/grammar';
import { EU, entryIn, MACHINE } from '../harness/homes/client';
import { type Inside, inside } from '../harness/homes/in-process';

const A = 'https://a.example.com';
let gw: Inside;
beforeEach(() => {
  gw = inside();
  gw.env = {};
});

/** Logs in with success; what it says, a line each, with the config file's path as FILE. */
async function login(...flags: string[]): Promise<string[]> {
  gw.stdin = 'a secret';
  const { code, stdout, stderr } = await gw.cli(['login', '--client-id', 'id', '--secret-stdin', ...flags]);
  expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: '' });
  return stderr.replaceAll(join(gw.config, 'config.json'), 'FILE').trimEnd().split('\n');
}
const known = () => JSON.parse(readFileSync(join(gw.config, 'clients.json'), 'utf8'));
const stored = () => JSON.parse(readFileSync(join(gw.config, 'config.json'), 'utf8'));
const STORED = 'Credentials verified and stored in the keychain as default:production:eu';
const next = (flags = '') => [`Next: gwtoken get${flags}`, `or:   eval $(gwtoken env${flags})`];

describe('login', () => {
  test('sets the auth URL and the region, and the second time neither', async () => {
    expect(await login('--region', 'eu', '--auth-url', `${A}/`)).toEqual([
      STORED,
      `Set auth-url.eu = ${A} in FILE`,
      'Set region = eu in FILE',
      ...next(),
    ]);
    // A file that is edited by hand is not written anew where nothing of it changes.
    const file = join(gw.config, 'config.json');
    const text = `{ "auth-url.eu": "${A}", "region": "eu" }`;
    writeFileSync(file, text);
    expect(await login('--no-verify')).toEqual([
      'Credentials stored in the keychain as default:production:eu, replacing the previous ones',
      ...next(),
    ]);
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(gw.posts).toHaveLength(1);
  });

  test('asks the endpoint within the limits of the profile', async () => {
    gw.configure({ timeout: '8s', profiles: { acme: { timeout: '3s' } } });
    const limits: number[] = [];
    gw.own = {
      fetch: (_, { timeoutMs }) => {
        limits.push(timeoutMs);
        return Promise.reject(new GwtokenError('unreached', 'no answer'));
      },
    };
    for (const profile of ['acme', 'other']) {
      gw.stdin = 'a secret';
      const flags = ['--profile', profile, '--region', 'eu', '--auth-url', A, '--client-id', 'id'];
      const { code } = await gw.cli(['login', ...flags, '--secret-stdin', '--retries', '0']);
      expect(code).toBe(6);
    }
    expect(limits).toEqual([3000, 8000]);
  });

  test('on Windows, where shells differ, names the help on them', async () => {
    gw.own = { platform: 'win32' };
    expect((await login('--region', 'eu', '--auth-url', A)).slice(-2)).toEqual([
      'Next: gwtoken get',
      'or:   gwtoken help shells',
    ]);
  });

  test('names the client where the settings alone name another', async () => {
    await login('--region', 'eu', '--auth-url', A);
    expect((await login('--region', 'us', '--auth-url', A)).slice(1)).toEqual([
      `Set auth-url.us = ${A} in FILE`,
      ...next(' --region us'),
    ]);
    expect((await login('--sandbox')).slice(1)).toEqual(next(' --region eu --sandbox'));
    expect((await login('--profile', 'acme')).slice(1)).toEqual([
      'Set region = eu for profile acme in FILE',
      ...next(' --region eu --profile acme'),
    ]);
    expect(stored()).toEqual({
      'auth-url.eu': A,
      'auth-url.us': A,
      region: 'eu',
      profiles: { acme: { region: 'eu' } },
    });
  });

  test('sets one address for both regions where it has {region}, and removes the one that would override it', async () => {
    gw.configure({ region: 'eu', 'auth-url.eu': A, 'auth-url.us': A });
    expect((await login('--auth-url', 'https://{region}.example.com')).slice(1)).toEqual([
      'Set auth-url = https://{region}.example.com in FILE',
      'Removed auth-url.eu from FILE (it would override the new value)',
      ...next(),
    ]);
    expect(stored()).toEqual({
      region: 'eu',
      'auth-url': 'https://{region}.example.com',
      'auth-url.us': A,
    });
    expect((await login('--sandbox', '--auth-url', 'https://{region}.s.example.com')).slice(1, -2)).toEqual([
      'Set sandbox.auth-url = https://{region}.s.example.com in FILE',
    ]);
  });

  test('writes to the default profile’s own values where it has some, which would hide the general ones', async () => {
    gw.configure({ 'auth-url': A, profiles: { default: { 'auth-url.eu': A, retries: 1 } } });
    const url = 'https://b.example.com';
    expect((await login('--region', 'eu', '--auth-url', url)).slice(1, -2)).toEqual([
      `Set auth-url.eu = ${url} for profile default in FILE`,
      'Set region = eu in FILE',
    ]);
    expect(stored()).toEqual({
      'auth-url': A,
      region: 'eu',
      profiles: { default: { 'auth-url.eu': url, retries: 1 } },
    });
  });

  test('puts the auth URL in the place of one that is none', async () => {
    gw.configure({ region: 'eu', 'auth-url.eu': 'nonsense' });
    expect((await login('--auth-url', A)).slice(1)).toEqual([`Set auth-url.eu = ${A} in FILE`, ...next()]);
  });

  test('warns of what will be used in the place of what it stored', async () => {
    gw.env = {
      GWTOKEN_AUTH_URL: 'https://b.example.com',
      GWTOKEN_CLIENT_ID: 'x',
      GWTOKEN_CLIENT_SECRET: 'y',
    };
    const warnings = async () =>
      (await login('--region', 'eu', '--auth-url', A)).filter((line) => line.includes('warning'));
    expect(await warnings()).toEqual([
      'gwtoken: warning: GWTOKEN_CLIENT_ID is set and overrides the stored credentials',
      'gwtoken: warning: GWTOKEN_CLIENT_SECRET is set and overrides the stored credentials',
      'gwtoken: warning: GWTOKEN_AUTH_URL sets another auth URL; gwtoken will not send the stored credentials there',
    ]);
    gw.env = {};
    gw.configure({ 'credential-command': 'false' });
    expect(await warnings()).toEqual([
      'gwtoken: warning: credential-command in FILE overrides the stored credentials',
    ]);
  });

  test('names a token of the old credentials that it cannot remove', async () => {
    // A folder with something in it cannot be removed as a file, by root neither.
    mkdirSync(join(entryIn(gw.cache), 'x'), { recursive: true, mode: 0o700 });
    expect((await login('--region', 'eu', '--auth-url', A))[0]).toMatch(
      /^gwtoken: warning: could not remove a cached token of the old credentials: .*token-default-production-eu\.json \(E\w+\)$/,
    );
  });

  test('stores nothing where the endpoint refuses, and says so', async () => {
    gw.answer = () => ({ status: 401, body: { error: 'invalid_client' } });
    gw.stdin = 'a secret';
    const flags = ['--region', 'eu', '--auth-url', A, '--client-id', 'id', '--secret-stdin'];
    const { code, stderr } = await gw.cli(['login', ...flags]);
    expect(code).toBe(3);
    expect(stderr.split('\n').slice(1, -1)).toEqual([
      'hint: check the client ID and secret',
      'hint: if the client belongs to region us, use --region us',
      'hint: nothing was stored',
    ]);
    expect([gw.items.size, gw.posts.length]).toEqual([0, 1]);
    gw.answer = () => ({ status: 400, body: { error: 'unauthorized_client' } });
    gw.stdin = 'a secret';
    expect((await gw.cli(['login', ...flags])).stderr.split('\n').slice(1, -1)).toEqual([
      'hint: check the client ID and secret',
      'hint: nothing was stored',
    ]);
  });

  test('takes back what it stored where the rest cannot be stored, and says what it could not take back', async () => {
    const failing = (undo: () => Promise<boolean>) => {
      gw.own = {
        keychain: {
          checkInstalled: async () => {},
          probe: async () => 'memory',
          get: async (account) => gw.items.get(account),
          async set(account, value) {
            const before = gw.items.get(account);
            gw.items.set(account, value);
            return before;
          },
          delete: undo,
          isGuarded: async () => false,
        },
        clients: {
          read: () => ({}),
          async add() {
            throw new GwtokenError('local', 'cannot write clients.json');
          },
          remove: async () => {},
        },
      };
      gw.stdin = 'a secret';
      const flags = ['--region', 'eu', '--auth-url', A, '--client-id', 'id', '--secret-stdin', '--no-verify'];
      return gw.cli(['login', ...flags]);
    };
    const account = 'default:production:eu';
    expect(await failing(async () => gw.items.delete(account))).toMatchObject({
      code: 1,
      stderr: 'gwtoken: error: cannot write clients.json\n',
    });
    expect(gw.items.size).toBe(0);

    gw.items.set(account, 'what was there before');
    expect((await failing(async () => gw.items.delete(account))).code).toBe(1);
    expect(gw.items.get(account)).toBe('what was there before');

    gw.items.clear();
    const denied = async () => {
      throw new GwtokenError('keychain', 'the keychain is locked');
    };
    expect((await failing(denied)).stderr).toBe(
      'gwtoken: error: cannot write clients.json\nhint: the keychain item could not be removed; run: gwtoken logout --region eu\n',
    );
  });
});

describe('before anything is sent, login', () => {
  const refused = async (...flags: string[]) => {
    const { code, stdout, stderr } = await gw.cli(['login', ...flags]);
    expect([code, stdout, gw.posts.length, gw.items.size]).toEqual([2, '', 0, 0]);
    return stderr;
  };
  const ALL = ['--region', 'eu', '--auth-url', A, '--client-id', 'id', '--secret-stdin'];

  test('names all that is missing where nobody can be asked, with a line that has the rest', async () => {
    const line = (missing: string, flags: string) =>
      `gwtoken: error: missing ${missing} (cannot prompt: stdin is not a terminal)
hint: example: printf %s "$SECRET" | gwtoken login ${flags}
`;
    expect(await refused()).toBe(
      line(
        '--region, --auth-url, --client-id, --secret-stdin',
        '--region eu --auth-url https://YOUR-AUTH-URL --client-id ID --secret-stdin',
      ),
    );
    expect(await refused('--region', 'us', '--auth-url', A, '--client-id', 'my id')).toBe(
      line('--secret-stdin', `--region us --auth-url ${A} --client-id 'my id' --secret-stdin`),
    );
    const acme = ['--region', 'us', '--sandbox', '--profile', 'acme', '--client-id', 'id'];
    expect(await refused(...acme, '--auth-url', 'https://{region}.example.com')).toBe(
      line(
        '--secret-stdin',
        "--region us --sandbox --profile acme --auth-url 'https://{region}.example.com' --client-id id --secret-stdin",
      ),
    );
  });

  test('refuses a client ID, a terminal for a pipe, and a secret that cannot be read', async () => {
    expect(await refused('--client-id', 'ü')).toBe(
      `gwtoken: error: client ID "ü" (from --client-id) contains a character that is not allowed in a client ID
hint: pass only the client ID
`,
    );
    gw.own = { stdin: { isTTY: () => true, read: async () => Buffer.from('a secret') } };
    expect(await refused(...ALL)).toBe(
      `gwtoken: error: --secret-stdin needs the client secret on stdin, but stdin is a terminal
hint: pipe the secret in, or omit --secret-stdin to be prompted
`,
    );
    gw.own = {};
    gw.stdin = 'two\nlines\n';
    expect(await refused(...ALL)).toBe(
      `gwtoken: error: the client secret from stdin contains a control character (such as a newline)
hint: provide only the secret, on one line
`,
    );
    for (const [fault, problem] of [
      [Object.assign(new Error('more than 65536 bytes'), { code: 'EFBIG' }), 'is too long (limit: 64 KiB)'],
      [new Error('read EIO'), 'cannot be read (read EIO)'],
    ] as const) {
      gw.own = { stdin: { isTTY: () => false, read: () => Promise.reject(fault) } };
      expect(await refused(...ALL)).toBe(
        `gwtoken: error: the client secret from stdin ${problem}\nhint: pipe in only the secret\n`,
      );
    }
  });

  test('asks a person for all that is not given, and says at once what is wrong with an answer', async () => {
    const asked: unknown[] = [];
    const terminal: Omit<Terminal, 'confirm'> = {
      ...PLAIN,
      noPrompt: () => undefined,
      hasUnicode: () => true,
      spin: (_, work) => work(),
      async choose(question, choices, initial) {
        asked.push([question, choices, initial]);
        return choices.at(-1)!;
      },
      async ask(question, check, example) {
        asked.push([question, example]);
        const answers = question.startsWith('Auth URL')
          ? [' ', 'a.test', 'http://a.test/x/', 'ftp://a.test', ` ${A}/ `]
          : [' ', 'ü', ' id '];
        asked.push(answers.map((answer) => check(answer)));
        return answers.at(-1)!;
      },
      async askSecret(question, check) {
        asked.push(
          [question],
          ['', 'a\tb', 'a secret'].map((answer) => check(answer)),
        );
        return 'a secret';
      },
    };
    gw.own = { terminal: terminal as never };
    gw.configure({ region: 'eu', profile: 'acme' });
    expect(await gw.cli(['login'])).toMatchObject({ code: 0 });
    expect(asked).toEqual([
      ['Region', ['eu', 'us'], 'eu'],
      ['Environment', ['production', 'sandbox'], undefined],
      ['Auth URL for the us sandbox', 'https://identity.us.example.com'],
      [
        'Required, for example https://identity.example.com',
        'It is not a URL: did you mean https://a.test?',
        'It would send the client secret unencrypted: use https://a.test/x',
        'It must begin with https://: example: https://identity.example.com',
        undefined,
      ],
      ['Client ID (us, sandbox, profile acme)', undefined],
      ['Required', 'It contains a character that is not allowed in a client ID', undefined],
      [`Client secret (sent to ${A})`],
      ['Required', 'It contains a control character (such as a newline)', undefined],
    ]);
    expect(known()).toEqual({ 'acme:sandbox:us': { client_id: 'id', auth_url: A } });
  });
});

test('what the endpoint has not judged can be stored all the same: login says how', async () => {
  gw.answer = () => {
    throw new GwtokenError('unreached', 'no answer', { hints: ['wait'], detail: 'details' });
  };
  gw.stdin = 'a secret';
  const flags = ['--region', 'eu', '--auth-url', A, '--client-id', 'id', '--secret-stdin'];
  const stderr = `gwtoken: error: no answer
hint: wait
hint: nothing was stored
hint: to store them unverified, add --no-verify
`;
  const login = ['login', ...flags, '--retries', '0'];
  expect(await gw.cli(login)).toEqual({ code: 6, stdout: '', stderr });
  const detailed = (await gw.cli([...login, '--verbose'])).stderr;
  expect(detailed.slice(detailed.indexOf('gwtoken: error: '))).toBe(`${stderr}gwtoken: details\n`);
  expect(gw.items.size).toBe(0);
});

test('a client whose settings cannot be stored is as it was before: unknown, or the old one', async () => {
  await login('--region', 'eu', '--auth-url', A);
  const before = { known: known(), items: [...gw.items] };
  const file = join(gw.config, 'config.json');
  gw.own = {
    config: {
      path: () => file,
      read: () => readConfig(file, MACHINE),
      checkWritable: async () => {},
      async edit() {
        throw new GwtokenError('local', 'cannot write config.json');
      },
    },
  };
  for (const region of ['eu', 'us']) {
    gw.stdin = 'another secret';
    const flags = ['--region', region, '--auth-url', 'https://b.example.com', '--client-id', 'another'];
    expect(await gw.cli(['login', ...flags, '--secret-stdin', '--no-verify'])).toMatchObject({
      code: 1,
      stderr: 'gwtoken: error: cannot write config.json\n',
    });
    expect({ known: known(), items: [...gw.items] }).toEqual(before);
  }
});

test('the entry of a client has its name, and the address that it was verified with', async () => {
  // Spaces come along when an ID is copied.
  await login('--region', 'eu', '--auth-url', A, '--client-id', ' id ');
  expect(known()).toEqual({
    [`${EU.profile}:${EU.environment}:${EU.region}`]: { client_id: 'id', auth_url: A },
  });
});
