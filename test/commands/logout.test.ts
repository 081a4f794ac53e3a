import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { GwtokenError, Interrupted } from '../../src/errors';
import type { Keychain, Terminal } from '../../src/world';
import { PLAIN } from '../documents/grammar';
import { type Inside, inside } from '../harness/homes/in-process';

let gw: Inside;
beforeEach(async () => {
  gw = inside();
  gw.env = { GWTOKEN_AUTH_URL: 'https://a.example.com' };
  for (const region of ['eu', 'us']) {
    gw.stdin = 'a secret';
    const login = [
      'login',
      '--region',
      region,
      '--client-id',
      `of-${region}`,
      '--secret-stdin',
      '--no-verify',
    ];
    expect(await gw.cli(login)).toMatchObject({ code: 0 });
  }
});

test('logout --all says what it removed, what it cannot know, and what to do beside it', async () => {
  expect(await gw.cli(['logout', '--all', '--yes'])).toEqual({
    code: 0,
    stdout: '',
    stderr: `Removed default:production:eu
Removed default:production:us
Removed from this machine only. To invalidate the client, revoke it on the Clients page.
Keychain items that you created with another tool are not removed.
`,
  });
  expect([...gw.items]).toEqual([]);
  expect((await gw.cli(['logout', '--all'])).stderr).toBe(
    'No stored clients. Keychain items that you created with another tool are not removed.\n',
  );
});

test('logout --all removes what it can, and fails for what it cannot', async () => {
  await gw.get('--region', 'eu');
  const remove = gw.items.delete.bind(gw.items);
  gw.items.delete = (account) => {
    if (account.endsWith(':eu')) throw new GwtokenError('keychain', 'the keychain is locked');
    return remove(account);
  };
  expect(await gw.cli(['logout', '--all', '--yes'])).toEqual({
    code: 5,
    stdout: '',
    stderr: `Removed default:production:us
gwtoken: error: the keychain is locked
`,
  });
  expect([...gw.items.keys()]).toEqual(['default:production:eu']);
  expect(existsSync(join(gw.cache, 'token-default-production-eu.json'))).toBe(false);
  const { stdout } = await gw.cli(['status', '--json']);
  expect(JSON.parse(stdout).clients.map(({ name }: { name: string }) => name)).toEqual([
    'default:production:eu',
  ]);
});

test('logout --all reports the first failure, and forgets what is no client', async () => {
  const clients = join(gw.config, 'clients.json');
  const known = JSON.parse(readFileSync(clients, 'utf8'));
  writeFileSync(clients, JSON.stringify({ ...known, 'of a later version': Object.values(known)[0] }));
  gw.items.delete = (account) => {
    throw new GwtokenError(account.endsWith(':eu') ? 'keychain' : 'local', `no ${account}`);
  };
  expect(await gw.cli(['logout', '--all', '--yes'])).toEqual({
    code: 5,
    stdout: '',
    stderr: 'Removed of a later version\ngwtoken: error: no default:production:eu\n',
  });
  expect(JSON.parse(readFileSync(clients, 'utf8'))).toEqual(known);
});

test('logout has nothing to say of a cache in whose place a file lies', async () => {
  gw.env['GWTOKEN_CACHE_DIR'] = join(gw.config, 'config.json', 'below');
  expect(await gw.cli(['logout', '--region', 'eu'])).toEqual({
    code: 0,
    stdout: '',
    stderr: `Removed default:production:eu
Removed from this machine only. To invalidate the client, revoke it on the Clients page.
`,
  });
});

test('logout forgets a client whose item somebody else removed; then there is none', async () => {
  gw.items.clear();
  const logout = () => gw.cli(['logout', '--region', 'eu']);
  expect(await logout()).toEqual({
    code: 0,
    stdout: '',
    stderr: `Removed default:production:eu
Removed from this machine only. To invalidate the client, revoke it on the Clients page.
`,
  });
  expect(await logout()).toEqual({
    code: 4,
    stdout: '',
    stderr: `gwtoken: error: no stored credentials for default:production:eu
hint: to list stored clients, run: gwtoken status
`,
  });
});

describe('logout --all without --yes', () => {
  const logout = () => gw.cli(['logout', '--all']);
  /** A terminal at which this is the answer. */
  const answering = (confirm: Terminal['confirm']) => {
    const spin: Terminal['spin'] = (_, work) => work(() => {});
    gw.own = { terminal: { ...PLAIN, noPrompt: () => undefined, spin, confirm } as never };
  };

  test('names what it would remove if nobody can be asked', async () => {
    expect(await logout()).toEqual({
      code: 2,
      stdout: '',
      stderr: `gwtoken: error: logout --all needs --yes (cannot prompt: stdin is not a terminal)
hint: it would remove: default:production:eu, default:production:us
`,
    });
    expect(gw.items.size).toBe(2);
  });

  test('asks with all their names, and with no removes nothing', async () => {
    const asked: string[] = [];
    answering(async (question) => {
      asked.push(question);
      return false;
    });
    expect(await logout()).toEqual({ code: 0, stdout: '', stderr: 'Nothing was removed.\n' });
    await gw.cli(['logout', '--region', 'us', '--yes']);
    await logout();
    expect(asked).toEqual([
      'Remove 2 stored clients (default:production:eu, default:production:us)?',
      'Remove stored client default:production:eu?',
    ]);
    expect([...gw.items.keys()]).toEqual(['default:production:eu']);
  });

  test('is asked about one client too on a terminal, unless --yes', async () => {
    let asked = 0;
    answering(async () => asked++ > 0);
    const one = ['logout', '--region', 'eu'];
    expect(await gw.cli(one)).toEqual({ code: 0, stdout: '', stderr: 'Nothing was removed.\n' });
    expect(gw.items.size).toBe(2);
    expect((await gw.cli(one)).stderr).toMatch(/^Removed default:production:eu\n/);
    expect((await gw.cli(['logout', '--region', 'us', '--yes'])).stderr).toMatch(/^Removed /);
    expect([asked, gw.items.size]).toEqual([2, 0]);
  });

  test('says that nothing was removed if the question is left', async () => {
    const told: string[] = [];
    answering(() => Promise.reject(new Interrupted('SIGINT')));
    gw.own = { ...gw.own, stderr: { isTTY: () => true, write: (text) => told.push(text) } };
    await expect(logout()).rejects.toBeInstanceOf(Interrupted);
    expect(told).toEqual(['Cancelled. Nothing was removed.\n']);
    expect(gw.items.size).toBe(2);
  });
});

