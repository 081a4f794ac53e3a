/** `gwtoken login` with prompts and broken keychains. The rest is in test/sessions/text/login.txt. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { GwtokenError } from '../../src/errors';
import { Interrupted } from '../../src/signals';
import { readConfig } from '../../src/system/files/config-file';
import type { Terminal } from '../../src/world';
import { tokenReply } from '../harness/endpoints/token-endpoint';
import { entryIn, loginArgs, MACHINE } from '../harness/homes/client';
import { type Inside, inside } from '../harness/homes/in-process';
import { PLAIN } from '../harness/homes/plain-terminal';
import { ANY_REGION } from '../harness/regions';

const AUTH_URL = 'https://a.example.com';
let gw: Inside;
beforeEach(() => {
  gw = inside();
  gw.env = {};
  gw.stdin = 'a secret';
});

const readJson = (name: string) => JSON.parse(readFileSync(join(gw.config, name), 'utf8'));

describe('without prompts, login', () => {
  const login = (...flags: string[]) => gw.cli(loginArgs({ authUrl: AUTH_URL, clientId: 'id', flags }));
  const refused = async () => {
    const { code, stdout, stderr } = await login();
    expect([code, stdout, gw.posts.length, gw.items.size]).toEqual([2, '', 0, 0]);
    return stderr;
  };

  test('verifies within the timeout of the profile', async () => {
    gw.configure({ timeout: '8s', profiles: { acme: { timeout: '3s' } } });
    let limitMs = 0;
    gw.own = {
      postForm: (_, { timeoutMs }) => {
        limitMs = timeoutMs;
        return Promise.reject(new GwtokenError('unreached', 'no answer'));
      },
    };
    expect((await login('--profile', 'acme', '--retries', '0')).code).toBe(6);
    expect(limitMs).toBe(3000);
  });

  test('suggests the topic shells on Windows, where the shell is unknown', async () => {
    gw.own = { platform: 'win32' };
    expect((await login()).stderr).toMatch(/\nor: {3}gwtoken help shells\n$/);
  });

  test('suggests storing a CA file that was passed as a flag', async () => {
    gw.own = { checkCaFile: async () => {} };
    const { stderr } = await login('--ca-file', 'my ca.pem');
    expect(stderr).toMatch(
      /\nNext: gwtoken config set ca-file 'my ca\.pem'\nthen: gwtoken get\nor: {3}eval /,
    );
  });

  test('warns of a cached token that it cannot remove', async () => {
    // Not even root can remove a directory as a file.
    mkdirSync(join(entryIn(gw.cache), 'x'), { recursive: true, mode: 0o700 });
    const { code, stderr } = await login();
    expect(code).toBe(0);
    expect(stderr).toMatch(/^gwtoken: warning: could not remove a cached token: .*token\.json \(.*\)\n/);
  });

  test('rejects --secret-stdin if stdin is a terminal', async () => {
    gw.own = { stdin: { isTTY: () => true, read: async () => Buffer.from('a secret') } };
    expect(await refused()).toBe(
      'gwtoken: error: --secret-stdin needs the client secret on stdin, but stdin is a terminal\n' +
        'hint: pipe the secret in, or omit --secret-stdin to be prompted\n',
    );
  });

  test('rejects a secret that it cannot read', async () => {
    gw.own = { stdin: { isTTY: () => false, read: () => Promise.reject(new Error('read EIO')) } };
    expect(await refused()).toBe(
      'gwtoken: error: the client secret from stdin cannot be read (read EIO)\n' +
        'hint: provide only the secret, on one line of UTF-8\n',
    );
  });

  test('rejects a secret that is too long for the keychain', async () => {
    gw.stdin = 's'.repeat(2600);
    expect(await refused()).toMatch(/^gwtoken: error: the credentials are too long for the keychain /);
  });

  test('changes nothing if the keychain does not store the item', async () => {
    await login();
    const set = () => Promise.reject(new GwtokenError('keychain', 'the keychain denied access'));
    gw.own = { keychain: { ...gw.keychain, set } };
    expect((await login('--auth-url', 'https://b.example.com')).code).toBe(5);
    gw.own = {};
    expect(await gw.get('--fresh')).toBe('token-3');
    expect(gw.posts.map(({ url }) => new URL(url).host)).toEqual([
      'a.example.com',
      'b.example.com',
      'a.example.com',
    ]);
  });

  test('only warns if the config file cannot be written', async () => {
    const edit = () => Promise.reject(new GwtokenError('local', 'cannot write config.json'));
    const config = { read: () => readConfig('/none', MACHINE), checkWritable: async () => {}, edit };
    gw.own = { config: config as never };
    const { code, stderr } = await login();
    expect([code, stderr.split('\n').slice(0, 3)]).toEqual([
      0,
      [
        'gwtoken: warning: region eu is not the default: cannot write config.json; use --region or set GWTOKEN_REGION',
        'Credentials verified and stored in the keychain as default:production:eu',
        'Next: gwtoken get --region eu',
      ],
    ]);
    gw.own = {};
    expect(await gw.get('--region', 'eu')).toBe('token-2');
  });

  test('takes the auth URL and the client ID of a stored client', async () => {
    await login();
    gw.stdin = 'a new secret';
    expect((await gw.cli(['login', '--secret-stdin'])).code).toBe(0);
    expect(gw.posts.map(({ url, form }) => [url, form.get('client_id'), form.get('client_secret')])).toEqual([
      [`${AUTH_URL}/oauth2/token`, 'id', 'a secret'],
      [`${AUTH_URL}/oauth2/token`, 'id', 'a new secret'],
    ]);
  });

  describe('if the keychain fails while it stores the item,', () => {
    const MAYBE = 'the credentials may be stored; to remove them, run: gwtoken logout --region eu';
    const failToSet = () => {
      const set = async (name: string, value: string) => {
        gw.items.set(name, value);
        throw new GwtokenError('keychain', 'the keychain did not answer within 60 s');
      };
      gw.own = { keychain: { ...gw.keychain, set } };
    };

    test('tells how to remove the credentials of a client that is not in the list', async () => {
      failToSet();
      const { code, stderr } = await login();
      expect([code, stderr]).toEqual([
        5,
        `gwtoken: error: the keychain did not answer within 60 s\nhint: ${MAYBE}\n`,
      ]);
      gw.own = {};
      expect((await gw.cli(['logout', '--region', 'eu', '--yes'])).code).toBe(0);
      expect(gw.items.size).toBe(0);
    });

    test('tells nothing more of a client in the list, which logout finds anyway', async () => {
      await login();
      failToSet();
      expect((await login()).stderr).toBe('gwtoken: error: the keychain did not answer within 60 s\n');
    });

    test('tells the same after a signal', async () => {
      let interrupt = (_: NodeJS.Signals): void => {};
      let reported = '';
      gw.own = {
        keychain: { ...gw.keychain, set: () => new Promise(() => interrupt('SIGINT')) },
        onSignals(_, listener) {
          interrupt = listener;
          return () => {};
        },
        stderr: {
          isTTY: () => false,
          write(text) {
            reported += text;
          },
        },
      };
      await expect(login()).rejects.toBeInstanceOf(Interrupted);
      expect(reported).toBe(`Cancelled, but ${MAYBE}\n`);
    });
  });
});

describe('with prompts, login', () => {
  const login = (...flags: string[]) => gw.cli(['login', '--auth-url', AUTH_URL, ...flags]);

  /** Simulates a person at a terminal. Returns the list to which each question is added. */
  function simulatePerson(own: Partial<Terminal> = {}): string[] {
    const questions: string[] = [];
    const answers: Record<string, string> = { Region: 'us', Auth: AUTH_URL, Client: 'id' };
    const answer = async (question: string, text: string) => {
      questions.push(question);
      return text;
    };
    const terminal: Partial<Terminal> = {
      ...PLAIN,
      promptProblem: () => undefined,
      hideTyping: async () => {},
      ask: (question, _, suggested) =>
        answer(question + (suggested ? ` [${suggested}]` : ''), answers[question.split(' ')[0]!]!),
      askSecret: (question) => answer(question, 'a secret'),
      ...own,
    };
    gw.own = { terminal: terminal as never };
    return questions;
  }

  test('prompts for what is missing, and rejects a wrong answer at once', async () => {
    interface Prompt {
      readonly question: string;
      readonly suggested?: string | undefined;
      /** Each answer in turn, with the problem that the prompt shows. */
      readonly answers: Readonly<Record<string, string | undefined>>;
    }
    const expected: readonly Prompt[] = [
      {
        question: `Region (${ANY_REGION})`,
        suggested: 'eu',
        answers: { '': `Type ${ANY_REGION}`, e: `Type ${ANY_REGION}`, eu: undefined, US: undefined },
      },
      {
        question: 'Auth URL for us',
        answers: {
          '': 'Required',
          // It may be a secret.
          'hush-secret': 'Type a URL such as https://id.example.com',
          'a.test':
            'Auth URL "a.test" (from the prompt) is not a valid https:// URL\nDid you mean: https://a.test',
          'http://a.test/x/':
            'Auth URL "http://a.test/x/" (from the prompt) is not encrypted\nUse https://a.test/x',
          'https://{region}.test/oauth2/token': undefined,
        },
      },
      {
        question: 'Client ID (us, production, profile acme)',
        answers: {
          '': 'Required',
          ü: 'It contains a character that is not allowed in a client ID',
          'id secret': 'It contains a space; paste only the ID',
          id: undefined,
        },
      },
      {
        question: 'Client secret (sent to https://us.test)',
        answers: {
          '': 'Required',
          'a\tb': 'It contains a control character (such as a newline)',
          'a secret': undefined,
        },
      },
    ];
    const prompts: Prompt[] = [];
    const prompt: Terminal['ask'] = async (question, check, suggested) => {
      const answers = Object.keys(expected[prompts.length]!.answers);
      const problems = answers.map((answer) => [answer, check(answer)]);
      prompts.push({ question, suggested, answers: Object.fromEntries(problems) });
      return answers.at(-1)!;
    };
    simulatePerson({ ask: prompt, askSecret: prompt });
    gw.configure({ region: 'eu', profile: 'acme' });
    const { code, stderr } = await gw.cli(['login']);
    expect(prompts).toEqual(expected);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^The auth URL is the token endpoint before .*\n/);
    expect(readJson('clients.json')).toEqual({
      'acme:production:us': { client_id: 'id', auth_url: 'https://us.test', login_id: 'salt-1' },
    });
    expect(readJson('config.json').profiles).toEqual({ acme: { region: 'us' } });
  });

  test('does not prompt for values from variables and settings', async () => {
    const questions = simulatePerson();
    gw.env = { GWTOKEN_REGION: 'us' };
    gw.configure({ sandbox: true });
    expect(await gw.cli(['login'])).toMatchObject({ code: 0 });
    const [url, id, secret] = [
      'Auth URL for us',
      'Client ID (us, sandbox)',
      `Client secret (sent to ${AUTH_URL})`,
    ];
    expect(questions).toEqual([url, id, secret]);
  });

  test('suggests the auth URL of another client of the region', async () => {
    await gw.login({ authUrl: AUTH_URL, flags: ['--no-verify'] });
    const questions = simulatePerson();
    await gw.cli(['login', '--region', 'eu', '--sandbox']);
    await gw.cli(['login', '--region', 'us']);
    expect(questions.filter((question) => question.startsWith('Auth URL'))).toEqual([
      `Auth URL for eu [${AUTH_URL}]`,
      'Auth URL for us',
    ]);
  });

  test('suggests the auth URL of the config file, and ends if it is invalid', async () => {
    const questions = simulatePerson();
    gw.configure({ region: 'us', 'auth-url': AUTH_URL });
    expect((await gw.cli(['login'])).code).toBe(0);
    expect(questions.slice(0, 2)).toEqual([`Region (${ANY_REGION}) [us]`, `Auth URL for us [${AUTH_URL}]`]);
    gw.configure({ region: 'us', 'auth-url.us': 'no URL' });
    expect((await gw.cli(['login', '--sandbox'])).stderr).toContain(
      'error: auth URL "no URL" (from auth-url.us',
    );
  });

  test('prompts only for the secret of a stored client', async () => {
    await gw.login({ authUrl: AUTH_URL, clientId: 'acme-eu', flags: ['--no-verify'] });
    const questions = simulatePerson();
    const { code, stderr } = await gw.cli(['login']);
    expect([code, questions]).toEqual([0, [`Client secret (sent to ${AUTH_URL})`]]);
    expect(stderr.split('\n').slice(0, 2)).toEqual([
      `New secret for client ID acme-eu (default:production:eu, ${AUTH_URL})`,
      'To change this, press Ctrl-C and add --client-id, --auth-url or --region.',
    ]);
    const changed = ['--client-id', 'other', '--auth-url', 'https://b.example.com'];
    expect((await gw.cli(['login', ...changed])).code).toBe(0);
    expect(questions.slice(1)).toEqual(['Client secret (sent to https://b.example.com)']);
    expect(readJson('clients.json')['default:production:eu']).toMatchObject({
      client_id: 'other',
      auth_url: 'https://b.example.com',
    });
  });

  test('checks the flags, the keychain and the config directory before it prompts', async () => {
    const questions = simulatePerson();
    const { terminal } = gw.own;
    const fail = () => Promise.reject(new GwtokenError('local', 'it cannot be used'));
    const config = { read: () => readConfig('/none', MACHINE), checkWritable: fail };
    for (const broken of [{ keychain: { probe: fail } }, { config }]) {
      gw.own = { terminal, ...broken } as never;
      expect((await gw.cli(['login'])).stderr).toMatch(/^gwtoken: error: it cannot be used\n/);
      expect((await gw.cli(['login', '--auth-url', 'x'])).stderr).toMatch(/^gwtoken: error: auth URL "x"/);
      expect((await gw.cli(['login', '--timeout', 'x'])).stderr).toMatch(/^gwtoken: error: [^\n]*"x"/);
    }
    expect(questions).toEqual([]);
  });

  test('reads the CA file before it prompts', async () => {
    const questions = simulatePerson();
    const { code, stderr } = await gw.cli(['login', '--ca-file', 'nope.pem']);
    expect([code, questions]).toEqual([2, []]);
    expect(stderr).toMatch(/^gwtoken: error: no such CA file: .*nope\.pem\n/);
  });

  test('checks the list of stored clients before it prompts', async () => {
    const questions = simulatePerson();
    gw.configure({});
    writeFileSync(join(gw.config, 'clients.json'), 'no JSON', { mode: 0o600 });
    expect((await gw.cli(['login'])).stderr).toMatch(/^gwtoken: error: config file .*clients\.json /);
    expect(questions).toEqual([]);
  });

  test('ignores an invalid auth URL of another region than the one that is typed', async () => {
    const questions = simulatePerson();
    gw.env = { GWTOKEN_AUTH_URL_EU: 'ftp://a.test', GWTOKEN_AUTH_URL_US: AUTH_URL };
    expect(await gw.cli(['login'])).toMatchObject({ code: 0 });
    expect(questions[0]).toBe(`Region (${ANY_REGION})`);
  });

  const REFUSED = { status: 401, body: { error: 'invalid_client' } };
  const REJECTED = `${AUTH_URL}/oauth2/token rejected the credentials (HTTP 401, invalid_client)`;

  /**
   * Simulates a person who types these secrets in turn, each after an ID with the same letters. Returns the
   * list to which each suggested ID is added.
   */
  function simulateTries(...secrets: string[]): (string | undefined)[] {
    const ids = secrets.map((secret) => secret.replaceAll('"', ''));
    const suggestedIds: (string | undefined)[] = [];
    simulatePerson({
      async ask(question, _, suggested) {
        if (question.startsWith('Region')) return 'us';
        suggestedIds.push(suggested);
        return ids.shift()!;
      },
      askSecret: async () => secrets.shift()!,
    });
    return suggestedIds;
  }

  test('prompts again for refused credentials, and stores accepted ones', async () => {
    const suggestedIds = simulateTries('first', '"second"', 'third');
    gw.answer = (post) => (post === 3 ? tokenReply(post) : REFUSED);
    const { code, stderr } = await login();
    expect([code, suggestedIds]).toEqual([0, [undefined, 'first', 'second']]);
    const again = 'Try again (Enter keeps the ID), or press Ctrl-C if region or auth URL is wrong.';
    const hint = 'hint: the client secret begins and ends with a quote';
    expect(stderr.split('\n').slice(0, 5)).toEqual([REJECTED, again, REJECTED, hint, again]);
    const item = JSON.parse(gw.items.get('default:production:us') ?? 'null');
    expect(item).toMatchObject({ client_id: 'third', client_secret: 'third' });
  });

  test('stores nothing after three refusals, and says how to start again', async () => {
    simulateTries('first', 'second', 'third');
    gw.answer = () => REFUSED;
    const { code, stderr } = await login();
    expect([code, gw.items.size, gw.posts.length]).toEqual([3, 0, 3]);
    expect(stderr.trimEnd().split('\n').slice(-3)).toEqual([
      `gwtoken: error: ${REJECTED}; nothing was stored`,
      'hint: if the client belongs to region eu, use --region eu',
      `hint: to start again, run: gwtoken login --region us --auth-url ${AUTH_URL} --client-id third`,
    ]);
  });

  test('says that the auth URL may be wrong after a refusal without an OAuth error', async () => {
    simulatePerson();
    gw.answer = () => ({ status: 401, body: {} });
    const { code, stderr } = await login();
    const rejected = `${AUTH_URL}/oauth2/token rejected the credentials (HTTP 401)`;
    const again = 'The auth URL may be wrong: press Ctrl-C to change it, or try again.';
    expect([code, gw.posts.length]).toEqual([3, 3]);
    expect(stderr.trimEnd().split('\n').slice(-7)).toEqual([
      rejected,
      again,
      rejected,
      again,
      `gwtoken: error: ${rejected}; nothing was stored`,
      'hint: check the auth URL (gwtoken adds /oauth2/token to it)',
      `hint: to start again, run: gwtoken login --region us --auth-url ${AUTH_URL} --client-id id`,
    ]);
  });

  test.each([
    [
      'unauthorized_client',
      'check on the Clients page that the client exists and may use client_credentials',
    ],
    ['invalid_scope', "ask the endpoint's operator to give this client a default scope"],
  ])('does not prompt again after %s, which other credentials do not solve', async (error, hint) => {
    const questions = simulatePerson();
    gw.answer = () => ({ status: 400, body: { error } });
    const { code, stderr } = await login();
    expect([code, gw.posts.length, gw.items.size]).toEqual([3, 1, 0]);
    expect(questions.filter((question) => question.startsWith('Client secret'))).toHaveLength(1);
    expect(stderr.trimEnd().split('\n').slice(-2)).toEqual([
      `hint: ${hint}`,
      `hint: to start again, run: gwtoken login --region us --auth-url ${AUTH_URL} --client-id id`,
    ]);
  });

  test.each([
    [undefined, ''],
    [{ reason: 'proxy-password-wrong' }, 'hint: percent-encode them: @ is %40, / is %2F\n'],
  ] as const)(
    'does not prompt again after a connection error with the cause %j',
    async (cause, firstHint) => {
      gw.answer = () => {
        throw new GwtokenError('unreached', 'no token', cause);
      };
      const questions = simulatePerson();
      const start = `hint: to start again, run: gwtoken login --region us --auth-url ${AUTH_URL} --client-id id\n`;
      expect(await login('--retries', '0')).toEqual({
        code: 6,
        stdout: '',
        stderr: `gwtoken: error: no token; nothing was stored\n${firstHint}${start}`,
      });
      expect(questions.filter((question) => question.startsWith('Client secret'))).toHaveLength(1);
      expect([gw.items.size, existsSync(gw.config)]).toEqual([0, false]);
    },
  );

  test('never sends credentials that are too long for an item', async () => {
    simulateTries('first', 's'.repeat(2600));
    gw.answer = () => REFUSED;
    expect((await login()).stderr).toContain('error: the credentials are too long');
    expect(gw.posts).toHaveLength(1);
  });

  test('says that nothing was stored if a prompt is cancelled', async () => {
    const written: string[] = [];
    simulatePerson({ ask: () => Promise.reject(new Interrupted('SIGINT')) });
    gw.own = { ...gw.own, stderr: { isTTY: () => true, write: (text) => written.push(text) } };
    await expect(gw.cli(['login'])).rejects.toBeInstanceOf(Interrupted);
    expect(written.at(-1)).toBe('Cancelled. Nothing was stored.\n');
  });
});
