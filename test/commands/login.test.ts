/** What login stores beside the credentials, where, and its report; the keychain is a list here. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { GwtokenError, Interrupted } from '../../src/errors';
import { readConfig } from '../../src/system/files/config-file';
import type { Terminal } from '../../src/world';
import { PLAIN } from '../documents/grammar';
import { tokenReply } from '../harness/endpoints/token-endpoint';
import { entryIn, MACHINE } from '../harness/homes/client';
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
    let limitMs = 0;
    gw.own = {
      postForm: (_, { timeoutMs }) => {
        limitMs = timeoutMs;
        return Promise.reject(new GwtokenError('unreached', 'no answer'));
      },
    };
    const flags = ['--profile', 'acme', '--region', 'eu', '--auth-url', A, '--client-id', 'id'];
    gw.stdin = 'a secret';
    expect((await gw.cli(['login', ...flags, '--secret-stdin', '--retries', '0'])).code).toBe(6);
    expect(limitMs).toBe(3000);
  });

  test('names the line for fish, and on Windows the help on shells', async () => {
    gw.env = { SHELL: '/usr/bin/fish' };
    const line = async () => (await login('--region', 'eu', '--auth-url', A)).at(-1);
    expect(await line()).toBe('or:   gwtoken env --format fish | source');
    gw.own = { platform: 'win32' };
    expect(await line()).toBe('or:   gwtoken help shells');
  });

  test('caches the token of the verification, unless the cache is off', async () => {
    await login('--region', 'eu', '--auth-url', A);
    const { stdout } = await gw.cli(['status']);
    expect(stdout).toContain('default:production:eu  id         keychain  1 h left');
    await gw.get();
    expect(gw.posts).toHaveLength(1);
    await login('--no-cache');
    gw.answer = () => ({ body: { access_token: 'token', token_type: 'Bearer' } });
    await login();
    expect((await gw.cli(['status'])).stdout).toContain('not cached');
  });

  test('names the client if the settings alone name another', async () => {
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

  test('sets one auth URL with {region} for both regions, and removes what overrides it', async () => {
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
    // The secret is bound to the one address that it was verified with.
    const bound = { client_id: 'id', auth_url: 'https://eu.example.com' };
    expect(known()).toEqual({ 'default:production:eu': bound });
    expect(JSON.parse(gw.items.get('default:production:eu') ?? '')).toEqual({
      ...bound,
      client_secret: 'a secret',
    });
    const acme = ['--profile', 'acme', '--sandbox', '--region', 'us'];
    expect((await login(...acme, '--auth-url', 'https://{region}.s.example.com')).slice(1, -2)).toEqual([
      'Set auth-url = https://{region}.s.example.com for profile acme in FILE',
      'Set region = us for profile acme in FILE',
    ]);
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
    const warnings = async (...flags: string[]) =>
      (await login('--region', 'eu', '--auth-url', A, ...flags)).filter((line) => line.includes('warning'));
    expect(await warnings()).toEqual([
      'gwtoken: warning: GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET override the stored credentials',
      'gwtoken: warning: GWTOKEN_AUTH_URL sets another auth URL; gwtoken will not send the stored credentials there',
    ]);
    // A profile that a flag names overrides the variables, at the next command as at this one.
    const { GWTOKEN_AUTH_URL: _, ...credentials } = gw.env;
    gw.env = credentials;
    expect(await warnings('--profile', 'acme')).toEqual([]);
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
      /^gwtoken: warning: could not remove a cached token of the old credentials: .*default-production-eu.token\.json \(E\w+\)$/,
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

  test('names all that is missing if nobody can be asked, with a line that has the rest', async () => {
    const line = (missing: string, flags: string) =>
      `gwtoken: error: ${missing} required: stdin is not a terminal
hint: example: printf %s "$SECRET" | gwtoken login ${flags} --secret-stdin
`;
    // Before it looks for a keychain.
    gw.own = { keychain: { probe: () => Promise.reject(new Error('no keychain')) } as never };
    const all = line(
      '--region, --auth-url, --client-id and --secret-stdin are',
      '--region eu --auth-url https://YOUR-AUTH-URL --client-id ID',
    );
    expect(await refused()).toBe(
      `${all}hint: the auth URL is the token endpoint before /oauth2/token; the gateway's operator has it\n`,
    );
    const acme = ['--region', 'us', '--sandbox', '--profile', 'acme', '--client-id', 'my id'];
    expect(await refused(...acme, '--auth-url', 'https://{region}.example.com')).toBe(
      line(
        '--secret-stdin is',
        "--region us --sandbox --profile acme --auth-url 'https://{region}.example.com' --client-id 'my id'",
      ),
    );
    gw.configure({ 'auth-url.us': A });
    expect(await refused('--region', 'us', '--client-id', 'id')).toBe(
      line('--secret-stdin is', `--region us --auth-url ${A} --client-id id`),
    );
  });

  test('refuses a client ID, a terminal for a pipe, and a secret that cannot be read', async () => {
    const error = (message: string, hint: string) => `gwtoken: error: ${message}\nhint: ${hint}\n`;
    for (const [id, problem] of [
      ['ü', 'contains a character that is not allowed in a client ID'],
      // As from a variable that is not set.
      ['', 'is empty'],
    ] as const)
      expect(await refused(...ALL, '--client-id', id)).toBe(
        error(`client ID "${id}" (from --client-id) ${problem}`, 'pass only the client ID'),
      );
    gw.own = { stdin: { isTTY: () => true, read: async () => Buffer.from('a secret') } };
    expect(await refused(...ALL)).toBe(
      error(
        '--secret-stdin needs the client secret on stdin, but stdin is a terminal',
        'pipe the secret in, or omit --secret-stdin to be prompted',
      ),
    );
    gw.own = { stdin: { isTTY: () => false, read: () => Promise.reject(new Error('read EIO')) } };
    expect(await refused(...ALL)).toBe(
      error('the client secret from stdin cannot be read (read EIO)', 'pipe in only the secret'),
    );
    gw.own = {};
    gw.stdin = 'two\nlines\n';
    expect(await refused(...ALL)).toBe(
      error(
        'the client secret from stdin contains a control character (such as a newline)',
        'provide only the secret, on one line',
      ),
    );
  });

  test('asks for all that is not given, and says at once what is wrong with an answer', async () => {
    const asked: unknown[] = [];
    const answersTo: Record<string, string[]> = {
      Region: ['', 'e', 'eu', 'US'],
      'Auth U': ['', 'a.test', 'http://a.test/x/', 'ftp://a.test', 'https://{region}.test/oauth2/token'],
      Client: ['', 'ü', 'id'],
    };
    seat({
      async ask(question, check, suggested) {
        asked.push([question, suggested]);
        const answers = answersTo[question.slice(0, 6)]!;
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
    });
    gw.configure({ region: 'eu', profile: 'acme' });
    const { code, stderr } = await gw.cli(['login']);
    expect(code).toBe(0);
    expect(stderr).toContain('before /oauth2/token, such as https://identity.us.example.com.\nThe gateway');
    expect(asked).toEqual([
      ['Region (eu or us)', 'eu'],
      ['Type eu or us', 'Type eu or us', undefined, undefined],
      ['Auth URL for us', undefined],
      [
        'Required',
        'Not an https:// URL. Did you mean: https://a.test',
        'Not encrypted. Use https://a.test/x',
        'Not an https:// URL. Example: https://identity.example.com',
        undefined,
      ],
      ['Client ID (us, production, profile acme)', undefined],
      ['Required', 'It contains a character that is not allowed in a client ID', undefined],
      ['Client secret (sent to https://us.test)'],
      ['Required', 'It contains a control character (such as a newline)', undefined],
    ]);
    expect(known()).toEqual({ 'acme:production:us': { client_id: 'id', auth_url: 'https://us.test' } });
    expect(stored()).toEqual({
      region: 'eu',
      profile: 'acme',
      profiles: { acme: { 'auth-url': 'https://{region}.test', region: 'us' } },
    });
  });

  test('asks for no region of a variable, and takes the environment from the settings', async () => {
    const asked = seat();
    gw.env = { GWTOKEN_REGION: 'us' };
    gw.configure({ sandbox: true });
    expect(await gw.cli(['login'])).toMatchObject({ code: 0 });
    expect(asked).toEqual(['Auth URL for us', 'Client ID (us, sandbox)', `Client secret (sent to ${A})`]);
  });

  test('asks nobody before a wrong value, a folder or a keychain that cannot be used', async () => {
    const asked = seat();
    const ftp = ['login', '--region', 'us', '--auth-url', 'ftp://a.test'];
    expect((await gw.cli(ftp)).stderr).toMatch(/^gwtoken: error: auth URL "ftp:/);
    expect((await gw.cli(['login', '--timeout', 'x'])).stderr).toMatch(/^gwtoken: error: [^\n]*"x"/);
    const { terminal } = gw.own;
    const fail = () => Promise.reject(new GwtokenError('local', 'it cannot be used'));
    const config = { read: () => readConfig('/none', MACHINE), checkWritable: fail };
    for (const own of [{ keychain: { probe: fail } }, { config }]) {
      gw.own = { terminal, ...own } as never;
      expect((await gw.cli(['login'])).stderr).toMatch(/^gwtoken: error: it cannot be used\n/);
    }
    expect(asked).toEqual([]);
    // Of the other region: whose it is to be is not known yet.
    gw.own = { terminal: terminal! };
    gw.env = { GWTOKEN_AUTH_URL_EU: 'ftp://a.test', GWTOKEN_AUTH_URL_US: A };
    expect(await gw.cli(['login'])).toMatchObject({ code: 0 });
    expect(asked[0]).toBe('Region (eu or us)');
  });

  test('asks for a refused ID, in brackets, and secret again, three times in all', async () => {
    const answers = ['third', 'second', 'first'];
    const [ids, secrets] = [[...answers], [...answers]];
    const filled: unknown[] = [];
    seat({
      ask: async (question, _, suggested) => {
        if (question.startsWith('Region')) return 'us';
        filled.push(suggested);
        return ids.pop()!;
      },
      askSecret: async () => secrets.pop() ?? 'wrong',
    });
    gw.answer = (post) =>
      post === 3 ? tokenReply(post) : { status: 401, body: { error: 'invalid_client' } };
    const args = ['login', '--auth-url', A];
    const { code, stderr } = await gw.cli(args);
    expect([code, filled]).toEqual([0, [undefined, 'first', 'second']]);
    const said = `${A}/oauth2/token rejected the credentials (HTTP 401, invalid_client)`;
    expect(stderr.split('\n').slice(0, 4)).toEqual([said, AGAIN, said, AGAIN]);
    expect(JSON.parse(gw.items.get('default:production:us') ?? '')).toMatchObject({
      client_id: 'third',
      client_secret: 'third',
    });

    gw.items.clear();
    ids.push('c', 'b', 'my id');
    const last = await gw.cli(args);
    expect([last.code, gw.items.size, gw.posts.length]).toEqual([3, 0, 6]);
    // Stored by the login before.
    expect(filled[3]).toBe('third');
    expect(last.stderr.trimEnd().split('\n').slice(-2)).toEqual([
      'hint: nothing was stored',
      `hint: to start again, run: gwtoken login --region us --auth-url ${A} --client-id c`,
    ]);
  });
  const AGAIN = 'Enter them again, or press Ctrl-C and check --region, --sandbox and --auth-url.';

  test.each<[kind: 'unreached' | 'bad-reply', code: number, more: string[]]>([
    ['unreached', 6, ['hint: to store them unverified, add --no-verify']],
    ['bad-reply', 7, []],
  ])('that cannot be verified asks nothing again: %s', async (kind, code, more) => {
    const asked = seat();
    gw.answer = () => {
      throw new GwtokenError(kind, 'no token', { hints: ['wait'] });
    };
    const start = `hint: to start again, run: gwtoken login --region us --auth-url ${A} --client-id id`;
    const lines = ['gwtoken: error: no token', 'hint: wait', 'hint: nothing was stored', start, ...more, ''];
    const ended = await gw.cli(['login', '--auth-url', A, '--retries', '0']);
    expect(ended).toEqual({ code, stdout: '', stderr: lines.join('\n') });
    expect(asked.filter((question) => question.startsWith('Client secret'))).toHaveLength(1);
    expect([gw.items.size, existsSync(gw.config)]).toEqual([0, false]);
  });

  test('says that nothing was stored if a question is left', async () => {
    const told: string[] = [];
    seat({ ask: () => Promise.reject(new Interrupted('SIGINT')) });
    gw.own = { ...gw.own, stderr: { isTTY: () => true, write: (text) => told.push(text) } };
    await expect(gw.cli(['login'])).rejects.toBeInstanceOf(Interrupted);
    expect(told.at(-1)).toBe('Cancelled. Nothing was stored.\n');
  });

  /** A person at a terminal; the questions, as they come. */
  function seat(own: Partial<Terminal> = {}): string[] {
    const asked: string[] = [];
    const answers: Record<string, string> = { Region: 'us', 'Auth U': A, Client: 'id' };
    const heard = (question: string, answer: string) => {
      asked.push(question);
      return Promise.resolve(answer);
    };
    const terminal: Partial<Terminal> = {
      ...PLAIN,
      noPrompt: () => undefined,
      ask: (question) => heard(question, answers[question.slice(0, 6)]!),
      askSecret: (question) => heard(question, 'a secret'),
      ...own,
    };
    gw.own = { terminal: terminal as never };
    return asked;
  }
});

test('login that cannot store the settings leaves the client as it was: unknown or old', async () => {
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
