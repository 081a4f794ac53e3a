import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type IdentityServer, startIdentityServer } from '../harness/endpoints/identity-server';
import { filesBelow } from '../harness/homes/files';
import type { Home } from '../harness/homes/home';
import { expectRefusal } from '../harness/homes/refusals';
import type { Reason } from '../harness/needs';

const clients = {
  eu: { clientId: 'eu-client', clientSecret: 'eu-secret+/=&%' },
  acme: { clientId: 'acme-client', clientSecret: 'acme-secret' },
  sandbox: { clientId: 'sandbox-client', clientSecret: 'sandbox-secret' },
  us: { clientId: 'us-client', clientSecret: 'us-secret' },
};

/** A computer with a keychain and an empty home. */
export interface Computer {
  readonly home: Pick<Home, 'dir' | 'gwtoken'>;
  /** The config file as that computer spells its path. */
  readonly configFile: string;
  /** What login says to try in a shell. */
  readonly inShell: string;
  /** The value of an item, read by another hand than keytar's. */
  lookup(account: string): Promise<string | undefined>;
}

/**
 * Plays the main job as one session, the same sentences on every system; `unavailable`: why it cannot.
 *
 * @param several false: with one client, on a system whose own part in more of them is the same
 */
export function playMainJob(open: () => Promise<Computer>, unavailable: Reason, several = true): void {
  describe('the main job, with a keyring', { timeout: 180_000 }, () => {
    let eu: IdentityServer;
    let us: IdentityServer;
    let computer: Computer;
    let home: Computer['home'];
    beforeAll(async () => {
      if (unavailable !== undefined) return;
      eu = await startIdentityServer({ clients: [clients.eu, clients.acme, clients.sandbox] });
      us = await startIdentityServer({ clients: [clients.us] });
      computer = await open();
      home = computer.home;
    }, 180_000);
    beforeEach(({ needs }) => needs(unavailable));

    const login = (client: { clientId: string; clientSecret: string }, ...flags: string[]) =>
      home.gwtoken(['login', ...flags, '--client-id', client.clientId, '--secret-stdin'], {
        stdin: `${client.clientSecret}\n`,
      });
    const get = async (...flags: string[]) => {
      const result = await home.gwtoken(['get', ...flags]);
      expect(result).toMatchObject({ code: 0, stderr: '' });
      return result.stdout;
    };
    const testOfSeveral = (title: string, play: () => Promise<void>): void => {
      if (several) test(title, play);
    };
    /** Which client the token of the last request at a server was for. */
    const lastClient = ({ requests }: IdentityServer) =>
      new URLSearchParams(requests.at(-1)?.body).get('client_id');

    test('login stores the client in the keychain, bound to its address, and says where', async () => {
      const result = await login(clients.eu, '--region', 'eu', '--auth-url', eu.authUrl);
      const config = computer.configFile;
      expect(result).toMatchObject({ code: 0, stdout: '' });
      expect(result.stderr.split('\n')).toEqual([
        'Credentials verified and stored in the keychain as default:production:eu',
        `Set auth-url.eu = ${eu.authUrl} in ${config}`,
        `Set region = eu in ${config}`,
        'Next: gwtoken get',
        `or:   ${computer.inShell}`,
        '',
      ]);
      expect(JSON.parse((await computer.lookup('default:production:eu')) ?? '')).toEqual({
        client_id: clients.eu.clientId,
        client_secret: clients.eu.clientSecret,
        auth_url: eu.authUrl,
      });
    });

    test('get prints the token, and nothing on stderr', async () => {
      const token = await get();
      expect(token).toMatch(/^[\w-]{20,}\n$/);
      expect(eu.issued).toContain(token.trim());
      expect(await get('--format', 'header')).toBe(`Authorization: Bearer ${token}`);
      expect(JSON.parse(await get('--format', 'json'))).toMatchObject({
        access_token: token.trim(),
        region: 'eu',
        environment: 'production',
        profile: 'default',
        auth_url: eu.authUrl,
        source: 'cache',
      });
    });

    test('doctor finds nothing to complain about', async () => {
      expect(await home.gwtoken(['doctor'])).toMatchObject({ code: 0, stderr: '' });
    });

    testOfSeveral('sandbox, second region and profile are clients of their own', async () => {
      for (const flags of [['--sandbox'], ['--profile', 'acme']])
        expectRefusal(await home.gwtoken(['get', ...flags]), 4);
      expectRefusal(await home.gwtoken(['get', '--region', 'us']), 2);

      const logins = [
        await login(clients.sandbox, '--sandbox'),
        await login(clients.us, '--region', 'us', '--auth-url', us.authUrl),
        await login(clients.acme, '--profile', 'acme'),
      ];
      expect(logins.map(({ code }) => code)).toEqual([0, 0, 0]);
      expect(logins[0]?.stderr).toContain('Next: gwtoken get --region eu --sandbox\n');
      expect(logins[1]?.stderr).toContain('Next: gwtoken get --region us\n');

      await get('--sandbox', '--no-cache');
      expect(lastClient(eu)).toBe('sandbox-client');
      await get('-p', 'acme', '--no-cache');
      expect(lastClient(eu)).toBe('acme-client');
      await get('--no-cache');
      expect(lastClient(eu)).toBe('eu-client');
      await get('-r', 'us', '--no-cache');
      expect(lastClient(us)).toBe('us-client');
    });

    test('no secret is in any file, and the known clients are listed beside the config', () => {
      const files = filesBelow(home.dir);
      expect([...files.keys()]).toEqual(
        expect.arrayContaining(['config/gwtoken/config.json', 'config/gwtoken/clients.json']),
      );
      for (const [path, content] of files)
        for (const { clientSecret } of Object.values(clients))
          expect(content.includes(clientSecret), `${path} has a secret in it`).toBe(false);
      const listed = JSON.parse(files.get('config/gwtoken/clients.json')?.toString() ?? '');
      const entry = { client_id: 'eu-client', auth_url: eu.authUrl };
      expect(listed['default:production:eu']).toEqual(entry);
      if (several)
        expect(listed).toEqual({
          'default:production:eu': entry,
          'default:sandbox:eu': { client_id: 'sandbox-client', auth_url: eu.authUrl },
          'default:production:us': { client_id: 'us-client', auth_url: us.authUrl },
          'acme:production:eu': { client_id: 'acme-client', auth_url: eu.authUrl },
        });
    });

    test('logout removes one client', async () => {
      const one = await home.gwtoken(['logout', '--yes']);
      expect(one).toMatchObject({ code: 0, stdout: '' });
      expect(one.stderr).toContain('default:production:eu');
      expect(one.stderr).toContain('revoke it on the Clients page');
      expect(await computer.lookup('default:production:eu')).toBeUndefined();
      expectRefusal(await home.gwtoken(['get']), 4);
      expectRefusal(await home.gwtoken(['logout']), 4);
    });

    testOfSeveral('logout --all removes the others', async () => {
      await get('--sandbox');
      const refused = await home.gwtoken(['logout', '--all']);
      expectRefusal(refused, 2);
      expect(refused.stderr).toContain('--yes');
      const all = await home.gwtoken(['logout', '--all', '--yes']);
      expect(all).toMatchObject({ code: 0, stdout: '' });
      expect(all.stderr).toContain('Keychain items that you created with another tool are not removed.');
      for (const account of ['default:sandbox:eu', 'default:production:us', 'acme:production:eu'])
        expect(await computer.lookup(account)).toBeUndefined();
      expectRefusal(await home.gwtoken(['get', '--sandbox']), 4);
      expect(filesBelow(home.dir).get('config/gwtoken/clients.json')?.toString()).toBe('{}\n');
    });
  });
}
