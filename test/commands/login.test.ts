/** Prompts, checks, stored values and messages of login, with a simulated keychain. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { GwtokenError, Interrupted } from '../../src/errors';
import { readConfig } from '../../src/system/files/config-file';
import type { Terminal } from '../../src/world';
import { tokenReply } from '../harness/endpoints/token-endpoint';
import { entryIn, MACHINE } from '../harness/homes/client';
import { type Inside, inside } from '../harness/homes/in-process';
import { PLAIN } from '../harness/homes/plain-terminal';

const A = 'https://a.example.com';
const ALL = ['--region', 'eu', '--auth-url', A, '--client-id', 'id', '--secret-stdin'];
let gw: Inside;
beforeEach(() => {
  gw = inside();
  gw.env = {};
  gw.stdin = 'a secret';
});

/** Runs a login that must succeed. Returns the lines on stderr, with FILE for the config file's path. */
async function login(...flags: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await gw.cli(['login', '--client-id', 'id', '--secret-stdin', ...flags]);
  expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: '' });
  return stderr.replaceAll(join(gw.config, 'config.json'), 'FILE').trimEnd().split('\n');
}
const readJson = (name: string) => JSON.parse(readFileSync(join(gw.config, name), 'utf8'));
const itemOf = (name: string) => JSON.parse(gw.items.get(name) ?? 'null');
const STORED = 'Credentials verified and stored in the keychain as default:production:eu';
const next = (flags = '') => [`Next: gwtoken get${flags}`, `or:   eval $(gwtoken env${flags})`];

