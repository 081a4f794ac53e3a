/** The keychain's real child process and channel, with the test's modules in place of keytar. */
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { GwtokenError } from '../../../src/errors';
import { onCleanup } from '../../harness/clean-up';
import { openDirectory } from '../../harness/homes/directory';
import { leftBehind, until } from '../../harness/programs/processes';
import { copyChild } from '../../harness/programs/program-copy';
import { SECRET } from './keychain-runs';
import { asFunction, keychainWith, runWith } from './keytar-in-place';

const ACCOUNT = 'default:production:eu';
/** Blocks the child without using the processor. */
const BLOCK = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';
const failing = (text: string) => asFunction(`async () => { throw new Error(${JSON.stringify(text)}); }`);

const CRASHED = 'the keychain module crashed';
const NOT_INSTALLED = 'the keychain module keytar is not installed';

describe('a failure of the keychain child', () => {
  const failure = ({ keychain }: ReturnType<typeof keychainWith>): Promise<GwtokenError> =>
    keychain.get(ACCOUNT).then(
      () => expect.unreachable(),
      (error) => error,
    );

  test.each<[cause: string, keytar: string | undefined, message: string, detail: string]>([
    [
      'it is killed',
      asFunction("() => process.kill(process.pid, 'SIGKILL')"),
      CRASHED,
      'process ended: SIGKILL',
    ],
    ['it exits', asFunction('() => process.exit(3)'), CRASHED, 'process ended: exit code 3'],
    ['keytar is missing', undefined, NOT_INSTALLED, 'no keytar in'],
    [
      'keytar has no native part',
      "throw new Error('Failed to load keytar');",
      'the keychain module cannot be loaded on this system',
      'keytar.node',
    ],
    [
      'keytar throws an unknown error',
      failing('something new'),
      'unexpected keychain error: something new',
      'something new',
    ],
  ])('is reported with its detail if %s', async (_, keytar, message, detail) => {
    const error = await failure(keychainWith(keytar));
    expect(error).toMatchObject({ kind: 'keychain', message, detail: expect.stringContaining(detail) });
  });

  test('is reported with the system error if the child cannot start', async () => {
    const { execPath } = process;
    onCleanup(() => {
      process.execPath = execPath;
    });
    process.execPath = '/no/such/node';
    const detail = 'details: the keychain process failed: spawn /no/such/node ENOENT';
    expect(await failure(keychainWith(undefined))).toMatchObject({ message: CRASHED, detail });
  });

  test('is reported at the limit if the child hangs and ignores SIGTERM', async ({ needs }) => {
    needs('linux');
    const MARK = randomUUID();
    const { keychain } = keychainWith(`process.on('SIGTERM', () => {}); ${BLOCK}`, { env: { MARK } });
    const message = 'the keychain did not answer within 2 s';
    await expect(keychain.get(ACCOUNT, 2000)).rejects.toThrow(message);
    expect(await leftBehind(MARK)).toEqual([]);
  });
});

test('the child loads no keytar from parent directories, NODE_PATH or HOME', async () => {
  const outer = copyChild(asFunction("async () => 'from above'"));
  const elsewhere = openDirectory();
  cpSync(join(outer.dir, 'node_modules'), join(elsewhere, '.node_modules'), { recursive: true });
  const inner = join(outer.dir, 'tools', 'gwtoken');
  cpSync(join(outer.dir, 'dist'), join(inner, 'dist'), { recursive: true });
  const env = { HOME: elsewhere, NODE_PATH: join(elsewhere, '.node_modules') };
  const keychainIn = (directory: string) =>
    keychainWith(undefined, { env, childPath: join(directory, 'dist', 'keychain-child.cjs') }).keychain;
  await expect(keychainIn(inner).get(ACCOUNT)).rejects.toMatchObject({ message: NOT_INSTALLED });

  // npm puts gwtoken and keytar beside each other.
  const installed = join(outer.dir, 'node_modules', 'gwtoken');
  cpSync(inner, installed, { recursive: true });
  expect(await keychainIn(installed).get(ACCOUNT)).toBe('from above');
});

test('an aborted call does not start the keychain child', async () => {
  const { keychain, module } = keychainWith("require('node:fs').writeFileSync(__dirname + '/loaded', '');");
  const ended = AbortSignal.abort(new Error('the command has ended'));
  await expect(keychain.get(ACCOUNT, 10_000, ended)).rejects.toThrow('the command has ended');
  expect(existsSync(join(module, 'loaded'))).toBe(false);
});

test('the child ends after its answer, even if keytar keeps it running', async ({ needs }) => {
  needs('linux');
  const MARK = randomUUID();
  const busy = asFunction("async () => { setInterval(() => {}, 1000); return 'item'; }");
  const { keychain } = keychainWith(busy, { env: { MARK } });
  expect(await keychain.get(ACCOUNT)).toBe('item');
  expect(await leftBehind(MARK)).toEqual([]);
});

test('get() calls whileReading while the child reads, and delete() does not', async () => {
  let calls = 0;
  const { keychain } = keychainWith(asFunction('async () => null'), { whileReading: () => calls++ });
  for (const call of ['get', 'delete'] as const) await keychain[call](ACCOUNT);
  expect(calls).toBe(1);
});

