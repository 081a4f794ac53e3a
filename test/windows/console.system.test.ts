/** A console of Windows: what is shown on it, what is asked there, and Ctrl-C. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTokenEndpoint, type TokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { inVariables } from '../harness/homes/client';
import type { Terminal } from '../harness/programs/terminal';
import { openWindows, type Windows, windowsPath, windowsUnavailable } from './wine';

const unavailable = windowsUnavailable();
const LIMIT_MS = 60_000;
const CTRL_C = '\x03';

describe('a console of Windows', { timeout: 180_000 }, () => {
  let windows: Windows;
  let endpoint: TokenEndpoint;
  let env: Record<string, string>;
  let config: string;
  beforeAll(() => {
    if (unavailable === undefined) windows = openWindows();
  });
  beforeEach(async ({ needs }) => {
    needs(unavailable);
    endpoint = await startTokenEndpoint(() => tokenReply('token'));
    config = join(windows.dir, `config-${new URL(endpoint.authUrl).port}`);
    // Wine gives the programs that it starts itself its own APPDATA.
    env = { GWTOKEN_CONFIG_DIR: windowsPath(config), GWTOKEN_CACHE_DIR: windowsPath(`${config}-cache`) };
  });
  afterAll(() => windows?.close());

  const open = (args: readonly string[], more: Record<string, string> = {}): Terminal =>
    windows.console(args, { ...env, ...more });
  /** Presses Enter until it is heard: Wine drops what comes before a prompt reads its keys. */
  const press = async (console: Terminal, key: '\r', shows: RegExp): Promise<void> => {
    for (let tries = 0; tries < 15; tries++) {
      console.type(key);
      const seen = await console.waitFor(shows, 4_000).catch(() => undefined);
      if (seen !== undefined) return;
    }
    throw new Error(`nothing heard: ${console.screen()}`);
  };
  const items = async () =>
    (await windows.credentials()).map(({ account, password }) => [account, JSON.parse(password)]);

  test('login asks for what is missing, with the secret unseen, and stores it', async () => {
    const login = open(['login', '--auth-url', endpoint.authUrl]);
    await login.waitFor('Region', LIMIT_MS);
    await press(login, '\r', /Type eu or us\s+Region/);
    login.type('eu\r');
    await login.waitFor('Client ID (', LIMIT_MS);
    await press(login, '\r', /Required\s+Client ID/);
    login.type('client-1\r');
    await login.waitFor('Client secret (sent to ', LIMIT_MS);
    await press(login, '\r', /Required\s+Client secret/);
    login.type('geheim-+/=&%\r');
    expect(await login.exit).toEqual({ code: 0, signal: null });
    expect(login.screen()).not.toContain('geheim');
    expect(login.screen()).toContain('gwtoken help shells');
    expect(JSON.parse(readFileSync(join(config, 'config.json'), 'utf8'))).toMatchObject({ region: 'eu' });
    const value = { client_id: 'client-1', client_secret: 'geheim-+/=&%', auth_url: endpoint.authUrl };
    expect(await items()).toEqual([['default:production:eu', value]]);
    expect(await open(['logout', '--yes']).exit).toEqual({ code: 0, signal: null });
    expect(await items()).toEqual([]);
  });

  test('Ctrl-C at a prompt gives 130, and nothing is stored', async () => {
    const login = open(['login', '--auth-url', endpoint.authUrl, '--region', 'eu', '--client-id', 'x']);
    await login.waitFor('Client secret (sent to ', LIMIT_MS);
    await press(login, '\r', /Required\s+Client secret/);
    login.type(CTRL_C);
    expect(await login.exit).toEqual({ code: 130, signal: null });
    expect(await items()).toEqual([]);
  });

  test('Ctrl-C reaches the command of exec, and its exit code is kept', async () => {
    const script = join(windows.dir, 'hear.cjs');
    writeFileSync(
      script,
      `process.on('SIGINT', () => process.exit(7)); console.log('ready'); setTimeout(() => {}, 600000);`,
    );
    const client = inVariables(endpoint.authUrl);
    const exec = open(['exec', '--', ...windows.node([windowsPath(script)])], client);
    await exec.waitFor('ready', LIMIT_MS);
    exec.type(CTRL_C);
    expect(await exec.exit).toEqual({ code: 7, signal: null });
  });
});
