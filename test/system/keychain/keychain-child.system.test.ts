import { getEventListeners } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { GwtokenError } from '../../../src/errors';
import { openKeychain } from '../../../src/system/keychain/keychain';
import { onCleanup } from '../../harness/clean-up';
import { startFaultServer } from '../../harness/endpoints/fault-server';
import { startIdentityServer } from '../../harness/endpoints/identity-server';
import { atMost } from '../../harness/programs/program';
import type { Terminal } from '../../harness/programs/terminal';
import { asFunction, programWith, SECRET } from './keytar-in-place';

describe('a keychain child that', () => {
  const VARIABLES = 'without a keychain, use environment variables: gwtoken help keychain';
  const CRASHED = [
    'try again; if it keeps crashing, reinstall gwtoken and run: gwtoken doctor',
    VARIABLES,
  ] as const;
  const UNKNOWN = ['for details, add --verbose', 'to diagnose, run: gwtoken doctor'] as const;

  test.each<[string, string | undefined, string, readonly string[]]>([
    [
      'crashes',
      asFunction("() => process.kill(process.pid, 'SIGSEGV')"),
      'the keychain module crashed',
      CRASHED,
    ],
    [
      'aborts while it loads the module',
      'process.abort();',
      'the keychain module crashed',
      [
        ...CRASHED,
        ...(process.platform === 'win32'
          ? []
          : ['you may have reached a system limit: check ulimit -u and ulimit -v']),
      ],
    ],
    ['ends without an answer', asFunction('() => process.exit(0)'), 'the keychain module crashed', CRASHED],
    [
      'sends garbage',
      asFunction("() => { process.send('garbage'); process.send(null); return new Promise(() => {}); }"),
      'the keychain module crashed',
      CRASHED,
    ],
    [
      'answers with something else than was asked for',
      asFunction('async () => ({ client_id: 1 })'),
      'the keychain module crashed',
      CRASHED,
    ],
    [
      'says what nobody knows',
      asFunction("async () => { throw new Error('Ungültige Parameter\\n\\x1b[31m'); }"),
      'unexpected keychain error',
      UNKNOWN,
    ],
    [
      'agrees on no key in any session',
      asFunction("async () => { throw new Error('Client public key size is invalid'); }"),
      'unexpected keychain error',
      UNKNOWN,
    ],
    [
      'has no module',
      undefined,
      'the keychain module keytar is not installed',
      [
        'reinstall gwtoken (npm install -g) without --omit=optional, once the registry can be reached: when npm cannot reach it, it leaves keytar out without a message',
        VARIABLES,
      ],
    ],
    [
      'has a module without its native part',
      "throw new Error('Failed to load keytar native addon, checked [] on prebuilds/linux-x64');",
      'the keychain module does not support this system',
      ['for details, add --verbose', VARIABLES],
    ],
  ])('%s is told of with exit code 5', async (_, keytar, message, hints) => {
    const { run } = programWith(keytar);
    const { code, stdout, stderr, ms } = await run(['get']);
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    const [error, ...more] = stderr.split('\n');
    expect(error).toContain(`gwtoken: error: ${message}`);
    const all = [...hints, 'or set GWTOKEN_CLIENT_ID_EU and GWTOKEN_CLIENT_SECRET_EU'];
    expect(more).toEqual([...all.map((hint) => `hint: ${hint}`), '']);
    expect(ms).toBeLessThan(await atMost(4000));
  });

  test.each([
    [
      'answers after the limit',
      asFunction("() => new Promise((done) => setTimeout(done, 60_000, '{}'))"),
      'did not answer',
    ],
    ['hangs while it loads the module', 'while (true);', 'module did not start'],
    [
      'cannot be asked to end',
      asFunction("() => { process.on('SIGTERM', () => {}); while (true); }"),
      'did not answer',
    ],
  ])('%s is ended by it', async (_, keytar, what) => {
    const { run } = programWith(keytar);
    const { code, stdout, stderr, ms } = await run(['get'], { GWTOKEN_KEYCHAIN_TIMEOUT: '3' });
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(stderr.split('\n')[0]).toBe(`gwtoken: error: the keychain ${what} within 3 s`);
    expect(ms).toBeLessThan(await atMost(3000));
  });

  test('prints on its own is not heard, and its answer is', async () => {
    const noise = "process.stdout.write('noise'); process.stderr.write('noise');";
    const { run } = programWith(
      asFunction(
        `async () => { ${noise} return '{"client_id":"a","client_secret":"b","auth_url":"http://127.0.0.1:9"}'; }`,
      ),
    );
    const { code, stdout, stderr } = await run(['get']);
    // The discard port refuses: the credentials were there.
    expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
    expect(stderr).not.toContain('noise');
  });

  test('fails shows its raw words under --verbose alone', async () => {
    const { run } = programWith(asFunction("async () => { throw new Error('raw words of the store'); }"));
    expect((await run(['get'])).stderr).not.toContain('raw words');
    expect((await run(['get', '--verbose'])).stderr).toContain('raw words of the store');
  });
});