test('the child gets no arguments, and no variables of gwtoken, Node or Bun', async () => {
  process.execArgv.push('--no-warnings');
  onCleanup(() => process.execArgv.pop());
  const bus = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${openDirectory()}` };
  const kept = { ...bus, LANGUAGE: 'de', MY_NODE_ENV: '1', NO_GWTOKEN_: '1' };
  const dropped = { gwtoken_client_secret: SECRET, NODE_PATH: '/nowhere', NODE_OPTIONS: '', BUN_BE_BUN: '1' };
  const received = async (platform: NodeJS.Platform) => {
    const body = 'async () => JSON.stringify([process.execArgv, process.argv.slice(2), process.env])';
    const { keychain } = keychainWith(asFunction(body), { platform, env: { ...kept, ...dropped } });
    const [execArgv, argv, { __CF_USER_TEXT_ENCODING: _, ...childEnv }] = JSON.parse(
      (await keychain.get('a')) ?? '',
    );
    return [execArgv, argv, childEnv];
  };
  expect(await received('darwin')).toEqual([[], [], { ...kept, DO_NOT_TRACK: '1' }]);
  // gwtoken recognizes glib's messages by their English text.
  const english = { LC_ALL: 'C', LANGUAGE: '' };
  expect(await received('linux')).toEqual([[], [], { ...kept, ...english, DO_NOT_TRACK: '1' }]);
});

test('the child ignores SIGINT and answers', async ({ needs }) => {
  needs('posix');
  const { keychain } = keychainWith(
    asFunction(`async () => {
      process.kill(process.pid, 'SIGINT');
      return await new Promise((done) => setTimeout(done, 50, 'item'));
    }`),
  );
  expect(await keychain.get('a')).toBe('item');
});

test('the child ends when gwtoken is killed while the keychain hangs', async ({ needs }) => {
  needs('posix');
  const { dir, childPath } = copyChild(
    asFunction(`async () => {
      require('node:fs').writeFileSync(__dirname + '/asked', '');
      await new Promise(() => setInterval(() => {}, 1000));
    }`),
  );
  const child = fork(childPath, [], { execArgv: [], stdio: 'ignore' });
  onCleanup(() => child.kill('SIGKILL'));
  child.send({ op: 'get', account: 'a' });
  await until('keytar is called', () => existsSync(join(dir, 'node_modules', 'keytar', 'asked')));
  // The end of gwtoken closes the channel.
  child.disconnect();
  await until('the child has ended', () => child.signalCode === 'SIGKILL');
});

/**
 * Source of a keytar whose calls return the answers of the variable SESSIONS, asynchronously and in turn. Each
 * process that loads it takes the next list. A call throws if its answer is `{ fails }`, and returns the value
 * of the last set if its answer is `what was stored`.
 */
const SCRIPTED_KEYTAR = `
const { appendFileSync, readFileSync } = require('node:fs');
const { setTimeout: sleep } = require('node:timers/promises');
appendFileSync(__dirname + '/sessions', '.');
const answers = JSON.parse(process.env.SESSIONS)[readFileSync(__dirname + '/sessions').length - 1];
let stored;
const answer = () => {
  const next = answers.shift();
  if (next?.fails) throw new Error(next.fails);
  return next === 'what was stored' ? stored : next;
};
module.exports = {
  getPassword: async () => answer(),
  setPassword: async (service, account, value) => {
    await sleep(50);
    if (answers[0]?.fails) answer();
    stored = value;
  },
  deletePassword: async () => { await sleep(50); return answer(); },
};`;
const wrongKey = { fails: 'Client public key size is invalid' };
const notDecrypted = { fails: "Can't find session /org/freedesktop/secrets/session/4" };

test('a call whose session has the wrong key is repeated in two other sessions', async ({ needs }) => {
  needs('linux');
  // askInSessions() in ask.ts tells why sessions fail.
  const inSessions = (...sessions: (readonly unknown[])[]) => {
    const bus = `unix:path=${openDirectory()}`;
    const env = { DBUS_SESSION_BUS_ADDRESS: bus, SESSIONS: JSON.stringify(sessions) };
    return keychainWith(SCRIPTED_KEYTAR, { platform: 'linux', env }).keychain;
  };
  // Three starts exceed the default limit of 10 s on a busy machine.
  const limitMs = 60_000;
  expect(await inSessions([wrongKey], [wrongKey], ['item']).get('a', limitMs)).toBe('item');
  expect(await inSessions([null], ['item']).get('a', limitMs)).toBe('item');
  const failed = 'the keychain keeps failing to open a session';
  await expect(inSessions([wrongKey], [wrongKey], [wrongKey]).get('a', limitMs)).rejects.toThrow(failed);
  expect(await inSessions([null, notDecrypted], ['old', 'what was stored']).set('a', 'new', limitMs)).toBe(
    true,
  );
});

test('get cleans an unknown keychain error, and prints no output of the module', async () => {
  const noise = "console.log('noise'); console.error('noise');";
  const { code, stdout, stderr } = await runWith(noise + failing('Ungültige Parameter\n\x1b[31m'), 'get');
  expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
  expect(stderr).toMatch(
    /^gwtoken: error: unexpected keychain error: Ungültige Parameter \[31m\n(hint: [^\n]+\n)+$/,
  );
});