describe('login', () => {
  test('sets the auth URL and the region only if they are not set yet', async () => {
    expect(await login('--region', 'eu', '--auth-url', `${A}/`)).toEqual([
      STORED,
      `Set auth-url.eu = ${A} in FILE`,
      'Set region = eu in FILE',
      ...next(),
    ]);
    // Without a change login does not write the file, so the format of a hand-edited one stays.
    const text = `{ "auth-url.eu": "${A}", "region": "eu" }`;
    writeFileSync(join(gw.config, 'config.json'), text);
    expect(await login('--no-verify')).toEqual([
      'Credentials stored in the keychain as default:production:eu, replacing the previous ones',
      ...next(),
    ]);
    expect(readFileSync(join(gw.config, 'config.json'), 'utf8')).toBe(text);
    expect(gw.posts).toHaveLength(1);
  });

  test('verifies within the timeout of the profile', async () => {
    gw.configure({ timeout: '8s', profiles: { acme: { timeout: '3s' } } });
    let limitMs = 0;
    gw.own = {
      postForm: (_, { timeoutMs }) => {
        limitMs = timeoutMs;
        return Promise.reject(new GwtokenError('unreached', 'no answer'));
      },
    };
    expect((await gw.cli(['login', ...ALL, '--profile', 'acme', '--retries', '0'])).code).toBe(6);
    expect(limitMs).toBe(3000);
  });

  test('suggests the env line for fish, and on Windows the topic shells', async () => {
    gw.env = { SHELL: '/usr/bin/fish' };
    const line = async () => (await login('--region', 'eu', '--auth-url', A)).at(-1);
    expect(await line()).toBe('or:   gwtoken env --format fish | source');
    gw.own = { platform: 'win32' };
    expect(await line()).toBe('or:   gwtoken help shells');
  });

  test('suggests storing a CA file that was passed as a flag', async () => {
    expect((await login('--region', 'eu', '--auth-url', A, '--ca-file', 'my ca.pem')).slice(-3)).toEqual([
      "Next: gwtoken config set ca-file 'my ca.pem'",
      'then: gwtoken get',
      'or:   eval $(gwtoken env)',
    ]);
  });

  test('suggests commands with the flags that select the new client', async () => {
    // login replaces an invalid auth URL.
    gw.configure({ 'auth-url.us': 'nonsense' });
    await login('--region', 'eu', '--auth-url', A);
    expect((await login('--region', 'us', '--auth-url', A)).slice(1)).toEqual([
      `Set auth-url.us = ${A} in FILE`,
      ...next(' --region us'),
    ]);
    expect((await login('--sandbox')).slice(1)).toEqual(next(' --sandbox'));
    expect((await login('--profile', 'acme')).slice(1)).toEqual([
      `Set auth-url.eu = ${A} for profile acme in FILE`,
      'Set region = eu for profile acme in FILE',
      ...next(' --profile acme'),
    ]);
    const profiles = { acme: { 'auth-url.eu': A, region: 'eu' } };
    expect(readJson('config.json')).toEqual({ 'auth-url.us': A, 'auth-url.eu': A, region: 'eu', profiles });
  });

  test('stores the verified auth URL of the region with the secret', async () => {
    await login('--region', 'us', '--auth-url', 'https://{region}.example.com/oauth2/token', '--sandbox');
    const bound = { client_id: 'id', auth_url: 'https://us.example.com' };
    expect(readJson('config.json')).toEqual({ 'auth-url.us': bound.auth_url, region: 'us' });
    expect(readJson('clients.json')).toEqual({ 'default:sandbox:us': bound });
    expect(itemOf('default:sandbox:us')).toEqual({ ...bound, client_secret: 'a secret' });
  });

  test('replaces the auth URL where the default profile has its own', async () => {
    gw.configure({ profiles: { default: { 'auth-url.eu': 'https://old.example.com', region: 'us' } } });
    await login('--region', 'eu', '--auth-url', A);
    expect(readJson('config.json').profiles).toEqual({ default: { 'auth-url.eu': A, region: 'us' } });
  });

  test('warns of credentials and URLs that override the stored ones', async () => {
    const credentials = { GWTOKEN_CLIENT_ID: 'x', GWTOKEN_CLIENT_SECRET: 'y' };
    gw.env = { GWTOKEN_AUTH_URL: 'https://b.example.com', ...credentials };
    const warnings = async (...flags: string[]) =>
      (await login('--region', 'eu', '--auth-url', A, ...flags))
        .filter((line) => line.includes('warning'))
        .map((line) => line.replace('gwtoken: warning: ', ''));
    expect(await warnings()).toEqual([
      'GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET override the stored credentials',
      'GWTOKEN_AUTH_URL sets another auth URL; gwtoken will not send the stored credentials there',
    ]);
    // For a profile that a flag names, variables do not count.
    gw.env = credentials;
    expect(await warnings('--profile', 'acme')).toEqual([]);
    gw.env = {};
    gw.configure({ 'credential-command': 'false' });
    expect(await warnings()).toEqual(['credential-command in FILE overrides the stored credentials']);
  });

  test('warns of a cached token that it cannot remove', async () => {
    // Not even root can remove a directory as a file.
    mkdirSync(join(entryIn(gw.cache), 'x'), { recursive: true, mode: 0o700 });
    expect((await login('--region', 'eu', '--auth-url', A))[0]).toMatch(
      /^gwtoken: warning: could not remove a cached token: .*token\.json \(.*\)$/,
    );
  });
});

describe('login warns before it stores', () => {
  const OTHER = `gwtoken: warning: default:production:eu is stored for ${A}; it will not work with this auth URL`;
  const KEEP_BOTH = 'hint: to keep both, log in with --profile NAME instead';

  test('if its auth URL replaces that of another stored client', async () => {
    await login('--region', 'eu', '--auth-url', A);
    const lines = await login('--region', 'eu', '--auth-url', 'https://b.example.com', '--sandbox');
    expect(lines.slice(0, 3)).toEqual([OTHER, KEEP_BOTH, STORED.replace('production', 'sandbox')]);
  });

  test('but not with the same auth URL, another region or another profile', async () => {
    await login('--region', 'eu', '--auth-url', A);
    const others = [
      ['--sandbox'],
      ['--region', 'us', '--auth-url', `${A}/us`],
      ['--profile', 'acme', '--auth-url', `${A}/x`],
      ['--profile', 'acme', '--auth-url', `${A}/y`],
    ];
    for (const flags of others) expect((await login(...flags)).join('\n')).not.toContain('warning');
  });
});

