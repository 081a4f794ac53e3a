/** `gwtoken logout` with prompts, broken keychains and races. The rest is in test/sessions/text/logout.txt. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { GwtokenError } from '../../src/errors';
import { Interrupted } from '../../src/signals';
import type { Keychain, Terminal } from '../../src/world';
import { type Inside, inside } from '../harness/homes/in-process';
import { PLAIN } from '../harness/homes/plain-terminal';

const EU = 'default:production:eu';
const US = 'default:production:us';
const REVOKE = 'Removed from this machine only. To revoke the client, use the Clients page.\n';
const BY_HAND = 'Keychain items that you created with another tool are not removed.\n';
let gw: Inside;
beforeEach(async () => {
  gw = inside();
  gw.env = { GWTOKEN_AUTH_URL: 'https://a.example.com' };
  for (const region of ['eu', 'us'] as const)
    await gw.login({ region, clientId: `of-${region}`, flags: ['--no-verify'] });
});

const logout = (...flags: string[]) => gw.cli(['logout', '--yes', ...flags]);
const withoutYes = (...flags: string[]) => gw.cli(['logout', ...flags]);
const cacheEntry = (region: string) => join(gw.cache, `default-production-${region}.token.json`);
const clientsFile = () => join(gw.config, 'clients.json');

/** Replaces the keychain's removal of an item. `remove` removes the item and returns whether it existed. */
function onDelete(act: (name: string, remove: () => boolean) => boolean | Promise<boolean>): void {
  const remove = async (name: string) => act(name, () => gw.items.delete(name));
  gw.own = { ...gw.own, keychain: { ...gw.keychain, delete: remove } };
}

test('logout --all removes what it can, and fails for the rest', async () => {
  await gw.get('--region', 'eu');
  onDelete((name, remove) => {
    if (name === EU) throw new GwtokenError('keychain', 'the keychain is locked');
    return remove();
  });
  const stderr = `Removed ${US}\ngwtoken: error: the keychain is locked\n`;
  expect(await logout('--all')).toEqual({ code: 5, stdout: '', stderr });
  expect(existsSync(cacheEntry('eu'))).toBe(true);
  expect((await gw.cli(['status'])).stdout).toMatch(new RegExp(`${EU}(?!.*${US})`, 's'));
});

