/** Prompts on a real terminal: what they show and accept, and how they restore the terminal. */
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { onCleanup } from '../../harness/clean-up';
import { type IdentityServer, startIdentityServer } from '../../harness/endpoints/identity-server';
import { filesBelow } from '../../harness/homes/files';
import { type Home, openHome } from '../../harness/homes/home';
import { type Keyring, startKeyring } from '../../harness/keyrings/keyring';
import { missing } from '../../harness/needs';
import { descendants, processesWith, until } from '../../harness/programs/processes';
import type { Terminal } from '../../harness/programs/terminal';

const CLIENT = { clientId: 'eu-client', clientSecret: 'hush+/=&' };
const LONG = { clientId: 'long-client', clientSecret: 'hush'.repeat(600) };
const ACCOUNT = 'default:production:eu';
const [CTRL_C, CTRL_D, CTRL_Z] = ['\x03', '\x04', '\x1a'];

describe('login on a terminal', () => {
  let identity: IdentityServer;
  let keyring: Keyring;
  let home: Home;
  let terminal: Terminal;
  beforeAll(async () => {
    if (missing('keyring') !== undefined) return;
    identity = await startIdentityServer({ clients: [CLIENT, LONG] });
    keyring = await startKeyring({ state: 'unlocked' });
  });
  beforeEach(({ needs }) => {
    needs('keyring');
    home = openHome(keyring.env);
    onCleanup(() => keyring.clear(ACCOUNT));
  });

  const open = (...args: string[]) => {
    terminal = home.terminal(['login', ...args]);
  };
  /** Runs login in a shell that then prints its exit code and the modes of the terminal. */
  const openInShell = () => {
    const script = `"$@"; echo "code $?"; stty -a | grep -oE -- '-?(echo|icanon)\\b' | xargs; echo end`;
    terminal = home.terminal(['login'], { wrapper: ['bash', '-c', script, '-'] });
  };
  const answer = async (question: string | RegExp, text: string) => {
    await terminal.waitFor(question);
    terminal.type(text);
  };
  const QUESTIONS = [
    ['Region (eu or us): ', () => 'EU\r'],
    ['Auth URL for eu: ', () => ` ${identity.authUrl}x\x7f \r`],
    ['Client ID (eu, production): ', ({ clientId }) => `${clientId}\r`],
    ['Client secret (sent to ', ({ clientSecret }) => ` ${clientSecret}!\x7f\r`],
  ] as const satisfies [question: string, answer: (client: typeof CLIENT) => string][];
  /** Answers the questions before the one that begins with `last`; without it, all questions. */
  const answerUpTo = async (last?: string, client = CLIENT) => {
    for (const [question, text] of QUESTIONS) {
      await terminal.waitFor(question);
      if (question === last) return;
      terminal.type(text(client));
    }
  };
  const stored = async () => JSON.parse((await keyring.lookup(ACCOUNT)) ?? 'null');

  // LONG almost fills an item of the keychain.
  test.for([
    ['xterm-256color', CLIENT],
    ['dumb', LONG],
  ] as const)(
    'asks line by line, names the URL for the secret and hides the secret: TERM=%s',
    async ([TERM, client]) => {
      terminal = home.terminal(['login'], { wrapper: ['env', `TERM=${TERM}`] });
      await answerUpTo(undefined, client);
      expect(await terminal.exit).toEqual({ code: 0, signal: null });
      const screen = terminal.screen();
      const places = QUESTIONS.map(([question]) => screen.indexOf(question));
      expect(places).toEqual([...places].sort((a, b) => a - b));
      expect(screen).toContain(`Client secret (sent to ${identity.authUrl}): \n`);
      expect(terminal.raw()).not.toContain('hush');
      expect(terminal.raw().includes('\x1b')).toBe(TERM !== 'dumb');
      expect(await stored()).toEqual({
        client_id: client.clientId,
        client_secret: client.clientSecret,
        auth_url: identity.authUrl,
      });
    },
  );

  test('hides and drops a secret that is typed ahead or pasted after the client ID', async () => {
    const reply = identity.hold();
    openInShell();
    await answerUpTo('Client ID (eu, production): ');
    terminal.type('eu-client\npasted-hush\n');
    await answer('Client secret (sent to ', 'wrong-hush\r');
    await answer('verifying the credentials', 'typed-hush\rmore-hush');
    // Meanwhile gwtoken has read the input, and waits only for the reply.
    await sleep(700);
    reply();
    // Arrow up recalls nothing, because prompts keep no history.
    await answer(/Try again[\s\S]*\[eu-client\], Enter keeps it: /, '\x1b[A\r');
    await answer(/Try again[\s\S]*Client secret \(sent to /, `${CLIENT.clientSecret}\rafter-hush`);
    await terminal.waitFor(/stored in the keychain[\s\S]*code 0\nicanon echo\n/);
    expect(terminal.raw()).not.toContain('hush');
    expect(await stored()).toMatchObject({ client_id: CLIENT.clientId, client_secret: CLIENT.clientSecret });
  });

  test('hides and drops what is typed before the first question', async () => {
    // login asks no question until the keyring has answered.
    const keyringLine = processesWith(keyring.env['DBUS_SESSION_BUS_ADDRESS']!).find((line) =>
      line.includes('gnome-keyring-daemon'),
    );
    const keyringPid = Number.parseInt(keyringLine!, 10);
    process.kill(keyringPid, 'SIGSTOP');
    onCleanup(() => void process.kill(keyringPid, 'SIGCONT'));
    openInShell();
    await until('the keychain child runs', () => descendants(terminal.pid).length > 1);
    terminal.type('early-hush\r');
    await sleep(300);
    process.kill(keyringPid, 'SIGCONT');
    await terminal.waitFor(/Region \(eu or us\): $/);
    terminal.type(CTRL_C);
    await terminal.waitFor('end\n');
    expect(terminal.raw()).not.toMatch(/hush|Type eu or us/);
  });

  test('erases what was typed during its start, even before a secret', async () => {
    open('-r', 'eu', '--auth-url', identity.authUrl, '--client-id', CLIENT.clientId);
    // The terminal echoes this by itself.
    terminal.type('early-hush');
    await terminal.waitFor('Client secret (sent to ');
    const [START_OF_LINE, ERASE_BELOW] = ['\x1b[1G', '\x1b[0J'];
    expect(terminal.raw()).toContain(`early-hush${START_OF_LINE}${ERASE_BELOW}Client secret (sent to `);
  });

  test.for([
    ['Ctrl-D', 'Region (eu or us): ', CTRL_D],
    ['SIGTERM', 'Client ID (eu, production): ', undefined],
    ['Ctrl-C', 'Client secret (sent to ', CTRL_C],
    ['Ctrl-C', 'verifying the credentials', CTRL_C],
  ] as const)('ends on %s at "%s": stores nothing, restores echo', async ([name, question, key]) => {
    const before = filesBelow(home.dir);
    onCleanup(identity.hold());
    openInShell();
    await answerUpTo(question);
    await terminal.waitFor(question);
    if (key === undefined) process.kill(descendants(terminal.pid)[0]!, name);
    else terminal.type(key);
    await terminal.waitFor('end\n');
    const code = key === undefined ? 143 : 130;
    const ending = `Cancelled. Nothing was stored.\ncode ${code}\nicanon echo\nend\n`;
    // bash reports the signal itself.
    const screen = terminal.screen().replace(/^.*Terminated.*\n/m, '');
    expect(screen.slice(-ending.length)).toBe(ending);
    expect(terminal.raw()).not.toContain('hush');
    expect(await stored()).toBeNull();
    expect(filesBelow(home.dir)).toEqual(before);
  });

  test('repeats the question after Ctrl-Z and fg', async () => {
    const script = 'set -m; "$@"; echo stopped; fg; echo stopped again; fg';
    terminal = home.terminal(['login'], { wrapper: ['bash', '-c', script, '-'] });
    await answer('Region (eu or us): ', `e${CTRL_Z}`);
    await answer(/stopped\n.*\n.*Region \(eu or us\): e/, 'u\r');
    await answer('Auth URL for eu: ', `${identity.authUrl}\r`);
    await answer('Client ID (eu, production): ', `${CLIENT.clientId}\r`);
    await answer('Client secret (sent to ', `hush${CTRL_Z}`);
    await answer(/stopped again\n.*\n.*Client secret \(sent to .*: /, `${CLIENT.clientSecret.slice(4)}\r`);
    expect(await terminal.exit).toEqual({ code: 0, signal: null });
    expect(terminal.raw()).not.toContain('hush');
    expect(await stored()).toMatchObject({ client_secret: CLIENT.clientSecret });
  });

  test('ends on a Ctrl-C after a paste of 20,000 characters', async () => {
    open('-r', 'eu');
    await answer('Auth URL for eu: ', 'x'.repeat(20_000) + CTRL_C);
    expect(await terminal.exit).toEqual({ code: null, signal: 'SIGINT' });
  });
});