describe('without prompts, login', () => {
  test('reports a missing keychain before a missing flag', async () => {
    gw.own = {
      keychain: { probe: () => Promise.reject(new GwtokenError('keychain', 'no keychain')) } as never,
    };
    expect((await gw.cli(['login'])).stderr).toBe(
      'gwtoken: error: no keychain\n' +
        'hint: set GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET (gwtoken help keychain)\n',
    );
  });

  const refused = async (...flags: string[]) => {
    const { code, stdout, stderr } = await gw.cli(['login', ...flags]);
    expect([code, stdout, gw.posts.length, gw.items.size]).toEqual([2, '', 0, 0]);
    return stderr;
  };
  const error = (message: string, ...hints: string[]) =>
    `gwtoken: error: ${message}\n${hints.map((hint) => `hint: ${hint}\n`).join('')}`;

  test('names all missing flags, with an example line', async () => {
    const line = (missing: string, flags: string, ...more: string[]) =>
      error(
        `login needs ${missing} (cannot prompt: stdin is not a terminal)`,
        `example: printf %s "$SECRET" | gwtoken login ${flags} --secret-stdin`,
        ...more,
      );
    expect(await refused()).toBe(
      line(
        '--region, --auth-url, --client-id, --secret-stdin',
        '--region eu --auth-url https://YOUR-AUTH-URL --client-id ID',
        'the auth URL is the token endpoint before /oauth2/token: https://id.example.com',
      ),
    );
    gw.configure({ 'auth-url': 'https://{region}.example.com' });
    const acme = '--region us --sandbox --profile acme';
    expect(await refused(...acme.split(' '), '--client-id', 'my id')).toBe(
      line('--secret-stdin', `${acme} --auth-url https://us.example.com --client-id 'my id'`),
    );
  });

  test.each([
    ['ü', 'contains a character that is not allowed in a client ID'],
    // A shell passes an empty word for a variable that is not set.
    ['', 'is empty'],
  ])('refuses the client ID %j', async (id, problem) => {
    const said = error(`client ID "${id}" (from --client-id) ${problem}`, 'pass only the client ID');
    expect(await refused(...ALL, '--client-id', id)).toBe(said);
  });

  test('rejects --secret-stdin on a terminal, and an unreadable secret', async () => {
    gw.own = { stdin: { isTTY: () => true, read: async () => Buffer.from('a secret') } };
    expect(await refused(...ALL)).toBe(
      error(
        '--secret-stdin needs the client secret on stdin, but stdin is a terminal',
        'pipe the secret in, or omit --secret-stdin to be prompted',
      ),
    );
    gw.own = { stdin: { isTTY: () => false, read: () => Promise.reject(new Error('read EIO')) } };
    const unreadable = 'the client secret from stdin cannot be read (read EIO)';
    expect(await refused(...ALL)).toBe(error(unreadable, 'pipe in only the secret'));
    gw.own = {};
    gw.stdin = 'two\nlines\n';
    expect(await refused(...ALL)).toMatch(
      /^gwtoken: error: the client secret from stdin contains a control /,
    );
    gw.stdin = 's'.repeat(2600);
    expect(await refused(...ALL)).toMatch(/^gwtoken: error: the credentials are too long for the keychain /);
  });

  test('changes nothing if the keychain does not store the item', async () => {
    await login('--region', 'eu', '--auth-url', A);
    const set = () => Promise.reject(new GwtokenError('keychain', 'the keychain denied access'));
    gw.own = { keychain: { ...gw.keychain, set } };
    const other = ['--auth-url', 'https://b.example.com'];
    expect((await gw.cli(['login', ...ALL, ...other])).code).toBe(5);
    gw.own = {};
    expect(await gw.get('--fresh')).toBe('token-3');
    expect(gw.posts.map(({ url }) => new URL(url).host)).toEqual([
      'a.example.com',
      'b.example.com',
      'a.example.com',
    ]);
  });

  test('stores the client if settings cannot be stored; a second login completes it', async () => {
    const edit = () => Promise.reject(new GwtokenError('local', 'cannot write config.json'));
    const config = { read: () => readConfig('/none', MACHINE), checkWritable: async () => {}, edit };
    gw.own = { config: config as never };
    expect((await gw.cli(['login', ...ALL])).code).toBe(1);
    gw.own = {};
    expect((await gw.cli(['status'])).stdout).toContain('default:production:eu');
    await login('--region', 'eu', '--auth-url', A);
    expect(await gw.get()).toBe('token-3');
  });
});

