/** Prompts on a real terminal: what is drawn, and that it is given back. login.test has the questions. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { onCleanup } from '../../harness/clean-up';
import { type IdentityServer, startIdentityServer } from '../../harness/endpoints/identity-server';
import { treeOf } from '../../harness/homes/files';
import { type Home, openHome } from '../../harness/homes/home';
import { type Keyring, startKeyring } from '../../harness/keyrings/keyring';
import { missing } from '../../harness/needs';
import type { Terminal } from '../../harness/programs/terminal';

const CLIENT = { clientId: 'eu-client', clientSecret: 'hush+/=&' };
const ACCOUNT = 'default:production:eu';
const [CTRL_C, CTRL_D, ESCAPE, CLEAR_LINE] = ['\x03', '\x04', '\x1b', '\x15'];
const [SHOW_CURSOR, HIDE_CURSOR] = ['\x1b[?25h', '\x1b[?25l'];

describe('gwtoken login, on a terminal', () => {
  let identity: IdentityServer;
  let keyring: Keyring;
  let home: Home;
  let terminal: Terminal;
  beforeAll(async () => {
    if (missing('keyring') !== undefined) return;
    identity = await startIdentityServer({ clients: [CLIENT] });
    keyring = await startKeyring({ state: 'unlocked' });
  });
  beforeEach(({ needs }) => {
    needs('keyring');
    home = openHome(keyring.env);
    onCleanup(() => keyring.clear(ACCOUNT));
  });

  const open = (args: readonly string[] = [], env: Record<string, string> = {}) => {
    terminal = home.terminal(['login', ...args], { env: { LANG: 'C.UTF-8', ...env } });
  };
  const QUESTIONS = [
    ['Region', () => '\r'],
    ['Auth URL for eu', () => `${identity.authUrl}\r`],
    ['Client ID (eu, production)', () => `${CLIENT.clientId}\r`],
    ['Client secret (sent to ', () => `${CLIENT.clientSecret}\r`],
  ] as const;
  /** Answers the questions up to, and not including, the one that begins with `until`. */
  const answerUpTo = async (until?: string) => {
    for (const [question, answer] of QUESTIONS) {
      await terminal.waitFor(question);
      if (question === until) return;
      terminal.type(answer());
    }
  };
  const expectCursor = () => {
    const raw = terminal.raw();
    expect(raw.lastIndexOf(SHOW_CURSOR)).toBeGreaterThan(raw.lastIndexOf(HIDE_CURSOR));
  };
  /** Prints its exit code and the modes of the terminal after gwtoken, which has to end by a signal. */
  const AND_LOOK = `for i in 1 2; do "$@"; code=$?; echo "code $code"; stty -a | grep -oE -- '-?(echo|icanon)\\b' | xargs; test $code -lt 128 || break; done; sleep 0.1; echo end`;
  const openAndLook = () => {
    terminal = home.terminal(['login'], { wrapper: ['bash', '-c', AND_LOOK, '-'] });
  };

  test('asks in order, says where the secret will go, and never shows it', async () => {
    open();
    await answerUpTo();
    expect(await terminal.exit).toEqual({ code: 0, signal: null });
    const screen = terminal.screen();
    const places = QUESTIONS.map(([question]) => screen.indexOf(question));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(screen).toContain('↑/↓ to navigate');
    expect(screen).toContain(`Client secret (sent to ${identity.authUrl})`);
    expect(terminal.raw()).not.toContain('hush');
    expect(JSON.parse((await keyring.lookup(ACCOUNT)) ?? '')).toMatchObject({
      client_secret: CLIENT.clientSecret,
    });
  });

  test('preselects the configured region, takes the arrow keys, and refuses a bad answer at once', async () => {
    await home.gwtoken(['config', 'set', 'region', 'us']);
    open(['--client-id', CLIENT.clientId]);
    await terminal.waitFor('● us');
    terminal.type('\x1b[A');
    await terminal.waitFor('● eu');
    terminal.type('\r');
    await terminal.waitFor('Auth URL for eu');
    // The example, whose first letter the cursor stands on.
    await terminal.waitFor('ttps://identity.eu.example.com');
    terminal.type('http://id.example.com\r');
    await terminal.waitFor(/Use\s+https:\/\/id\.example\.com/);
    terminal.type(`${CLEAR_LINE}${identity.authUrl}\r`);
    await terminal.waitFor('Client secret (sent to ');
    terminal.type('\r');
    await terminal.waitFor('Required');
    terminal.type(`${CLIENT.clientSecret}\r`);
    expect(await terminal.exit).toEqual({ code: 0, signal: null });
  });

  test('is drawn in ASCII if the locale has no more', async () => {
    open([], { LANG: 'C' });
    await answerUpTo();
    expect(await terminal.exit).toEqual({ code: 0, signal: null });
    expect(terminal.screen()).toContain('> eu');
    // But for the caret, which clack draws as a block everywhere.
    const drawn = terminal.raw().replaceAll('█', '');
    expect(drawn.split('\n').filter((line) => Buffer.byteLength(line) > line.length)).toEqual([]);
  });

  test('ends by a Ctrl-C while the credentials are verified, and says that nothing was stored', async () => {
    const before = treeOf(home.dir);
    identity.delayMs = 60_000;
    onCleanup(() => {
      identity.delayMs = 0;
    });
    open();
    await answerUpTo();
    await terminal.waitFor('verifying the credentials');
    terminal.type(CTRL_C);
    expect(await terminal.exit).toEqual({ code: null, signal: 'SIGINT' });
    // The spinner's line is erased first.
    expect(terminal.raw().split('\x1b[1G\x1b[0K').at(-1)).toMatch(/Cancelled\. Nothing was stored\.\r\n$/);
    expect(await keyring.lookup(ACCOUNT)).toBeUndefined();
    expect(treeOf(home.dir)).toEqual(before);
  });

  test('does not show a secret that is typed ahead or pasted with its line end, and does not take it', async () => {
    identity.delayMs = 700;
    onCleanup(() => {
      identity.delayMs = 0;
    });
    const look = '"$@"; stty -a | grep -oE -- "-?(echo|icanon)\\b" | xargs; echo end';
    terminal = home.terminal(['login'], { wrapper: ['bash', '-c', look, '-'] });
    await answerUpTo('Client ID (eu, production)');
    terminal.type('eu-client\npasted-hush\n');
    await terminal.waitFor('Client secret (sent to ');
    terminal.type('wrong\r');
    await terminal.waitFor('verifying the credentials');
    terminal.type('typed-hush\r');
    await terminal.waitFor('Enter them again, or press Ctrl-C');
    await terminal.waitFor(/again, or[\s\S]*Client ID \(eu, production\)/);
    terminal.type('\r');
    await terminal.waitFor(/again, or[\s\S]*Client secret \(sent to /);
    terminal.type(`${CLIENT.clientSecret}\rafter-hush`);
    await terminal.waitFor('stored in the keychain');
    await terminal.waitFor('icanon echo');
    expect(terminal.raw()).not.toContain('hush');
    expect(JSON.parse((await keyring.lookup(ACCOUNT)) ?? '')).toMatchObject({
      client_id: CLIENT.clientId,
      client_secret: CLIENT.clientSecret,
    });
  });

  test.for([
    ['Ctrl-C', CTRL_C, 'Region'],
    ['Ctrl-D', CTRL_D, 'Region'],
    ['Escape', ESCAPE, 'Auth URL for eu'],
    ['Ctrl-C', CTRL_C, 'Client secret (sent to '],
    ['Ctrl-D', CTRL_D, 'Client secret (sent to '],
  ] as const)(
    'ends by %s %j at "%s": SIGINT, nothing stored, cursor and echo back',
    async ([, key, question]) => {
      const before = treeOf(home.dir);
      openAndLook();
      await answerUpTo(question);
      terminal.type(key);
      await terminal.waitFor('end\n');
      // Once: the shell's loop stops for a death by signal.
      expect(terminal.screen()).toMatch(/Cancelled\. Nothing was stored\.\ncode 130\nicanon echo\nend\n/);
      expect(terminal.screen().match(/code /g)).toHaveLength(1);
      expectCursor();
      expect(terminal.raw()).not.toContain(CLIENT.clientSecret);
      expect(await keyring.lookup(ACCOUNT)).toBeUndefined();
      expect(treeOf(home.dir)).toEqual(before);
    },
  );

  test('ends by SIGTERM, the cursor back', async () => {
    open();
    await terminal.waitFor('Region');
    process.kill(terminal.pid, 'SIGTERM');
    expect(await terminal.exit).toEqual({ code: null, signal: 'SIGTERM' });
    expectCursor();
  });

  test('takes letters at its menu', async () => {
    open();
    await terminal.waitFor('Region');
    terminal.type('us');
    await terminal.waitFor('● us');
    terminal.type('\r');
    await terminal.waitFor('Auth URL for us');
    terminal.type(CTRL_C);
    expect(await terminal.exit).toEqual({ code: null, signal: 'SIGINT' });
  });

  test('comes back to the question after Ctrl-Z and fg', async () => {
    const script = 'set -m; "$@"; echo stopped; fg';
    terminal = home.terminal(['login'], { wrapper: ['bash', '-c', script, '-'] });
    await terminal.waitFor('Region');
    terminal.type('\x1a');
    await terminal.waitFor(/stopped.*Region/s);
    terminal.type('us\r');
    await terminal.waitFor('Auth URL for us');
    terminal.type(CTRL_C);
    expect(await terminal.exit).toEqual({ code: 130, signal: null });
    expectCursor();
  });

  test('draws the beginning of a long paste, says so, and hears a Ctrl-C behind it', async () => {
    open();
    await answerUpTo('Client ID (eu, production)');
    terminal.type('x'.repeat(6000));
    terminal.type('\r');
    await terminal.waitFor('It is longer than 512 characters. Ctrl-U clears it.');
    expect(terminal.screen()).not.toContain('x'.repeat(600));
    terminal.type(`${CLEAR_LINE}${CLIENT.clientId}\r`);
    await terminal.waitFor('Client secret (sent to ');
    terminal.type('s'.repeat(6000) + CTRL_C);
    expect(await terminal.exit).toEqual({ code: null, signal: 'SIGINT' });
  });

  test('asks line by line on a terminal that cannot draw', async () => {
    const question = { wrapper: ['env', 'TERM=dumb', 'LANG=C.UTF-8'] };
    terminal = home.terminal(['login'], question);
    await terminal.waitFor('Region: eu or us [eu]: ');
    terminal.type('x\r');
    await terminal.waitFor(/Type eu or us\.\s+Region: eu or us \[eu\]: /);
    terminal.type('\r');
    await terminal.waitFor('Auth URL for eu (https://identity.eu.example.com): ');
    terminal.type(`${identity.authUrl}\r`);
    await terminal.waitFor('Client ID (eu, production): ');
    terminal.type(`${CLIENT.clientId}\r`);
    await terminal.waitFor('Client secret (sent to ');
    terminal.type(`${CLIENT.clientSecret}!\x7f\r`);
    expect(await terminal.exit).toEqual({ code: 0, signal: null });
    expect(terminal.raw()).not.toContain('\x1b');
    expect(terminal.raw()).not.toContain('hush');
    expect(terminal.screen()).toContain('verified and stored in the keychain');
    terminal = home.terminal(['logout'], question);
    await terminal.waitFor('(y/N): ');
    terminal.type(CTRL_C);
    expect(await terminal.exit).toEqual({ code: null, signal: 'SIGINT' });
  });

  test('asks nobody under CI, and has no colours with NO_COLOR', async () => {
    open([], { CI: 'true' });
    expect(await terminal.exit).toEqual({ code: 2, signal: null });
    expect(terminal.screen()).toContain('CI is set');

    open(['-r', 'eu'], { NO_COLOR: '1', CI: 'false' });
    await terminal.waitFor('Auth URL for eu');
    terminal.type(CTRL_C);
    expect(await terminal.exit).toEqual({ code: null, signal: 'SIGINT' });
    // Inverse and hidden are how clack draws its cursor; they are no colours.
    const styles = terminal
      .raw()
      .split('\x1b[')
      .flatMap((rest) => /^(\d+)m/.exec(rest)?.[1] ?? []);
    expect(styles.filter((style) => !['7', '8', '27', '28'].includes(style))).toEqual([]);
  });

  test('logout --all asks, and a bare Enter means no', async () => {
    await home.login({ ...CLIENT, authUrl: identity.authUrl });
    terminal = home.terminal(['logout', '--all']);
    await terminal.waitFor('Remove default:production:eu (client ID eu-c…ient)?');
    terminal.type('\r');
    expect(await terminal.exit).toEqual({ code: 0, signal: null });
    expect(await keyring.lookup(ACCOUNT)).toBeDefined();
  });
});