describe('a get that is under way', () => {
  const get = (...args: string[]) => gw.cli(['get', '--region', 'eu', ...args]);
  const login = (clientId: string) => {
    gw.stdin = 'another secret';
    return gw.cli(['login', '--region', 'eu', '--client-id', clientId, '--secret-stdin', '--no-verify']);
  };
  /** What happens while the endpoint is asked with this client id, once. */
  function whileAsked(clientId: string, act: () => Promise<{ readonly code: number }>): void {
    const { answer } = gw;
    let isDone = false;
    gw.answer = async (post) => {
      if (!isDone && gw.posts.at(-1)?.form.get('client_id') === clientId) {
        isDone = true;
        expect(await act()).toMatchObject({ code: 0 });
      }
      return await answer(post);
    };
  }

  test('brings no token back after a logout', async () => {
    whileAsked('of-eu', () => gw.cli(['logout', '--region', 'eu']));
    expect(await get()).toMatchObject({ code: 0 });
    expect(existsSync(join(gw.cache, 'token-default-production-eu.json'))).toBe(false);
    expect(await get()).toMatchObject({ code: 4, stdout: '' });
  });

  test('leaves no token if it found the credentials before they were removed', async () => {
    const remove = gw.items.delete.bind(gw.items);
    gw.items.delete = ((account: string) => get().then(() => remove(account))) as never;
    expect(await gw.cli(['logout', '--region', 'eu'])).toMatchObject({ code: 0 });
    expect(gw.posts).toHaveLength(1);
    expect(existsSync(join(gw.cache, 'token-default-production-eu.json'))).toBe(false);
  });

  test('leaves no token if it found the old secret before a login replaced it', async () => {
    const keychain: Keychain = {
      ...gw.keychain,
      async set(account, item) {
        await get();
        return gw.keychain.set(account, item);
      },
    };
    gw.own = { keychain };
    expect(await login('of-eu')).toMatchObject({ code: 0 });
    expect(gw.posts).toHaveLength(1);
    expect(existsSync(join(gw.cache, 'token-default-production-eu.json'))).toBe(false);
  });

  test('leaves no token of the old client after a login', async () => {
    whileAsked('of-eu', () => login('new-client'));
    const old = await get();
    const next = await get();
    expect(next).toMatchObject({ code: 0 });
    expect(next.stdout).not.toBe(old.stdout);
    expect(gw.posts.at(-1)?.form.get('client_id')).toBe('new-client');
    expect(await get()).toEqual(next);
  });

  test('is not waited for by one that began after a login', async () => {
    let meanwhile = '';
    whileAsked('of-eu', async () => {
      await login('new-client');
      const during = await get();
      meanwhile = during.stdout;
      return during;
    });
    const old = await get();
    expect(old.stdout).not.toBe(meanwhile);
    expect((await get()).code).toBe(0);
    expect(gw.posts.at(-1)?.form.get('client_id')).toBe('new-client');
  });
});

test.each([
  ['and all else is removed', true],
  ['also where the keychain has lost the item', false],
] as const)('what cannot be removed from the cache is named, %s', async (_, hasItem) => {
  for (const region of ['eu', 'us']) await gw.get('--region', region);
  if (!hasItem) gw.items.delete('default:production:eu');
  const entry = (region: string) => join(gw.cache, `token-default-production-${region}.json`);
  // A folder with something in it cannot be removed as a file, by root neither.
  rmSync(entry('eu'));
  mkdirSync(join(entry('eu'), 'x'), { recursive: true });
  const { code, stderr } = await gw.cli(['logout', '--all', '--yes']);
  expect(code).toBe(1);
  const left = `a cached token cannot be removed and may still be used: ${entry('eu')} (ERR_FS_EISDIR)
hint: make its directory writable and run gwtoken logout again, or delete the file
`;
  expect(stderr).toBe(`Removed default:production:us
gwtoken: error: default:production:eu was removed, but ${left}`);
  expect(existsSync(entry('us'))).toBe(false);
  expect([...gw.items]).toEqual([]);
  const again = await gw.cli(['logout', '--region', 'eu']);
  expect(again).toEqual({ code: 1, stdout: '', stderr: `gwtoken: error: ${left}` });
  // An item of another tool's making.
  gw.items.set('default:production:eu', '{}');
  expect((await gw.cli(['logout', '--region', 'eu'])).stderr).toBe(
    `gwtoken: error: default:production:eu was removed, but ${left}`,
  );
});
