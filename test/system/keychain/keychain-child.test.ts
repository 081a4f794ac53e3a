/** The keychain's child, whatever the module in it does: the real child and channel, with modules of ours. */
import { randomUUID } from 'node:crypto';
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { GwtokenError } from '../../../src/errors';
import { onCleanup } from '../../harness/clean-up';
import { openDirectory } from '../../harness/homes/directory';
import { leftBehind } from '../../harness/programs/processes';
import { copyProgram } from '../../harness/programs/program-copy';
import { SECRET } from './keychain-runs';
import { asFunction, keychainWith, runWith } from './keytar-in-place';

const ACCOUNT = 'default:production:eu';
const failing = (text: string) => asFunction(`async () => { throw new Error(${JSON.stringify(text)}); }`);

describe('a keychain child that fails', () => {
  const failure = ({ keychain }: ReturnType<typeof keychainWith>): Promise<GwtokenError> =>
    keychain.get(ACCOUNT).then(
      () => expect.unreachable(),
      (error) => error,
    );

  test.each<[string, string | undefined, string, string]>([
    [
      'is killed',
      asFunction("() => process.kill(process.pid, 'SIGKILL')"),
      'crashed',
      'process ended: SIGKILL',
    ],
    ['ends', asFunction('() => process.exit(3)'), 'crashed', 'process ended: exit code 3'],
    ['has no module', undefined, 'module-missing', 'no keytar in'],
    ['has no native part', "throw new Error('Failed to load keytar');", 'not-loadable', 'keytar.node'],
    ['has a text nobody knows', failing('something new'), 'failed', 'something new'],
  ])('%s', async (_, keytar, reason, said) => {
    const error = await failure(keychainWith(keytar));
    expect(error).toMatchObject({ kind: 'keychain', reason, detail: expect.stringContaining(said) });
  });

  test('because it cannot be started: why under --verbose', async () => {
    const { execPath } = process;
    onCleanup(() => {
      process.execPath = execPath;
    });
    process.execPath = '/no/such/node';
    const said = 'details: the keychain process failed: spawn /no/such/node ENOENT';
    expect(await failure(keychainWith(undefined))).toMatchObject({ reason: 'crashed', detail: said });
  });

  test('hangs, and hangs by SIGTERM too: it is killed at the limit', async ({ needs }) => {
    needs('linux');
    const MARK = randomUUID();
    const { keychain } = keychainWith("process.on('SIGTERM', () => {}); while (true);", { env: { MARK } });
    const message = 'the keychain did not answer within 2 s';
    await expect(keychain.get(ACCOUNT, 2000)).rejects.toThrow(message);
    expect(await leftBehind(MARK)).toEqual([]);
  });
});