describe('a person who is waited for', () => {
  const NOTICE = 'gwtoken: waiting for the keychain: is a dialog open? (up to 60 s)';
  /** Runs get with a module that answers once `asked` has come about. */
  async function getOnce(asked: (terminal: Terminal) => Promise<unknown>, CI: string, before = '') {
    const identity = await startIdentityServer({
      clients: [{ clientId: 'eu-client', clientSecret: SECRET }],
    });
    const waiting = `() => new Promise((done) => setInterval(() => existsSync(__dirname + '/go') && done(process.env.ITEM), 20))`;
    const { copy, home } = programWith(
      `${before}; const { existsSync } = require('node:fs'); ${asFunction(waiting)}`,
    );
    const item = { client_id: 'eu-client', client_secret: SECRET, auth_url: identity.authUrl };
    const env = { GWTOKEN_AUTH_URL: identity.authUrl, DISPLAY: ':99', CI, ITEM: JSON.stringify(item) };
    const terminal = home.terminal(['get'], { env, program: copy.program });
    await asked(terminal);
    writeFileSync(join(copy.dir, 'node_modules', 'keytar', 'go'), '');
    expect(await terminal.exit).toEqual({ code: 0, signal: null });
    expect(terminal.screen()).toContain(`${identity.issued[0]}\n`);
    return terminal.raw();
  }

  test.for([
    ['', true],
    ['false', true],
    ['true', false],
  ] as const)('with CI=%s is told after two seconds: %s', async ([CI, told]) => {
    const raw = await getOnce((terminal) => (told ? terminal.waitFor(NOTICE) : sleep(4000)), CI);
    // The spinner's line before it is cleared, and it stands on a line of its own.
    expect(raw.includes(`\r\x1b[K${NOTICE}\r\n`)).toBe(told);
  });

  test('is told as well where the module takes longer than that to load', async () => {
    const slowly = 'for (const end = Date.now() + 4000; Date.now() < end; );';
    await getOnce((terminal) => terminal.waitFor(NOTICE), '', slowly);
  });

  test('and whose terminal goes away meanwhile costs nobody the answer', async () => {
    const waiting = `() => new Promise((done) => setInterval(() => existsSync(__dirname + '/go') && done('item'), 20))`;
    const { copy } = programWith(`const { existsSync } = require('node:fs'); ${asFunction(waiting)}`);
    const stderr = {
      isTTY: () => true,
      write: () => {
        writeFileSync(join(copy.dir, 'node_modules', 'keytar', 'go'), '');
        throw new GwtokenError('local', 'cannot write output (EIO)');
      },
    };
    const { childPath } = copy;
    const keychain = openKeychain({ platform: 'darwin', env: {}, stderr, childPath });
    const { signal } = new AbortController();
    expect(await keychain.get('default:production:eu', 60_000, signal)).toBe('item');
    // Those of a renewal's requests would be more with each, and Node warns of the eleventh.
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

test('nobody is asked for who has ended already', async () => {
  const { copy } = programWith("require('node:fs').writeFileSync(__dirname + '/loaded', '');");
  const stderr = { isTTY: () => false, write: () => {} };
  const keychain = openKeychain({ platform: 'darwin', env: {}, stderr, childPath: copy.childPath });
  const ended = AbortSignal.abort(new Error('the command has ended'));
  await expect(keychain.get('default:production:eu', 10_000, ended)).rejects.toThrow('the command has ended');
  expect(existsSync(join(copy.dir, 'node_modules', 'keytar', 'loaded'))).toBe(false);
});

test.runIf(process.platform === 'linux')(
  'a dialog is spoken of only where a person can see one: on a desktop, and not under CI',
  async () => {
    const { copy } = programWith(asFunction('() => new Promise((done) => setTimeout(done, 60_000))'));
    const stderr = { isTTY: () => true, write: () => {} };
    const said = async ({ platform = 'linux', ...env }: Record<string, string>) => {
      const own = {
        platform: platform as NodeJS.Platform,
        env: { ...env, PATH: '/nonexistent' },
        childPath: copy.childPath,
      };
      const keychain = openKeychain({ ...own, stderr });
      return await keychain.get('default:production:eu', 3000).catch(({ message }) => message);
    };
    const without = 'the keychain did not answer within 3 s';
    const seen = [
      { DISPLAY: ':99' },
      { WAYLAND_DISPLAY: 'wayland-0' },
      { platform: 'darwin' },
      { platform: 'win32' },
    ];
    const unseen = [{}, { DISPLAY: ':99', CI: 'true' }];
    expect(await Promise.all([...seen, ...unseen].map(said))).toEqual([
      ...seen.map(() => `${without} (was a dialog open?)`),
      ...unseen.map(() => without),
    ]);
  },
);

/** Keeps its items in a file, and writes down how it was called. */
const FILE_KEYTAR = `
const { appendFileSync, existsSync, readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const file = join(__dirname, 'items.json');
const log = (name, args) => appendFileSync(join(__dirname, 'calls'),
  JSON.stringify({ name, args, argv: process.argv, env: process.env, execArgv: process.execArgv }) + '\\n');
const items = () => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {});
module.exports = {
  async getPassword(...args) { log('getPassword', args); return items()[args.join('/')] ?? null; },
  async setPassword(service, account, value) {
    log('setPassword', [service, account]);
    writeFileSync(file, JSON.stringify({ ...items(), [service + '/' + account]: value }));
  },
  async deletePassword(...args) {
    log('deletePassword', args);
    const { [args.join('/')]: found, ...rest } = items();
    writeFileSync(file, JSON.stringify(rest));
    return found !== undefined;
  },
  async findCredentials() { log('findCredentials', []); return []; },
  async findPassword() { log('findPassword', []); return null; },
};`;

test('the child has no option of gwtoken’s Node, and of its variables neither its own nor those of Node and Bun', async () => {
  process.execArgv.push('--no-warnings');
  onCleanup(() => process.execArgv.pop());
  const { copy } = programWith(asFunction('async () => JSON.stringify([process.execArgv, process.env])'));
  const kept = {
    PATH: '/nowhere',
    LANGUAGE: 'de',
    NODE_PATH: '/nowhere',
    MY_NODE_ENV: '1',
    NO_GWTOKEN_: '1',
  };
  const env = { ...kept, gwtoken_client_secret: SECRET, NODE_PATHS: '1', NODE_OPTIONS: '', BUN_BE_BUN: '1' };
  const seen = async (platform: NodeJS.Platform) => {
    const stderr = { isTTY: () => false, write: () => {} };
    const { get } = openKeychain({ platform, env, stderr, childPath: copy.childPath });
    const [execArgv, { __CF_USER_TEXT_ENCODING: _, ...seenEnv }] = JSON.parse((await get('a')) ?? '');
    return [execArgv, seenEnv];
  };
  expect(await seen('darwin')).toEqual([[], { ...kept, DO_NOT_TRACK: '1' }]);
  // In English, which the texts of glib are recognized by.
  expect(await seen('linux')).toEqual([[], { ...kept, LC_ALL: 'C', LANGUAGE: '', DO_NOT_TRACK: '1' }]);
});

test.skipIf(process.platform === 'win32')(
  'a Ctrl-C, which reaches the child too, does not end it',
  async () => {
    const { copy } = programWith(
      asFunction(`async () => {
      process.kill(process.pid, 'SIGINT');
      return await new Promise((done) => setTimeout(done, 50, 'item'));
    }`),
    );
    const stderr = { isTTY: () => false, write: () => {} };
    const { get } = openKeychain({ platform: 'darwin', env: {}, stderr, childPath: copy.childPath });
    expect(await get('a')).toBe('item');
  },
);

/**
 * Reads what the test says, one after the other, and writes down how it was called. As with the real one, what is stored
 * or deleted is so only when that is waited for.
 */
const SCRIPTED_KEYTAR = `
const { appendFileSync } = require('node:fs');
const { setTimeout: sleep } = require('node:timers/promises');
const reads = JSON.parse(process.env.READS);
const log = (...call) => appendFileSync(process.env.CALLS, JSON.stringify(call) + '\\n');
let stored;
module.exports = {
  async getPassword(service, account) {
    log('get', service, account.replace(String(process.pid), 'PID'));
    const read = reads.shift();
    if (read === 'fails') throw new Error('something new');
    return read === 'what was stored' ? stored : read;
  },
  async setPassword(service, account, value) { log('set', service); await sleep(50); stored = value; },
  async deletePassword(service) { await sleep(50); log('delete', service); return reads.shift(); },
};`;

describe('by what it reads, the child', () => {
  /** What comes of it, and the functions of the module that were called. */
  async function calling<T>(
    reads: readonly unknown[],
    call: (keychain: ReturnType<typeof openKeychain>) => Promise<T>,
  ) {
    const { copy } = programWith(SCRIPTED_KEYTAR);
    const calls = join(copy.dir, 'calls');
    const env = { READS: JSON.stringify(reads), CALLS: calls };
    const stderr = { isTTY: () => false, write: () => {} };
    const keychain = openKeychain({ platform: 'darwin', env, stderr, childPath: copy.childPath });
    const end = await call(keychain).catch(({ reason }: GwtokenError) => ({ reason }));
    const lines = readFileSync(calls, 'utf8').trim().split('\n');
    return { end, calls: lines.map((line) => (JSON.parse(line) as string[]).join(' ')) };
  }

  test.each<[readonly unknown[], unknown, number]>([
    [[null, 'what was stored'], undefined, 1],
    [['old', 'what was stored'], 'old', 1],
    [['new', 'what was stored'], 'new', 1],
    // The person has said no.
    [['old', null], { reason: 'denied' }, 1],
    [['old', 'old'], { reason: 'denied' }, 1],
    // What could not be read before: it was there.
    [[null, 'old', 'old'], { reason: 'denied' }, 2],
    // Another login's, which came before or after.
    [[null, 'another', 'a third'], undefined, 2],
    [['old', 'another'], 'old', 1],
  ])('%j stores: %j', async (reads, end, times) => {
    const done = await calling(reads, ({ set }) => set('a', 'new'));
    const again = Array.from({ length: times }, () => ['set gwtoken', 'get gwtoken a']);
    expect(done).toEqual({ end, calls: ['get gwtoken a', ...again.flat()] });
  });

  test.each<[readonly unknown[], unknown, readonly string[]]>([
    [['what was stored'], 'keytar 0.0.0', ['delete gwtoken-probe']],
    [['something else'], { reason: 'failed' }, ['delete gwtoken-probe']],
    [['fails'], { reason: 'failed' }, ['delete gwtoken-probe']],
    // To delete it would only open the dialog again, which has been dismissed.
    [[null], { reason: 'denied' }, []],
  ])('%j probes: %j', async (reads, end, last) => {
    expect(await calling(reads, ({ probe }) => probe())).toEqual({
      end,
      calls: ['set gwtoken-probe', 'get gwtoken-probe probe PID', ...last],
    });
  });

  test.each([
    ['it', 'it'],
    [null, undefined],
  ])('%j gets: %j', async (read, end) => {
    expect(await calling([read], ({ get }) => get('a'))).toEqual({ end, calls: ['get gwtoken a'] });
  });

  test.each<[readonly unknown[], boolean, readonly string[]]>([
    [[true], true, []],
    [[false, null], false, ['get gwtoken a']],
    [[false, 'it', true], true, ['get gwtoken a', 'delete gwtoken']],
    [[false, 'it', false], false, ['get gwtoken a', 'delete gwtoken']],
  ])('%j deletes: %j', async (reads, end, more) => {
    const done = await calling(reads, (keychain) => keychain.delete('a'));
    expect(done).toEqual({ end, calls: ['delete gwtoken', ...more] });
  });
});

test('no command calls find*, and no secret is in an argument or the environment of the child', async () => {
  const identity = await startIdentityServer({ clients: [{ clientId: 'eu-client', clientSecret: SECRET }] });
  const { run, copy } = programWith(FILE_KEYTAR);
  const env = {
    GWTOKEN_AUTH_URL: identity.authUrl,
    GWTOKEN_SANDBOX_CLIENT_SECRET: SECRET,
    NODE_OPTIONS: '--max-old-space-size=512',
    NODE_PATH: '/nowhere',
    BUN_INSTALL: '/nowhere',
    LC_ALL: 'de_DE.UTF-8',
    LANGUAGE: 'de',
  };
  const login = await run(['login', '--client-id', 'eu-client', '--secret-stdin'], env, SECRET);
  expect(login.code).toBe(0);
  for (const command of [['get'], ['status', '--check'], ['doctor'], ['logout']]) {
    expect({ command, code: (await run(command, env)).code }).toEqual({ command, code: 0 });
  }
  const calls = join(copy.dir, 'node_modules', 'keytar', 'calls');
  const seen = readFileSync(calls, 'utf8');
  expect(seen).not.toContain(SECRET);
  const lines = seen
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { name: string; args: string[]; env: object; execArgv: string[] });
  expect(new Set(lines.map(({ name }) => name))).toEqual(
    new Set(['getPassword', 'setPassword', 'deletePassword']),
  );
  expect(new Set(lines.map(({ args }) => args[0]))).toEqual(new Set(['gwtoken', 'gwtoken-probe']));
  const inChild = lines[0]?.env ?? {};
  expect(Object.keys(inChild).filter((name) => /^(GWTOKEN_|NODE_OPT|BUN_INSTALL)/.test(name))).toEqual([]);
  expect(inChild).toMatchObject({
    NODE_PATH: '/nowhere',
    DO_NOT_TRACK: '1',
    // In English, which the texts of glib are recognized by.
    ...(process.platform === 'linux' ? { LC_ALL: 'C', LANGUAGE: '' } : { LC_ALL: 'de_DE.UTF-8' }),
  });
});

test('a keychain that gives back something else than it was given fails doctor', async () => {
  const { run } = programWith(`module.exports = {
    getPassword: async () => 'something else',
    setPassword: async () => {},
    deletePassword: async () => true,
  };`);
  const { code, stdout } = await run(['doctor', '--json']);
  expect(code).toBe(5);
  const { checks } = JSON.parse(stdout) as { checks: { name: string }[] };
  expect(checks.find(({ name }) => name === 'round trip')).toMatchObject({
    result: 'failed',
    message: expect.stringContaining('unexpected keychain error'),
  });
});

test('an item that another login has replaced meanwhile is left to that', async () => {
  const another = JSON.stringify({
    client_id: 'another',
    client_secret: 'x',
    auth_url: 'http://127.0.0.1:9',
  });
  const { run, copy } = programWith(`
    const items = { gwtoken: 'the old one' };
    let times = 0;
    module.exports = {
      getPassword: async (service) => items[service] ?? null,
      setPassword: async (service, _, value) => {
        items[service] = value;
        if (service !== 'gwtoken') return;
        require('node:fs').appendFileSync(__dirname + '/stored', 'x');
        if (++times === 1) items.gwtoken = ${JSON.stringify(another)};
      },
      deletePassword: async (service) => delete items[service],
    };`);
  const login = ['login', '--client-id', 'eu-client', '--secret-stdin', '--no-verify'];
  expect(await run(login, {}, SECRET)).toMatchObject({ code: 0 });
  expect(readFileSync(join(copy.dir, 'node_modules', 'keytar', 'stored'), 'utf8')).toBe('x');
});

test('a warm start, help and variables do not load the module', async () => {
  const { run, copy } = programWith("require('node:fs').writeFileSync(__dirname + '/loaded', '');");
  await run(['--help']);
  await run(['status']);
  await run(['get'], { GWTOKEN_CLIENT_ID: 'eu-client', GWTOKEN_CLIENT_SECRET: SECRET });
  expect(existsSync(join(copy.dir, 'node_modules', 'keytar', 'loaded'))).toBe(false);
});

test('gwtoken ends where the keychain fails, also with a connection that was opened meanwhile', async () => {
  const { run, copy, home } = programWith(
    asFunction(`async () => {
      const { existsSync } = require('node:fs');
      while (!existsSync(__dirname + '/connected')) await new Promise((done) => setTimeout(done, 10));
      throw new Error('a fault');
    }`),
  );
  const isConnected = join(copy.dir, 'node_modules', 'keytar', 'connected');
  const silent = await startFaultServer({ connected: () => writeFileSync(isConnected, '') });
  home.configure({});
  // Only to an address that login has stored.
  const clients = { 'default:production:eu': { client_id: 'id', auth_url: silent.url } };
  writeFileSync(join(home.config, 'clients.json'), JSON.stringify(clients), { mode: 0o600 });
  expect(await run(['get'], { GWTOKEN_AUTH_URL: silent.url })).toMatchObject({
    code: 5,
    stderr: expect.stringMatching(/^gwtoken: error: unexpected keychain error\n(hint: [^\n]+\n)+$/),
  });
});
