/** Output, prompts and Ctrl-C on a Windows console. */
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

describe('on a Windows console', { timeout: 180_000 }, () => {
  let windows: Windows;
  let endpoint: TokenEndpoint;
  let env: Record<string, string>;
  let config: string;
  beforeAll(async () => {
    if (unavailable === undefined) windows = await openWindows();
  });
  beforeEach(async ({ needs }) => {
    needs(unavailable);
    endpoint = await startTokenEndpoint(() => tokenReply('token'));
    config = join(windows.dir, `config-${new URL(endpoint.authUrl).port}`);
    // Wine would set its own APPDATA, so the directories are set instead.
    env = { GWTOKEN_CONFIG_DIR: windowsPath(config), GWTOKEN_CACHE_DIR: windowsPath(`${config}-cache`) };
  });
  afterAll(() => windows?.close());

  const open = (args: readonly string[], more: Record<string, string> = {}): Terminal =>
    windows.console(args, { ...env, ...more });
  /** Presses Enter until the prompt reacts, because Wine drops keys that arrive before the prompt reads. */
  const pressEnter = async (console: Terminal, reaction: RegExp): Promise<void> => {
    for (let tries = 0; tries < 15; tries++) {
      console.type('\r');
      const shown = await console.waitFor(reaction, 4_000).catch(() => undefined);
      if (shown !== undefined) return;
    }
    throw new Error(`no reaction to Enter: ${console.screen()}`);
  };
  const items = async () =>
    (await windows.credentials()).map(({ account, password }) => [account, JSON.parse(password)]);

  test('login prompts, hides the secret and stores the client', async () => {
    const login = open(['login', '--auth-url', endpoint.authUrl]);
    await login.waitFor('Region', LIMIT_MS);
    await pressEnter(login, /Type eu or us\s+Region/);
    login.type('eu\r');
    await login.waitFor('Client ID (', LIMIT_MS);
    await pressEnter(login, /Required\s+Client ID/);
    login.type('client-1\r');
    await login.waitFor('Client secret (sent to ', LIMIT_MS);
    await pressEnter(login, /Required\s+Client secret/);
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

  test('Ctrl-C at a prompt of login exits with 130 and stores nothing', async () => {
    const login = open(['login', '--auth-url', endpoint.authUrl, '--region', 'eu', '--client-id', 'x']);
    await login.waitFor('Client secret (sent to ', LIMIT_MS);
    await pressEnter(login, /Required\s+Client secret/);
    login.type(CTRL_C);
    expect(await login.exit).toEqual({ code: 130, signal: null });
    expect(await items()).toEqual([]);
  });

  test('Ctrl-C reaches the command of exec, which sets the exit code', async () => {
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