test('logout --all removes and reports nothing more after a signal', async () => {
  const listed = readFileSync(clientsFile(), 'utf8');
  let interrupt = (_: NodeJS.Signals): void => {};
  let reported = '';
  gw.own = {
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
  onDelete(() => {
    interrupt('SIGINT');
    throw new GwtokenError('keychain', 'ended by the signal');
  });
  await expect(logout('--all')).rejects.toBeInstanceOf(Interrupted);
  await sleep(50);
  expect([gw.items.size, reported]).toEqual([2, '']);
  // A mark in the list would let the next logout take a denied item for a removed one.
  expect(readFileSync(clientsFile(), 'utf8')).toBe(listed);
});

test('logout reports a crash of the keychain, and can be repeated', async () => {
  onDelete(() => {
    throw new GwtokenError('keychain', 'ended', { reason: 'crashed' });
  });
  expect(await logout('--all')).toMatchObject({ code: 5, stderr: expect.not.stringContaining('Removed') });
  gw.own = {};
  expect((await logout('--all')).stderr).toBe(`Removed ${EU}\nRemoved ${US}\n${REVOKE}${BY_HAND}`);
});

test('logout removes the item and the token even if the list cannot be written', async () => {
  await gw.get('--region', 'eu');
  onDelete((_, remove) => {
    renameSync(gw.config, `${gw.config}.bak`);
    writeFileSync(gw.config, '');
    return remove();
  });
  const { code, stderr } = await logout('--region', 'eu');
  expect([code, gw.items.has(EU), existsSync(cacheEntry('eu'))]).toEqual([1, false, false]);
  expect(stderr).toBe(
    `gwtoken: error: removed ${EU}, but not its entry in the list of stored clients: ` +
      `cannot write ${clientsFile()}: not a directory\n`,
  );
});

test('logout opens no keychain for a client in variables, even in incomplete ones', async () => {
  gw.env = { ...gw.env, GWTOKEN_REGION: 'eu', GWTOKEN_SANDBOX: '1', GWTOKEN_CLIENT_ID: 'job' };
  await gw.cli(['get']);
  onDelete(() => {
    throw new GwtokenError('keychain', 'the keychain is locked', { reason: 'locked' });
  });
  expect((await logout()).code).toBe(4);
  gw.env['GWTOKEN_CLIENT_SECRET'] = 'secret';
  await gw.get();
  delete gw.env['GWTOKEN_CLIENT_SECRET'];
  const stderr = `Removed the cached tokens of default:sandbox:eu\n${REVOKE}`;
  expect(await logout()).toEqual({ code: 0, stdout: '', stderr });
});

test('one of twelve simultaneous logouts removes the client', async () => {
  gw.own = { platform: 'linux' };
  onDelete(async (_, remove) => {
    const hadItem = remove();
    await sleep(5);
    return hadItem;
  });
  const ended = await Promise.all(Array.from({ length: 12 }, () => logout('--region', 'eu')));
  expect(ended.map(({ code }) => code).sort()).toEqual([0, ...Array(11).fill(4)]);
});

describe('logout without the item of a stored client', () => {
  beforeEach(async () => {
    await gw.get('--region', 'eu');
    gw.items.clear();
  });

  test('fails on Linux, where the keychain may hide the item', async () => {
    gw.own = { platform: 'linux' };
    const { code, stderr } = await logout('--region', 'eu');
    expect([code, existsSync(cacheEntry('eu'))]).toEqual([5, true]);
    expect(stderr).toContain(`gwtoken: error: the keychain did not return the item of ${EU}: denied, `);
  });

  test('removes the rest on macOS, where the keychain does not hide items', async () => {
    gw.own = { platform: 'darwin' };
    expect((await logout('--region', 'eu')).stderr).toBe(`Removed ${EU}\n${REVOKE}`);
    expect(existsSync(cacheEntry('eu'))).toBe(false);
    expect(await withoutYes('--region', 'eu')).toMatchObject({ code: 4 });
  });
});

test('logout names a cached token that it cannot remove, and removes the rest', async () => {
  for (const region of ['eu', 'us']) await gw.get('--region', region);
  // Not even root can remove a directory as a file.
  rmSync(cacheEntry('eu'));
  mkdirSync(join(cacheEntry('eu'), 'x'), { recursive: true });
  const { code, stderr } = await logout('--all');
  const error = `removed ${EU}, but not its cached token: ${cacheEntry('eu')} (it is a directory)`;
  expect(stderr).toBe(`Removed ${US}\ngwtoken: error: ${error}\n`);
  expect([code, existsSync(cacheEntry('us')), gw.items.size]).toEqual([1, false, 0]);
});

describe('logout without --yes', () => {
  /** Simulates a terminal with this answer. Returns the list to which each question is added. */
  const answering = (answer: () => Promise<boolean>) => {
    const asked: string[] = [];
    const confirm: Terminal['confirm'] = (question) => {
      asked.push(question);
      return answer();
    };
    gw.own = { terminal: { ...PLAIN, promptProblem: () => undefined, confirm } as never };
    return asked;
  };

  const [eu, us] = [`${EU} (client ID of-eu)`, `${US} (client ID of-us)`];

  test('prompts with all names, and removes nothing after a no', async () => {
    const asked = answering(async () => asked.length > 1);
    expect(await withoutYes('--all')).toMatchObject({ code: 0, stderr: 'Nothing was removed.\n' });
    expect(gw.items.size).toBe(2);
    expect((await withoutYes('--region', 'eu')).stderr).toMatch(`Removed ${EU}\n`);
    expect(asked).toEqual([`Remove ${eu}, ${us}?`, `Remove ${eu}?`]);
  });

  test('names the clients of which only tokens are cached', async () => {
    gw.env = { ...gw.env, GWTOKEN_SANDBOX: '1', GWTOKEN_CLIENT_ID: 'job', GWTOKEN_CLIENT_SECRET: 'secret' };
    await gw.get('--region', 'eu');
    const asked = answering(async () => true);
    const { stderr } = await withoutYes('--all');
    expect(asked).toEqual([`Remove ${eu}, ${us}, the cached tokens of default:sandbox:eu?`]);
    expect(stderr).toContain(`Removed ${US}\nRemoved the cached tokens of default:sandbox:eu\n${REVOKE}`);
  });

  test('says that nothing was removed if the prompt is cancelled', async () => {
    const written: string[] = [];
    answering(() => Promise.reject(new Interrupted('SIGINT')));
    gw.own = { ...gw.own, stderr: { isTTY: () => true, write: (text) => written.push(text) } };
    await expect(withoutYes('--all')).rejects.toBeInstanceOf(Interrupted);
    expect(written).toEqual(['Cancelled. Nothing was removed.\n']);
  });
});

describe('a running get', () => {
  const get = () => gw.cli(['get', '--region', 'eu']);
  const login = (clientId: string) => gw.login({ clientId, flags: ['--no-verify'] });
  /** Makes `act` happen during the first token request. */
  function duringRequest(act: () => Promise<unknown>): void {
    const { answer } = gw;
    gw.answer = async (post) => {
      if (post === 1) await act();
      return await answer(post);
    };
  }

  test('stores no token after a logout', async () => {
    duringRequest(() => logout('--region', 'eu'));
    expect(await get()).toMatchObject({ code: 0 });
    expect(existsSync(cacheEntry('eu'))).toBe(false);
    expect(await get()).toMatchObject({ code: 4, stdout: '' });
  });

  test('stores no token if its credentials are removed or replaced meanwhile', async () => {
    const { keychain } = gw;
    const set: Keychain['set'] = (name, item) => get().then(() => keychain.set(name, item));
    const remove: Keychain['delete'] = (name) => get().then(() => keychain.delete(name));
    gw.own = { keychain: { ...keychain, set, delete: remove } };
    for (const act of [() => login('of-eu'), () => logout('--region', 'eu')]) {
      expect(await act()).toMatchObject({ code: 0 });
      expect(existsSync(cacheEntry('eu'))).toBe(false);
    }
    expect(gw.posts).toHaveLength(2);
  });
});
