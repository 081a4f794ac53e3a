/** SIGUSR1 opens no debugger, which could read the secret in gwtoken's memory. */
import { beforeEach, describe, expect, test } from 'vitest';
import { startTokenEndpoint, type TokenEndpoint, tokenReply } from '../../harness/endpoints/token-endpoint';
import { SECRET } from '../../harness/homes/canary';
import { inVariables } from '../../harness/homes/client';
import { type Home, openHome } from '../../harness/homes/home';
import { runWith } from '../keychain/keytar-in-place';

let endpoint: TokenEndpoint;
let home: Home;
beforeEach(async () => {
  endpoint = await startTokenEndpoint(() => tokenReply('the-token'));
  home = openHome(inVariables(endpoint.authUrl, { clientId: 'client', clientSecret: SECRET }));
});

describe('SIGUSR1', () => {
  beforeEach(({ needs }) => needs('posix'));

  test('ends get and opens no debugger', async () => {
    endpoint.hold();
    const running = home.start(['get']);
    await endpoint.arrived(1);
    running.kill('SIGUSR1');
    expect(await running.result).toMatchObject({ signal: 'SIGUSR1', stderr: '' });
  });

  test('ends the keychain’s child', async () => {
    const keytar = "process.kill(process.pid, 'SIGUSR1'); while (true);";
    const { code, stderr } = await runWith(keytar, 'get --verbose');
    expect(code).toBe(5);
    expect(stderr).toContain('the keychain process ended: SIGUSR1');
  });
});