describe('with prompts, login', () => {
  const firstWord = (question: string) => question.split(' ')[0]!;

  /** Simulates a person at a terminal. Returns the list to which each question is added. */
  function simulatePerson(own: Partial<Terminal> = {}): string[] {
    const asked: string[] = [];
    const answers: Record<string, string> = { Region: 'us', Auth: A, Client: 'id' };
    const heard = async (question: string, answer: string) => {
      asked.push(question);
      return answer;
    };
    const terminal: Partial<Terminal> = {
      ...PLAIN,
      promptProblem: () => undefined,
      hideTyping: async () => {},
      ask: (question, _, stored) =>
        heard(question + (stored ? ` [${stored}]` : ''), answers[firstWord(question)]!),
      askSecret: (question) => heard(question, 'a secret'),
      ...own,
    };
    gw.own = { terminal: terminal as never };
    return asked;
  }

  test('prompts for what is missing, and rejects a wrong answer at once', async () => {
    const asked: unknown[] = [];
    const answersTo: Record<string, string[]> = {
      Region: ['', 'e', 'eu', 'US'],
      Auth: ['', 'a.test', 'http://a.test/x/', 'https://{region}.test/oauth2/token'],
      Client: ['', 'ü', 'id secret', 'id'],
    };
    const tryAll = (answers: string[], check: (answer: string) => string | undefined) => {
      asked.push(answers.map((answer) => check(answer)));
      return answers.at(-1)!;
    };
    simulatePerson({
      async ask(question, check, suggested) {
        asked.push([question, suggested]);
        return tryAll(answersTo[firstWord(question)]!, check);
      },
      async askSecret(question, check) {
        asked.push([question]);
        return tryAll(['', 'a\tb', 'a secret'], check);
      },
    });
    gw.configure({ region: 'eu', profile: 'acme', 'auth-url.us': 'no URL' });
    const { code, stderr } = await gw.cli(['login']);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^The auth URL is the token endpoint before .*\n/);
    expect(asked).toEqual([
      ['Region (eu or us)', 'eu'],
      ['Type eu or us', 'Type eu or us', undefined, undefined],
      ['Auth URL for us', undefined],
      [
        'Required',
        'Auth URL "a.test" (from the prompt) is not a valid https:// URL. Did you mean: https://a.test',
        'Auth URL "http://a.test/x/" (from the prompt) is not encrypted. Use https://a.test/x',
        undefined,
      ],
      ['Client ID (us, production, profile acme)', undefined],
      [
        'Required',
        'It contains a character that is not allowed in a client ID',
        'It contains a space; paste only the ID',
        undefined,
      ],
      ['Client secret (sent to https://us.test)'],
      ['Required', 'It contains a control character (such as a newline)', undefined],
    ]);
    expect(readJson('clients.json')).toEqual({
      'acme:production:us': { client_id: 'id', auth_url: 'https://us.test' },
    });
    expect(readJson('config.json').profiles).toEqual({
      acme: { 'auth-url.us': 'https://us.test', region: 'us' },
    });
  });

  test('does not prompt for values from variables and settings', async () => {
    const asked = simulatePerson();
    gw.env = { GWTOKEN_REGION: 'us' };
    gw.configure({ sandbox: true });
    expect(await gw.cli(['login'])).toMatchObject({ code: 0 });
    const [url, ...others] = ['Auth URL for us', 'Client ID (us, sandbox)', `Client secret (sent to ${A})`];
    expect(asked).toEqual([url, ...others]);
    // A second login suggests the stored auth URL and client ID, here in brackets.
    expect(await gw.cli(['login'])).toMatchObject({ code: 0 });
    expect(asked.slice(3)).toEqual([`${url} [${A}]`, `${others[0]} [id]`, others[1]]);
  });

  test('does not prompt if a value, a directory or the keychain is unusable', async () => {
    const asked = simulatePerson();
    const { terminal } = gw.own;
    const fail = () => Promise.reject(new GwtokenError('local', 'it cannot be used'));
    const config = { read: () => readConfig('/none', MACHINE), checkWritable: fail };
    gw.configure({});
    const clients = join(gw.config, 'clients.json');
    writeFileSync(clients, 'no JSON', { mode: 0o600 });
    expect((await gw.cli(['login'])).stderr).toMatch(/^gwtoken: error: config file .*clients\.json /);
    rmSync(clients);
    for (const own of [{ keychain: { probe: fail } }, { config }]) {
      gw.own = { terminal, ...own } as never;
      expect((await gw.cli(['login'])).stderr).toMatch(/^gwtoken: error: it cannot be used\n/);
      expect((await gw.cli(['login', '--auth-url', 'x'])).stderr).toMatch(/^gwtoken: error: auth URL "x"/);
      expect((await gw.cli(['login', '--timeout', 'x'])).stderr).toMatch(/^gwtoken: error: [^\n]*"x"/);
    }
    expect(asked).toEqual([]);
    // The region is still unknown, and the invalid URL belongs to the other one.
    gw.own = { terminal: terminal! };
    gw.env = { GWTOKEN_AUTH_URL_EU: 'ftp://a.test', GWTOKEN_AUTH_URL_US: A };
    expect(await gw.cli(['login'])).toMatchObject({ code: 0 });
    expect(asked[0]).toBe('Region (eu or us)');
  });

  test('prompts for ID and secret at most three times if they are refused', async () => {
    const answers = ['fifth', 'fourth', 'third', 'third', 'second', 'first'];
    const [ids, secrets] = [[...answers], answers.map((each) => (each === 'second' ? '"second"' : each))];
    const filled: unknown[] = [];
    simulatePerson({
      ask: async (question, _, suggested) => {
        if (question.startsWith('Region')) return 'us';
        filled.push(suggested);
        return ids.pop()!;
      },
      askSecret: async () => secrets.pop()!,
    });
    gw.answer = (post) =>
      post === 3 ? tokenReply(post) : { status: 401, body: { error: 'invalid_client' } };
    const args = ['login', '--auth-url', A];
    const { code, stderr } = await gw.cli(args);
    expect([code, filled]).toEqual([0, [undefined, 'first', 'second']]);
    const said = `${A}/oauth2/token rejected the credentials (HTTP 401, invalid_client)`;
    const again = 'Enter them again, or press Ctrl-C and check --region, --sandbox and --auth-url.';
    const hint = 'hint: the client secret begins and ends with a quote';
    expect(stderr.split('\n').slice(0, 5)).toEqual([said, again, said, hint, again]);
    expect(itemOf('default:production:us')).toMatchObject({ client_id: 'third', client_secret: 'third' });

    gw.items.clear();
    const last = await gw.cli(args);
    expect([last.code, gw.items.size, gw.posts.length]).toEqual([3, 0, 6]);
    // The first login stored this ID.
    expect(filled[3]).toBe('third');
    expect(last.stderr.trimEnd().split('\n').slice(-3)).toEqual([
      `gwtoken: error: ${said}; nothing was stored`,
      'hint: if the client belongs to region eu, use --region eu',
      `hint: to start again, run: gwtoken login --region us --auth-url ${A} --client-id fifth`,
    ]);
  });

  test('says that the auth URL may be wrong after a refusal without an OAuth error', async () => {
    simulatePerson();
    gw.answer = () => ({ status: 401, body: {} });
    const { code, stderr } = await gw.cli(['login', '--auth-url', A]);
    const said = `${A}/oauth2/token rejected the credentials (HTTP 401)`;
    const again = 'The auth URL may be wrong: press Ctrl-C and check it, or enter them again.';
    expect([code, gw.posts.length]).toEqual([3, 3]);
    expect(stderr.trimEnd().split('\n').slice(-7)).toEqual([
      said,
      again,
      said,
      again,
      `gwtoken: error: ${said}; nothing was stored`,
      'hint: check the auth URL (gwtoken adds /oauth2/token to it)',
      'hint: check the client ID and secret',
    ]);
  });

  test.each([
    [
      'unauthorized_client',
      'check on the Clients page that the client exists and may use client_credentials',
    ],
    ['invalid_scope', "ask the endpoint's operator to give this client a default scope"],
  ])('does not prompt again after %s, which other credentials do not solve', async (error, hint) => {
    const asked = simulatePerson();
    gw.answer = () => ({ status: 400, body: { error } });
    const { code, stderr } = await gw.cli(['login', '--auth-url', A]);
    expect([code, gw.posts.length, gw.items.size]).toEqual([3, 1, 0]);
    expect(asked.filter((question) => question.startsWith('Client secret'))).toHaveLength(1);
    expect(stderr.trimEnd().split('\n').slice(-2)).toEqual([
      `hint: ${hint}`,
      `hint: to start again, run: gwtoken login --region us --auth-url ${A} --client-id id`,
    ]);
  });

  test('does not prompt again if the endpoint does not answer', async () => {
    gw.answer = () => {
      throw new GwtokenError('unreached', 'no token', { hints: ['look at the wire', 'look again'] });
    };
    const error = 'gwtoken: error: no token; nothing was stored\nhint: look at the wire\n';
    const unverified = 'hint: to store them unverified, add --no-verify\n';
    expect((await gw.cli(['login', ...ALL, '--retries', '0'])).stderr).toBe(error + unverified);
    const asked = simulatePerson();
    const start = `hint: to start again, run: gwtoken login --region us --auth-url ${A} --client-id id\n`;
    const { code, stderr } = await gw.cli(['login', '--auth-url', A, '--retries', '0']);
    expect([code, stderr]).toEqual([6, error + start]);
    expect(asked.filter((question) => question.startsWith('Client secret'))).toHaveLength(1);
    expect([gw.items.size, existsSync(gw.config)]).toEqual([0, false]);
  });

  test('never sends credentials that are too long for an item', async () => {
    const secrets = ['s'.repeat(2600), 'first'];
    simulatePerson({ askSecret: async () => secrets.pop()! });
    gw.answer = () => ({ status: 401, body: { error: 'invalid_client' } });
    expect((await gw.cli(['login', '--auth-url', A])).stderr).toContain(
      'error: the credentials are too long',
    );
    expect(gw.posts).toHaveLength(1);
  });

  test('says that nothing was stored if a prompt is cancelled', async () => {
    const told: string[] = [];
    simulatePerson({ ask: () => Promise.reject(new Interrupted('SIGINT')) });
    gw.own = { ...gw.own, stderr: { isTTY: () => true, write: (text) => told.push(text) } };
    await expect(gw.cli(['login'])).rejects.toBeInstanceOf(Interrupted);
    expect(told.at(-1)).toBe('Cancelled. Nothing was stored.\n');
  });
});
