/** `gwtoken logout` with broken keychains and races. The rest is in test/sessions/text/logout.txt. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { GwtokenError } from '../../src/errors';
import { openConfig } from '../../src/system/files/config-file';
import { openTokens } from '../../src/system/files/token-cache';
import type { Keychain, World } from '../../src/world';
import { MACHINE } from '../harness/homes/client';
import { type Inside, inside } from '../harness/homes/in-process';

const EU = 'default:production:eu';
const US = 'default:production:us';
let gw: Inside;
beforeEach(async () => {
  gw = inside();
  gw.env = { GWTOKEN_AUTH_URL: 'https://a.example.com' };
  for (const region of ['eu', 'us'] as const)
    await gw.login({ region, clientId: `of-${region}`, flags: ['--no-verify'] });
});

const logout = (...flags: string[]) => gw.cli(['logout', '--yes', ...flags]);
/** Returns the file of a region's cached token, or undefined without one. */
const cacheEntry = (region: string): string | undefined => {
  const files = existsSync(gw.cache) ? readdirSync(gw.cache) : [];
  const name = files.find((file) => file.startsWith(`default-production-${region}.`));
  return name && join(gw.cache, name);
};
const clientsFile = () => join(gw.config, 'clients.json');

/** Replaces the keychain's removal of an item. */
function onDelete(act: (name: string, remove: Keychain['delete']) => ReturnType<Keychain['delete']>): void {
  const remove: Keychain['delete'] = async (name) => act(name, gw.keychain.delete);
  gw.own = { ...gw.own, keychain: { ...gw.keychain, delete: remove } };
}

test('logout --all removes nothing more after a signal', async () => {
  const listed = readFileSync(clientsFile(), 'utf8');
  onDelete((name, remove) => {
    if (name === US) return remove(name);
    void gw.interrupt();
    throw new GwtokenError('keychain', 'ended by the signal');
  });
  expect(await logout('--all')).toEqual({ code: 130, stdout: '', stderr: '' });
  await sleep(50);
  expect(gw.items.size).toBe(2);
  expect(readFileSync(clientsFile(), 'utf8')).toBe(listed);
});

test('logout --all removes the others if one client cannot be removed', async () => {
  for (const region of ['eu', 'us']) await gw.get('--region', region);
  onDelete((name, remove) => {
    if (name === US) return remove(name);
    throw new GwtokenError('keychain', `denied for ${name}`);
  });
  const { code, stderr } = await logout('--all');
  expect([code, stderr.split('\n', 2)]).toEqual([5, [`Removed ${US}`, `gwtoken: error: denied for ${EU}`]]);
  expect([cacheEntry('eu'), cacheEntry('us')]).toEqual([expect.anything(), undefined]);
});

test('logout that is killed before it removes the tokens can be repeated', async () => {
  await gw.get('--region', 'eu');
  gw.own = { tokens: { ...openTokens(gw.cache, MACHINE), remove: gw.interrupt } };
  expect((await logout('--region', 'eu')).code).toBe(130);
  expect([gw.items.has(EU), cacheEntry('eu')]).toEqual([false, expect.anything()]);
  gw.own = {};
  expect((await logout('--region', 'eu')).stderr).toContain(`Removed ${EU}\n`);
  expect(cacheEntry('eu')).toBeUndefined();
});

test('logout removes an entry that a login adds during its prompt', async () => {
  const name = 'acme:production:eu';
  const { clients } = openConfig(gw.config, MACHINE);
  gw.items.set(name, 'an item');
  const confirm = async () => {
    await clients.add(name, { clientId: 'id', authUrl: 'https://a.example.com', loginId: '' });
    return true;
  };
  gw.own = { terminal: { promptProblem: () => undefined, confirm } as unknown as World['terminal'] };
  expect((await gw.cli(['logout', '--region', 'eu', '--profile', 'acme'])).code).toBe(0);
  expect(Object.keys(clients.read())).toEqual([EU, US]);
});

test('logout removes the item and the token even if the list cannot be written', async () => {
  await gw.get('--region', 'eu');
  onDelete((name, remove) => {
    renameSync(gw.config, `${gw.config}.bak`);
    writeFileSync(gw.config, '');
    return remove(name);
  });
  const { code, stderr } = await logout('--region', 'eu');
  expect([code, gw.items.has(EU), cacheEntry('eu')]).toEqual([1, false, undefined]);
  expect(stderr).toContain(`gwtoken: error: cannot write ${clientsFile()}: not a directory\n`);
});

describe('logout without the item of a stored client', () => {
  beforeEach(async () => {
    await gw.get('--region', 'eu');
    gw.items.clear();
  });

  test('fails if the keychain may hide the item', async () => {
    onDelete(async () => 'hidden');
    const { code, stderr } = await logout('--region', 'eu');
    expect([code, cacheEntry('eu')]).toEqual([5, expect.anything()]);
    expect(stderr).toContain(`gwtoken: error: the keychain did not return the item of ${EU}: denied, `);
    // Without the list, only the keychain knows of the client.
    rmSync(clientsFile());
    gw.items.set(EU, 'an item that gwtoken may not read');
    expect((await logout('--region', 'eu')).code).toBe(5);
    gw.items.clear();
    expect([(await logout('--region', 'eu')).code, cacheEntry('eu')]).toEqual([0, undefined]);
  });

  test('removes the rest if the keychain certainly has no item', async () => {
    expect((await logout('--region', 'eu')).code).toBe(0);
    expect(cacheEntry('eu')).toBeUndefined();
    expect((await logout('--region', 'eu')).code).toBe(4);
  });
});

test('logout names a cached token that it cannot remove, and get no longer uses it', async () => {
  await gw.get('--region', 'eu');
  // Not even root can remove a directory as a file.
  const entry = cacheEntry('eu')!;
  renameSync(entry, join(gw.dir, 'kept'));
  mkdirSync(join(entry, 'x'), { recursive: true });
  const error = `removed ${EU}, but not its cached token: ${entry} (it is a directory)`;
  expect(await logout('--region', 'eu')).toMatchObject({ code: 1, stderr: `gwtoken: error: ${error}\n` });
  rmSync(entry, { recursive: true });
  renameSync(join(gw.dir, 'kept'), entry);
  expect(await gw.cli(['get', '--region', 'eu'])).toMatchObject({ code: 4, stdout: '' });
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
    expect(cacheEntry('eu')).toBeUndefined();
    expect(await get()).toMatchObject({ code: 4, stdout: '' });
  });

  test('stores no token if its credentials are removed or replaced meanwhile', async () => {
    const { keychain } = gw;
    const set: Keychain['set'] = (name, item) => get().then(() => keychain.set(name, item));
    const remove: Keychain['delete'] = (name) => get().then(() => keychain.delete(name));
    gw.own = { keychain: { ...keychain, set, delete: remove } };
    for (const act of [() => login('of-eu'), () => logout('--region', 'eu')]) {
      expect(await act()).toMatchObject({ code: 0 });
      expect(cacheEntry('eu')).toBeUndefined();
    }
    expect(gw.posts).toHaveLength(2);
  });
});
