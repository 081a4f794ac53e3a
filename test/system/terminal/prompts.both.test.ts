import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { onCleanup } from '../../harness/clean-up';
import { type IdentityServer, startIdentityServer } from '../../harness/endpoints/identity-server';
import { treeOf } from '../../harness/homes/files';
import { type Home, openHome } from '../../harness/homes/home';
import { type Keyring, keyringAvailable, startKeyring } from '../../harness/keyrings/keyring';
import { descendants } from '../../harness/programs/processes';
import type { Terminal } from '../../harness/programs/terminal';

const unavailable = keyringAvailable();
const client = { clientId: 'eu-client', clientSecret: 'eu-secret+/=&' };
const ACCOUNT = 'default:production:eu';
const CTRL_C = '\x03';
const CTRL_D = '\x04';
const ESCAPE = '\x1b';
const CLEAR_LINE = '\x15';

describe('gwtoken login, on a terminal', () => {
  let identity: IdentityServer;
  let keyring: Keyring;
  let home: Home;
  let terminal: Terminal;
  beforeAll(async () => {
    if (unavailable !== undefined) return;
    identity = await startIdentityServer({ clients: [client] });
    keyring = await startKeyring({ state: 'unlocked' });
  });
  beforeEach(({ skip }) => {
    skip(unavailable !== undefined, unavailable);
    home = openHome(keyring.env);
    onCleanup(() => keyring.clear(ACCOUNT));
  });

  const open = (args: readonly string[] = [], env: Record<string, string> = {}) => {
    terminal = home.terminal(['login', ...args], { env: { LANG: 'C.UTF-8', ...env } });
    return terminal;
  };
  /** Answers the questions up to, and not including, the one that begins with `until`. */
  const QUESTIONS = [
    ['Region', () => '\r'],
    ['Environment', () => '\r'],
    ['Auth URL for eu', () => `${identity.authUrl}\r`],
    ['Client ID (eu, production)', () => `${client.clientId}\r`],
    ['Client secret (sent to ', () => `${client.clientSecret}\r`],
  ] as const;
  const answerUpTo = async (until?: string) => {
    for (const [question, answer] of QUESTIONS) {
      await terminal.waitFor(question);
      if (question === until) return;
      terminal.type(answer());
    }
  };

  test('asks region, environment, auth URL, client id and secret in that order, and never shows the secret', async () => {
    open();
    await answerUpTo();
    expect(await terminal.exit).toEqual({ code: 0, signal: null });
    const screen = terminal.screen();
    const places = [
      ...QUESTIONS.map(([question]) => question),
      'Credentials verified and stored in the keychain as ',
      'Next: gwtoken get\nor:   eval $(gwtoken env)\n',
    ].map((text) => screen.indexOf(text));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places.every((place) => place >= 0)).toBe(true);
    expect(screen).toContain('↑/↓ to navigate');
    // Before the secret is typed the person sees where it will go.
    expect(screen).toContain(`Client secret (sent to ${identity.authUrl})`);
    expect(terminal.raw()).not.toContain(client.clientSecret);
    expect(terminal.raw()).not.toContain('eu-s');
    expect(JSON.parse((await keyring.lookup(ACCOUNT)) ?? '')).toMatchObject({
      client_secret: client.clientSecret,
    });
  });

  test('what is given is not asked; the configured region is, and is preselected', async () => {
    await home.gwtoken(['config', 'set', 'region', 'us']);
    open(['--client-id', client.clientId, '-p', 'acme', '--auth-url', identity.authUrl, '--no-verify']);
    await terminal.waitFor('● us');
    terminal.type('\x1b[A');
    await terminal.waitFor('● eu');
    terminal.type('\r');
    await terminal.waitFor('● production');
    terminal.type('\x1b[B');
    await terminal.waitFor('● sandbox');
    terminal.type('\r');
    await terminal.waitFor('Client secret (sent to ');
    terminal.type('anything\r');
    expect(await terminal.exit).toEqual({ code: 0, signal: null });
    expect(terminal.screen()).not.toMatch(/Auth URL for|Client ID \(/);
    expect(terminal.screen()).toContain('Set region = eu for profile acme');
    expect(terminal.screen()).toContain('Next: gwtoken get --region eu --sandbox --profile acme');
    await keyring.clear('acme:sandbox:eu');
  });

  test('a bad answer is refused at once, with the reason, and can be mended', async () => {
    open();
    await answerUpTo('Auth URL for eu');
    // The example, whose first letter the cursor stands on.
    await terminal.waitFor('ttps://identity.eu.example.com');
    for (const [answer, reason] of [
      ['id.example.com', 'It is not a URL: did you mean https://id.example.com?'],
      ['http://id.example.com', 'It would send the client secret unencrypted: use https://id.example.com'],
      ['https://id.example.com/oauth2/token', 'It already ends with /oauth2/token: gwtoken adds that path;'],
    ] as const) {
      terminal.type(`${answer}\r`);
      // The reason may be broken over two lines.
      await terminal.waitFor(new RegExp(reason.replace(/[?.]/g, '\\$&').replaceAll(' ', '\\s+')));
      terminal.type(CLEAR_LINE);
    }
    terminal.type(`${identity.authUrl}\r`);
    await terminal.waitFor('Client ID (eu, production)');
    terminal.type(' \r');
    await terminal.waitFor('Required');
    terminal.type(`${client.clientId}\r`);
    await terminal.waitFor('Client secret (sent to ');
    const before = terminal.screen().length;
    terminal.type('\r');
    await terminal.waitFor(/Required[\s\S]*Required/);
    terminal.type(`${client.clientSecret}\r`);
    expect(await terminal.exit).toEqual({ code: 0, signal: null });
    expect(terminal.screen().slice(before)).toContain('Credentials verified and stored');
  });

  test('the questions name the sandbox, and a profile other than the default one', async () => {
    open(['-r', 'eu', '--sandbox', '-p', 'acme']);
    await terminal.waitFor('Auth URL for the eu sandbox');
    terminal.type(`${identity.authUrl}\r`);
    await terminal.waitFor('Client ID (eu, sandbox, profile acme)');
    terminal.type(CTRL_C);
    expect(await terminal.exit).toEqual({ code: null, signal: 'SIGINT' });
  });

  test('is drawn in ASCII where the locale has no more', async () => {
    open([], { LANG: 'C' });
    await answerUpTo();
    expect(await terminal.exit).toEqual({ code: 0, signal: null });
    expect(terminal.screen()).toContain('> eu');
    // But for the caret, which clack draws as a block everywhere.
    const drawn = terminal.raw().replaceAll('█', '');
    expect(Buffer.byteLength(drawn)).toBe(drawn.length);
  });

  test('a refused secret is asked for again, and the right one is stored', async () => {
    open();
    await answerUpTo('Client secret (sent to ');
    terminal.type('wrong\r');
    await terminal.waitFor('Check the client ID and enter the secret again.');
    await terminal.waitFor(/enter the secret again[\s\S]*Client secret \(sent to /);
    terminal.type(`${client.clientSecret}\r`);
    expect(await terminal.exit).toEqual({ code: 0, signal: null });
    expect(terminal.screen()).toContain(`Credentials verified and stored in the keychain as ${ACCOUNT}\n`);
    expect(JSON.parse((await keyring.lookup(ACCOUNT)) ?? '')).toMatchObject({
      client_secret: client.clientSecret,
    });
  });

  test('a third refusal is code 3, the secret is doubted before the region, and nothing is stored', async () => {
    open();
    await answerUpTo('Client secret (sent to ');
    terminal.type('wrong\r');
    await terminal.waitFor(/again[\s\S]*Client secret/);
    terminal.type('wrong\r');
    await terminal.waitFor(/again[\s\S]*Client secret[\s\S]*again[\s\S]*Client secret/);
    terminal.type('wrong\r');
    expect(await terminal.exit).toEqual({ code: 3, signal: null });
    const hints = terminal.screen().match(/^hint: .*$/gm);
    expect(hints).toEqual([
      'hint: check the client ID and secret',
      'hint: if the client belongs to region us, use --region us',
      'hint: nothing was stored',
    ]);
    expect(await keyring.lookup(ACCOUNT)).toBeUndefined();
  });

  test('a second login asks for the region with the configured one preselected, and says what it replaced', async () => {
    open();
    await answerUpTo();
    expect(await terminal.exit).toEqual({ code: 0, signal: null });
    await home.gwtoken(['config', 'set', 'region', 'us']);
    open(['--client-id', client.clientId, '--no-sandbox', '--no-verify']);
    await terminal.waitFor('● us');
    terminal.type('\x1b[A');
    await terminal.waitFor('● eu');
    terminal.type('\r');
    await terminal.waitFor('Client secret (sent to ');
    terminal.type('another\r');
    expect(await terminal.exit).toEqual({ code: 0, signal: null });
    expect(terminal.screen()).toContain(
      `Credentials stored in the keychain as ${ACCOUNT}, replacing the previous ones`,
    );
  });

  test('Ctrl-C while the credentials are verified says so too', async () => {
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

  test.for([
    ...QUESTIONS.map(([question]) => ['Ctrl-C', CTRL_C, question] as const),
    ['Ctrl-D', CTRL_D, 'Region'] as const,
    ['Ctrl-D', CTRL_D, 'Client secret (sent to '] as const,
    ['Escape', ESCAPE, 'Auth URL for eu'] as const,
  ])('%s %j at "%s" ends by SIGINT: nothing stored, cursor and echo are back', async ([, key, question]) => {
    const before = treeOf(home.dir);
    // The shell stays on the terminal and looks at it afterwards; its loop stops only for a death by signal.
    const script = `for i in 1 2; do "$@"; code=$?; echo "code $code"; stty -a | grep -oE -- '-?(echo|icanon)\\b' | xargs; test $code -lt 128 || break; done; sleep 0.1; echo end`;
    terminal = home.terminal(['login'], { wrapper: ['bash', '-c', script, '-'] });
    await answerUpTo(question);
    terminal.type(key);
    await terminal.waitFor('end\n');
    const screen = terminal.screen();
    expect(screen).toMatch(/Cancelled\. Nothing was stored\.\ncode 130\nicanon echo\nend\n/);
    expect(screen.match(/code /g)).toHaveLength(1);
    const raw = terminal.raw();
    expect(raw.lastIndexOf('\x1b[?25h')).toBeGreaterThan(raw.lastIndexOf('\x1b[?25l'));
    expect(raw).not.toContain(client.clientSecret);
    expect(await keyring.lookup(ACCOUNT)).toBeUndefined();
    expect(treeOf(home.dir)).toEqual(before);
  });

  test.for(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)(
    '%s at a prompt restores the terminal and ends it',
    async (signal) => {
      open();
      await terminal.waitFor('Region');
      process.kill(terminal.pid, signal);
      expect(await terminal.exit).toEqual({ code: null, signal });
      const raw = terminal.raw();
      expect(raw.lastIndexOf('\x1b[?25h')).toBeGreaterThan(raw.lastIndexOf('\x1b[?25l'));
    },
  );

  test('a signal at a prompt gives the terminal its echo back', async () => {
    const script = `"$@"; stty -a | grep -oE -- '-?(echo|icanon)\\b' | xargs; echo end`;
    terminal = home.terminal(['login'], { wrapper: ['bash', '-c', script, '-'] });
    await terminal.waitFor('Region');
    process.kill(descendants(terminal.pid)[0]!, 'SIGTERM');
    await terminal.waitFor('end\n');
    expect(terminal.screen()).toMatch(/\nicanon echo\nend\n$/);
  });

  test('nobody is asked where CI is set, and with NO_COLOR there are no colours', async () => {
    open([], { CI: 'true' });
    expect(await terminal.exit).toEqual({ code: 2, signal: null });
    expect(terminal.screen()).toContain('(cannot prompt: CI is set)');

    open(['-r', 'eu', '--no-sandbox'], { NO_COLOR: '1', CI: 'false' });
    await terminal.waitFor('Auth URL for eu');
    terminal.type(CTRL_C);
    expect(await terminal.exit).toEqual({ code: null, signal: 'SIGINT' });
    // Inverse and hidden are how clack draws its cursor; they are no colours.
    const styles = terminal
      .raw()
      .split('\x1b[')
      .map((rest) => /^(\d+)m/.exec(rest)?.[1]);
    expect(styles.filter((style) => style !== undefined && !['7', '8', '27', '28'].includes(style))).toEqual(
      [],
    );
  });

  test('logout --all asks, and no is the answer of a bare Enter', async () => {
    await home.gwtoken(
      [
        'login',
        '-r',
        'eu',
        '--auth-url',
        identity.authUrl,
        '--client-id',
        'x',
        '--secret-stdin',
        '--no-verify',
      ],
      { stdin: 'y' },
    );
    const logout = () => {
      terminal = home.terminal(['logout', '--all']);
      return terminal.waitFor(`Remove stored client ${ACCOUNT}?`);
    };
    await logout();
    terminal.type('\r');
    expect(await terminal.exit).toEqual({ code: 0, signal: null });
    expect(await keyring.lookup(ACCOUNT)).toBeDefined();
    await logout();
    terminal.type('y');
    expect(await terminal.exit).toEqual({ code: 0, signal: null });
    expect(await keyring.lookup(ACCOUNT)).toBeUndefined();
  });
});
