/** `gwtoken logout`: what it removes, what it asks before, and what it says if something stays. */
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { GwtokenError, Interrupted } from '../../src/errors';
import type { Terminal } from '../../src/world';
import { PLAIN } from '../documents/grammar';
import { type Inside, inside } from '../harness/homes/in-process';

const EU = 'default:production:eu';
const US = 'default:production:us';
const REVOKE = 'Removed from this machine only. To invalidate the client, revoke it on the Clients page.\n';
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
const entry = (region: string) => join(gw.cache, `default-production-${region}.token.json`);

test('logout --all says what it removed, what it cannot know, and what to do beside it', async () => {
  const stderr = `Removed ${EU}\nRemoved ${US}\n${REVOKE}${BY_HAND}`;
  expect(await logout('--all')).toEqual({ code: 0, stdout: '', stderr });
  expect(gw.items.size).toBe(0);
});

test.each(['--region us', '--profile acme', '--sandbox', '--no-sandbox'])(
  'logout --all %s removes nothing: it is not clear what is meant',
  async (flags) => {
    const [flag = ''] = flags.replace('no-', '').split(' ');
    const stderr = `gwtoken: error: --all cannot be used with ${flag}\nhint: to remove one client, omit --all\n`;
    expect(await logout('--all', ...flags.split(' '))).toEqual({ code: 2, stdout: '', stderr });
    expect(gw.items.size).toBe(2);
  },
);

test('logout with nothing stored says so, not that a region is missing, and asks nothing', async () => {
  await logout('--all');
  rmSync(join(gw.config, 'config.json'));
  for (const flags of [[], ['--all']])
    expect(await withoutYes(...flags)).toEqual({
      code: 4,
      stdout: '',
      stderr: 'gwtoken: error: no stored clients\n',
    });
});

test('logout --all removes what it can, and fails for what it cannot', async () => {
  await gw.get('--region', 'eu');
  const remove = gw.items.delete.bind(gw.items);
  gw.items.delete = (account) => {
    if (account === EU) throw new GwtokenError('keychain', 'the keychain is locked');
    return remove(account);
  };
  const stderr = `Removed ${US}\ngwtoken: error: the keychain is locked\n`;
  expect(await logout('--all')).toEqual({ code: 5, stdout: '', stderr });
  expect(existsSync(entry('eu'))).toBe(true);
  expect((await gw.cli(['status'])).stdout).toMatch(new RegExp(`${EU}(?!.*${US})`, 's'));
});

test('logout removes nothing if the keychain does not return what is stored: on Linux that may be hidden', async () => {
  await gw.get('--region', 'eu');
  gw.items.clear();
  gw.own = { platform: 'linux' };
  const { code, stdout, stderr } = await logout('--region', 'eu');
  expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
  const causes = 'denied, in a locked keyring, or removed outside gwtoken';
  expect(stderr).toContain(`gwtoken: error: the keychain did not return the item of ${EU}: ${causes}\n`);
  expect(existsSync(entry('eu'))).toBe(true);
});

test('logout forgets elsewhere a client whose item somebody else removed; then there is none', async () => {
  gw.items.clear();
  gw.own = { platform: 'darwin' };
  const stderr = `Removed ${EU}\n${REVOKE}`;
  expect(await logout('--region', 'eu')).toEqual({ code: 0, stdout: '', stderr });
  expect(await withoutYes('--region', 'eu')).toEqual({
    code: 4,
    stdout: '',
    stderr: `gwtoken: error: no stored credentials for ${EU}\nhint: to list stored clients, run: gwtoken status\n`,
  });
});

test('what cannot be removed from the cache is named, and all else is removed', async () => {
  for (const region of ['eu', 'us']) await gw.get('--region', region);
  // A folder with something in it cannot be removed as a file, by root neither.
  rmSync(entry('eu'));
  mkdirSync(join(entry('eu'), 'x'), { recursive: true });
  const left = `a cached token cannot be removed and may still be used: ${entry('eu')} (ERR_FS_EISDIR)
hint: make its directory writable and run gwtoken logout again, or delete the file
`;
  expect(await logout('--all')).toEqual({
    code: 1,
    stdout: '',
    stderr: `Removed ${US}\ngwtoken: error: ${EU} was removed, but ${left}`,
  });
  expect([existsSync(entry('us')), gw.items.size]).toEqual([false, 0]);
  expect((await logout('--region', 'eu')).stderr).toBe(`gwtoken: error: ${left}`);
});

