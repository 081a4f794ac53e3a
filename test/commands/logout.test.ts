import { beforeEach, expect, test } from 'vitest';
import { GwtokenError } from '../../src/errors';
import { type Inside, inside } from '../harness/homes/in-process';

let gw: Inside;
beforeEach(async () => {
  gw = inside();
  gw.env = { GWTOKEN_AUTH_URL: 'https://a.example.com' };
  for (const region of ['eu', 'us']) {
    gw.stdin = 'a secret';
    const login = ['login', '--region', region, '--client-id', `of-${region}`, '--secret-stdin'];
    expect(await gw.cli(login)).toMatchObject({ code: 0 });
  }
});

test('logout --all says what it removed, what it cannot know, and what to do beside it', async () => {
  expect(await gw.cli(['logout', '--all', '--yes'])).toEqual({
    code: 0,
    stdout: '',
    stderr: `Items made by hand are not known to gwtoken: remove them with the tool that made them
Removed the credentials of default:production:eu from the keychain
Removed the credentials of default:production:us from the keychain
If they may be in wrong hands, revoke them on the Clients page too: they still work until then
`,
  });
  expect([...gw.items]).toEqual([]);
  expect((await gw.cli(['logout', '--all'])).stderr).toBe(
    'gwtoken knows of no stored client. Items made by hand are not known to gwtoken: remove them with the tool that made them\n',
  );
});

test('logout --all removes what it can, and fails for what it cannot', async () => {
  const remove = gw.items.delete.bind(gw.items);
  gw.items.delete = (account) => {
    if (account.endsWith(':eu')) throw new GwtokenError('keychain', 'the keychain is locked');
    return remove(account);
  };
  expect(await gw.cli(['logout', '--all', '--yes'])).toEqual({
    code: 5,
    stdout: '',
    stderr: `Removed the credentials of default:production:us from the keychain
gwtoken: error: the keychain is locked
`,
  });
  expect([...gw.items.keys()]).toEqual(['default:production:eu']);
  const { stdout } = await gw.cli(['status', '--json']);
  expect(JSON.parse(stdout).clients.map(({ name }: { name: string }) => name)).toEqual([
    'default:production:eu',
  ]);
});