test('no module of a directory above gwtoken, of NODE_PATH or of the home directory passes for keytar', async () => {
  const outer = copyProgram(asFunction("async () => 'from above'"));
  const elsewhere = openDirectory();
  cpSync(join(outer.dir, 'node_modules'), join(elsewhere, '.node_modules'), { recursive: true });
  const inner = join(outer.dir, 'tools', 'gwtoken');
  cpSync(join(outer.dir, 'dist'), join(inner, 'dist'), { recursive: true });
  const env = { HOME: elsewhere, NODE_PATH: join(elsewhere, '.node_modules') };
  const keychainIn = (directory: string) =>
    keychainWith(undefined, { env, childPath: join(directory, 'dist', 'keychain-child.cjs') }).keychain;
  await expect(keychainIn(inner).get(ACCOUNT)).rejects.toMatchObject({ reason: 'module-missing' });

  // Where npm puts both, one beside the other.
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

test('something else is done while a secret is read, and only then', async () => {
  let meanwhile = 0;
  const { keychain } = keychainWith(asFunction('async () => null'), { whileReading: () => meanwhile++ });
  for (const call of ['get', 'delete'] as const) await keychain[call](ACCOUNT);
  expect(meanwhile).toBe(1);
});

test('the child gets its request by the channel alone, and no option of our Node or variable of gwtoken, Node or Bun', async () => {
  process.execArgv.push('--no-warnings');
  onCleanup(() => process.execArgv.pop());
  const bus = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${openDirectory()}` };
  const kept = { ...bus, LANGUAGE: 'de', MY_NODE_ENV: '1', NO_GWTOKEN_: '1' };
  const dropped = { gwtoken_client_secret: SECRET, NODE_PATH: '/nowhere', NODE_OPTIONS: '', BUN_BE_BUN: '1' };
  const seen = async (platform: NodeJS.Platform) => {
    const body = 'async () => JSON.stringify([process.execArgv, process.argv.slice(2), process.env])';
    const { keychain } = keychainWith(asFunction(body), { platform, env: { ...kept, ...dropped } });
    const [execArgv, argv, { __CF_USER_TEXT_ENCODING: _, ...seenEnv }] = JSON.parse(
      (await keychain.get('a')) ?? '',
    );
    return [execArgv, argv, seenEnv];
  };
  expect(await seen('darwin')).toEqual([[], [], { ...kept, DO_NOT_TRACK: '1' }]);
  // In English: glib's messages are recognized by their text.
  const english = { LC_ALL: 'C', LANGUAGE: '' };
  expect(await seen('linux')).toEqual([[], [], { ...kept, ...english, DO_NOT_TRACK: '1' }]);
});

test.skipIf(process.platform === 'win32')('a Ctrl-C that reaches the child does not end it', async () => {
  const { keychain } = keychainWith(
    asFunction(`async () => {
      process.kill(process.pid, 'SIGINT');
      return await new Promise((done) => setTimeout(done, 50, 'item'));
    }`),
  );
  expect(await keychain.get('a')).toBe('item');
});

/**
 * A keytar whose answers a test lists, one list for each process that loads it. As in the real one, a call has to
 * be awaited. It fails where an answer is `{ fails }`.
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
type World = Parameters<typeof keychainWith>[1];
/** A keychain with this keytar, which answers as listed for each process. */
const answering = (sessions: readonly (readonly unknown[])[], { env, ...world }: World = {}) =>
  keychainWith(SCRIPTED_KEYTAR, { ...world, env: { ...env, SESSIONS: JSON.stringify(sessions) } }).keychain;

describe('by what it reads, the child', () => {
  const reading = (reads: readonly unknown[]) => answering([reads]);
  const end = <T>(call: Promise<T>) => call.catch(({ reason }: GwtokenError) => reason);

  test.each<[readonly unknown[], unknown]>([
    [[null, 'what was stored'], false],
    [['old', 'what was stored'], true],
    // The person has said no.
    [['old', null], 'denied'],
    [['old', 'old'], 'denied'],
  ])('reading %j, before and after, ends set with %j', async (reads, expected) => {
    expect(await end(reading(reads).set('a', 'new'))).toBe(expected);
  });

  test.each<[readonly unknown[], unknown]>([
    [[null, 'what was stored', true, null], undefined],
    [[null, 'something else'], 'denied'],
  ])('reading %j ends probe with %j', async (reads, expected) => {
    expect(await end(reading(reads).probe())).toBe(expected);
  });

  test.each<[readonly unknown[], unknown]>([
    [[true, null], true],
    [[true, 'it'], 'denied'],
    [[false, null, false], false],
    // Reading it has unlocked it.
    [[false, 'it', true, null], true],
    [[false, 'it', true, 'it'], 'denied'],
    [[true, wrongKey], true],
  ])('%j, deleting and reading, ends delete with %j', async (reads, expected) => {
    expect(await end(reading(reads).delete('a'))).toBe(expected);
  });
});

/** In about 1 % of KWallet 5 sessions the key exchange fails: a call is refused, or an item reads as absent. */
test('a call whose session has the wrong key is repeated in another session', async ({ needs }) => {
  needs('linux');
  const env = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${openDirectory()}` };
  const inSessions = (...sessions: (readonly unknown[])[]) => answering(sessions, { platform: 'linux', env });
  expect(await inSessions([wrongKey], ['item']).get('a')).toBe('item');
  expect(await inSessions([null], ['item']).get('a')).toBe('item');
  expect(await inSessions([null], [wrongKey], ['item']).get('a')).toBe('item');
  expect(await inSessions([null, notDecrypted], ['old', 'what was stored']).set('a', 'new')).toBe(true);
});

test('what tries the keychain has a service of its own, which the help names', async () => {
  const { keychain } = keychainWith(asFunction('async (service) => { throw new Error(service); }'));
  await expect(keychain.probe()).rejects.toThrow('unexpected keychain error: gwtoken-probe');
});

test('get shows the words of a keychain that it does not know, cleaned, and nothing that the module prints', async () => {
  const noise = "console.log('noise'); console.error('noise');";
  const { code, stdout, stderr } = await runWith(noise + failing('Ungültige Parameter\n\x1b[31m'), 'get');
  expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
  expect(stderr).toMatch(
    /^gwtoken: error: unexpected keychain error: Ungültige Parameter \[31m\n(hint: [^\n]+\n)+$/,
  );
});