describe('logout without --yes', () => {
  /** A terminal at which this is the answer; returns what is asked. */
  const answering = (answer: () => Promise<boolean>) => {
    const asked: string[] = [];
    const confirm: Terminal['confirm'] = (question) => {
      asked.push(question);
      return answer();
    };
    gw.own = { terminal: { ...PLAIN, noPrompt: () => undefined, confirm } as never };
    return asked;
  };

  const [eu, us] = [`${EU} (client ID of-eu)`, `${US} (client ID of-us)`];

  test.each([
    ['--all', `${eu}, ${us}`],
    ['--region=eu', eu],
    ['--profile=by-hand', 'by-hand:production:eu'],
  ])('%s names what it would remove if nobody can be asked', async (flag, clients) => {
    gw.configure({ region: 'eu' });
    gw.items.set('by-hand:production:eu', 'stored with another tool');
    const stderr = `gwtoken: error: logout needs --yes (cannot prompt: stdin is not a terminal)
hint: with --yes it removes ${clients}
`;
    expect(await withoutYes(flag)).toEqual({ code: 2, stdout: '', stderr });
    expect(gw.items.size).toBe(3);
  });

  test('asks on a terminal, with all names, and with no removes nothing', async () => {
    const asked = answering(async () => asked.length > 2);
    for (const flags of [['--all'], ['--region', 'eu']])
      expect(await withoutYes(...flags)).toMatchObject({ code: 0, stderr: 'Nothing was removed.\n' });
    expect(gw.items.size).toBe(2);
    expect((await withoutYes('--region', 'eu')).stderr).toMatch(`Removed ${EU}\n`);
    expect((await logout('--region', 'us')).stderr).toMatch(`Removed ${US}\n`);
    expect(asked).toEqual([`Remove ${eu}, ${us}?`, `Remove ${eu}?`, `Remove ${eu}?`]);
  });

  test('says that nothing was removed if the question is left', async () => {
    const told: string[] = [];
    answering(() => Promise.reject(new Interrupted('SIGINT')));
    gw.own = { ...gw.own, stderr: { isTTY: () => true, write: (text) => told.push(text) } };
    await expect(withoutYes('--all')).rejects.toBeInstanceOf(Interrupted);
    expect(told).toEqual(['Cancelled. Nothing was removed.\n']);
  });
});

describe('a get that is under way', () => {
  const get = () => gw.cli(['get', '--region', 'eu']);
  const login = (clientId: string) => gw.login({ clientId, flags: ['--no-verify'] });
  /** What happens while the endpoint is asked for the first time. */
  function whileAsked(act: () => Promise<unknown>): void {
    const { answer } = gw;
    gw.answer = async (post) => {
      if (post === 1) await act();
      return await answer(post);
    };
  }

  test('brings no token back after a logout', async () => {
    whileAsked(() => logout('--region', 'eu'));
    expect(await get()).toMatchObject({ code: 0 });
    expect(existsSync(entry('eu'))).toBe(false);
    expect(await get()).toMatchObject({ code: 4, stdout: '' });
  });

  test('leaves no token if it found the credentials before they were removed or replaced', async () => {
    const { keychain } = gw;
    gw.own = {
      keychain: {
        ...keychain,
        set: (account, item) => get().then(() => keychain.set(account, item)),
        delete: (account) => get().then(() => keychain.delete(account)),
      },
    };
    for (const act of [() => login('of-eu'), () => logout('--region', 'eu')]) {
      expect(await act()).toMatchObject({ code: 0 });
      expect(existsSync(entry('eu'))).toBe(false);
    }
    expect(gw.posts).toHaveLength(2);
  });

  test('leaves no token of the old client after a login, nor to who waits for it', async () => {
    let meanwhile = get;
    whileAsked(async () => {
      await login('new-client');
      const waiting = get();
      meanwhile = () => waiting;
    });
    const old = await get();
    const next = await meanwhile();
    expect(next.stdout).not.toBe(old.stdout);
    expect((await get()).stdout).toBe(next.stdout);
    expect(gw.posts.at(-1)?.form.get('client_id')).toBe('new-client');
  });
});
