import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { Client } from '../src/core/clients';
import { commandEnv } from '../src/core/credential-command';
import { descendants } from '../src/system/process-tree';
import { type IdentityServer, startIdentityServer } from './harness/identity-server';
import { keyringAvailable, startKeyring } from './harness/keyring';
import { filesBelow, freshHome, PROGRAM, runProgram, startProgram } from './harness/program';
import { openTerminal } from './harness/terminal';

const CANARY = 'canary-s3cret "\\$`\' +/=&%<>|;!~{}[]#@';
const onPosix = process.platform === 'win32' ? 'needs a POSIX shell' : undefined;

const cleanups: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Place {
  readonly dir: string;
  readonly env: Record<string, string>;
  readonly identity: IdentityServer;
}

/** A home whose config names the command, and the endpoint that knows the client `from-command`. */
async function place(command: string, config: Record<string, unknown> = {}): Promise<Place> {
  const identity = await startIdentityServer({
    region: 'eu',
    clients: [{ clientId: 'from-command', clientSecret: CANARY }],
  });
  const home = freshHome();
  cleanups.push(identity.close, home.remove);
  const folder = join(home.env.XDG_CONFIG_HOME, 'gwtoken');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const values = { region: 'eu', 'auth-url': identity.authUrl, 'credential-command': command, ...config };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(values), { mode: 0o600 });
  return { dir: home.dir, env: { ...home.env }, identity };
}

/** A shell command that prints the credentials, from a file, so that no quoting comes in between. */
function printing(dir: string, text: string | Buffer): string {
  writeFileSync(join(dir, 'answer'), text);
  return `cat '${join(dir, 'answer')}'`;
}

const answer = (clientId = 'from-command', clientSecret = CANARY): string =>
  JSON.stringify({ client_id: clientId, client_secret: clientSecret });

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    // In a container nobody may collect the dead: a zombie is not alive.
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
};

async function untilFile(path: string, end = '\n'): Promise<string> {
  let text = '';
  for (let round = 0; round < 500; round++) {
    text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    if (text.endsWith(end)) return text;
    await sleep(20);
  }
  throw new Error(`${path} does not end as it should: ${JSON.stringify(text)}`);
}

/** Waits a moment for what was killed to be collected. */
async function untilGone(pids: readonly number[]): Promise<number[]> {
  for (let round = 0; round < 50 && pids.some(isAlive); round++) await sleep(20);
  return pids.filter(isAlive);
}

function expectNoCanary(dir: string, ...texts: string[]): void {
  for (const text of texts) expect(text).not.toContain('canary-s3cret');
  for (const [path, bytes] of filesBelow(dir)) {
    if (path !== 'answer') expect(bytes.includes('canary-s3cret'), path).toBe(false);
  }
}

describe('the credential command', () => {
  test('gives the credentials, also ones with odd characters, and the endpoint takes them', async ({
    skip,
  }) => {
    skip(onPosix !== undefined, onPosix);
    const { dir, env, identity } = await place('set -- answer; cat "$HOME/../$1"');
    printing(dir, `\ufeff  ${answer()}\r\n`);
    const got = await runProgram(['get'], { env });
    expect(got).toMatchObject({ code: 0, stderr: '', stdout: `${identity.issued[0]}\n` });
    const form = new URLSearchParams(identity.requests[0]!.body);
    expect(form.get('client_id')).toBe('from-command');
    expect(form.get('client_secret')).toBe(CANARY);

    const traced = await runProgram(['get', '--no-cache', '-v'], { env });
    expect(traced.stderr).toContain('credentials from credential-command in ');
    expectNoCanary(dir, traced.stderr, traced.stdout);
  });

  test('comes after the variables and before the keychain', async ({ skip }) => {
    skip(onPosix !== undefined, onPosix);
    const { dir, env } = await place('touch "$HOME/ran"; exit 9', { 'keychain-timeout': '5s' });
    const pair = { GWTOKEN_CLIENT_ID: 'other', GWTOKEN_CLIENT_SECRET: 'wrong' };
    const variables = await runProgram(['get'], { env: { ...env, ...pair } });
    expect(variables.code).toBe(3);
    expect(existsSync(join(dir, 'home', 'ran'))).toBe(false);

    // A profile named by flag skips the variables.
    const flagged = await runProgram(['get', '--profile', 'default'], { env: { ...env, ...pair } });
    expect(flagged).toMatchObject({ code: 5, stdout: '' });
    expect(flagged.stderr).toContain(
      'the credential command exited with code 9 (from credential-command in ',
    );
    expect(existsSync(join(dir, 'home', 'ran'))).toBe(true);
  });

  test('runs with the names of the client and without gwtoken’s own secrets', async ({ skip }) => {
    skip(onPosix !== undefined, onPosix);
    const { dir, env } = await place('false', {
      profiles: { acme: { 'credential-command': 'env > "$HOME/seen"', region: 'us' } },
    });
    const given = { GWTOKEN_CLIENT_ID: 'x', GWTOKEN_CLIENT_SECRET: CANARY, VAULT_TOKEN: 'kept' };
    await runProgram(['get', '--profile', 'acme', '--sandbox'], { env: { ...env, ...given } });
    const seen = readFileSync(join(dir, 'home', 'seen'), 'utf8').split('\n');
    expect(seen).toEqual(
      expect.arrayContaining([
        'GWTOKEN_REGION=us',
        'GWTOKEN_SANDBOX=1',
        'GWTOKEN_PROFILE=acme',
        'VAULT_TOKEN=kept',
      ]),
    );
    expect(seen.join('\n')).not.toMatch(/GWTOKEN_CLIENT|canary/);
  });

  const client: Client = { profile: 'default', environment: 'production', region: 'eu' };
  test.each([
    ['GWTOKEN_CLIENT_ID', false],
    ['GWTOKEN_CLIENT_SECRET_EU', false],
    ['GWTOKEN_CLIENT_SECRET_FILE', false],
    ['GWTOKEN_SANDBOX_CLIENT_SECRET_US', false],
    ['gwtoken_client_secret', false],
    ['GWTOKEN_ACCESS_TOKEN', false],
    ['GWTOKEN_CONFIG_DIR', true],
    ['AWS_SECRET_ACCESS_KEY', true],
    ['OP_SERVICE_ACCOUNT_TOKEN', true],
  ])('is given %s: %s', (name, isGiven) => {
    expect(Object.hasOwn(commandEnv(client, { [name]: 'value' }), name)).toBe(isGiven);
    expect(commandEnv(client, {})).toMatchObject({
      GWTOKEN_REGION: 'eu',
      GWTOKEN_SANDBOX: '0',
      GWTOKEN_PROFILE: 'default',
    });
  });

  test('that prints nothing has none: 4, and the keychain is not asked instead', async ({ skip }) => {
    skip(onPosix !== undefined, onPosix);
    for (const command of ['true', 'echo']) {
      const { env, identity } = await place(command);
      const { code, stdout, stderr } = await runProgram(['get'], { env });
      expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
      expect(stderr).toMatch(
        /^gwtoken: error: the credential command has nothing for default:production:eu \(from credential-command in .*config\.json\)\nhint: or set GWTOKEN_CLIENT_ID_EU and GWTOKEN_CLIENT_SECRET_EU\n$/,
      );
      expect(identity.requests).toEqual([]);
    }
  });

  test.each([
    ['text', 'canary-s3cret', 'printed something that is not JSON'],
    ['two objects', `${answer()}${answer()}`, 'printed something that is not JSON'],
    ['null', 'null', 'printed something that lacks client_id or client_secret'],
    ['half', '{"client_secret":"canary-s3cret"}', 'printed something that lacks client_id or client_secret'],
    [
      'an empty secret',
      answer('x', ''),
      'printed something that has a client_id or client_secret that is empty',
    ],
    [
      'a newline',
      answer('x', 'canary-s3cret\n2'),
      'printed something that has a client_id or client_secret that has a control character',
    ],
    [
      'Latin-1',
      Buffer.from(answer('x', 'canary-s3cret ü'), 'latin1'),
      'printed something that is not UTF-8 text',
    ],
    ['UTF-16', Buffer.from(`\ufeff${answer()}`, 'utf16le'), 'printed something that is not UTF-8 text'],
    ['64 KiB and a byte', answer('x', 'canary-s3cret'.padEnd(64 * 1024, 'x')), 'printed more than 64 KiB'],
  ])('that prints %s: 5, and nothing of it is shown', async (_, text, problem) => {
    const { dir, env, identity } = await place('');
    const command = process.platform === 'win32' ? `type "${join(dir, 'answer')}"` : printing(dir, text);
    writeFileSync(join(dir, 'answer'), text);
    await runProgram(['config', 'set', 'credential-command', command], { env });
    const { code, stdout, stderr } = await runProgram(['get', '-v'], { env });
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(stderr).toContain(`gwtoken: error: the credential command ${problem}`);
    expect(stderr).toContain('hint: ');
    expect(identity.requests).toEqual([]);
    expectNoCanary(dir, stderr);
  });

  test('may print 64 KiB', async () => {
    const { dir, env, identity } = await place('');
    const text = answer('from-command', 'wrong').padEnd(64 * 1024, ' ');
    await runProgram(['config', 'set', 'credential-command', printing(dir, text)], { env });
    expect(await runProgram(['get'], { env })).toMatchObject({ code: 3, stdout: '' });
    expect(identity.requests).toHaveLength(1);
  });

  test('that fails: 5, with its own stderr as it was and its stdout unseen', async ({ skip }) => {
    skip(onPosix !== undefined, onPosix);
    const { dir, env } = await place(
      'echo "vault: sealed, $GWTOKEN_REGION" >&2; cat "$HOME/../answer"; exit 1',
    );
    printing(dir, answer());
    const { code, stdout, stderr } = await runProgram(['get'], { env });
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(stderr).toMatch(
      /^vault: sealed, eu\ngwtoken: error: the credential command exited with code 1 .*\nhint: see the command: gwtoken config get credential-command\n/,
    );
    expectNoCanary(dir, stderr);

    const missing = await place('no-such-program-here get secret');
    const notFound = await runProgram(['get'], { env: missing.env });
    expect(notFound.code).toBe(5);
    expect(notFound.stderr).toMatch(/no-such-program-here.*not found[\s\S]*exited with code 127/);

    const killed = await place('kill -SEGV $$');
    expect((await runProgram(['get'], { env: killed.env })).stderr).toContain('was killed by SIGSEGV');
  });

  test('that writes the secret to stderr: it passes through once and is never repeated', async ({ skip }) => {
    skip(onPosix !== undefined, onPosix);
    const { dir, env } = await place('cat "$HOME/../answer" >&2; exit 1');
    printing(dir, answer());
    const { stderr } = await runProgram(['get', '-v'], { env });
    expect(stderr.split('canary-s3cret')).toHaveLength(2);
    expectNoCanary(dir);
  });

  test('that asks gwtoken for its own client ends at once', async ({ skip }) => {
    skip(onPosix !== undefined, onPosix);
    const { env } = await place(`'${process.execPath}' '${PROGRAM}' get --no-cache`);
    const { code, stderr, ms } = await runProgram(['get', '--no-cache'], { env });
    expect(code).toBe(5);
    expect(stderr).toContain('the credential command of default:production:eu calls gwtoken for that client');
    expect(ms).toBeLessThan(8000);
  });

  test('hides what login stores, and login says so', async ({ skip }) => {
    const reason = keyringAvailable();
    skip(reason !== undefined, reason);
    const keyring = await startKeyring({ state: 'unlocked' });
    cleanups.push(keyring.stop);
    const { env } = await place('exit 9');
    const login = ['login', '--client-id', 'from-command', '--secret-stdin', '--no-verify'];
    const stored = await runProgram(login, { env: { ...keyring.env, ...env }, stdin: CANARY });
    expect(stored.code).toBe(0);
    expect(stored.stderr).toMatch(
      /\ngwtoken: warning: credential-command in .* is used instead of what was stored\n/,
    );
    expect(await runProgram(['get'], { env: { ...keyring.env, ...env } })).toMatchObject({
      code: 5,
      stdout: '',
    });
  });

  describe('that hangs', () => {
    const HANG =
      'echo $$ > "$HOME/pids"; (trap "" TERM; sleep 300) & echo $! >> "$HOME/pids"; sleep 301 & echo $! >> "$HOME/pids"; echo end >> "$HOME/pids"; wait';
    const pidsIn = async (dir: string): Promise<number[]> =>
      (await untilFile(join(dir, 'home', 'pids'), 'end\n')).split('\n').slice(0, 3).map(Number);

    test('is ended with all that it started, also what ignores SIGTERM: 5', async ({ skip }) => {
      skip(onPosix !== undefined, onPosix);
      const { dir, env } = await place(HANG, { 'keychain-timeout': '1s' });
      const { code, stdout, stderr, ms } = await runProgram(['get'], { env });
      expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
      expect(stderr).toContain('the credential command did not finish within 1 s');
      expect(stderr).toContain('GWTOKEN_KEYCHAIN_TIMEOUT=2s');
      expect(ms).toBeLessThan(6000);
      expect(await untilGone(await pidsIn(dir))).toEqual([]);
    });

    test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('ends with gwtoken on %s', async (signal) => {
      if (process.platform === 'win32') return;
      const { dir, env } = await place(HANG);
      const running = startProgram(['get'], { env });
      const pids = await pidsIn(dir);
      expect(pids.filter(isAlive)).toEqual(pids);
      running.kill(signal);
      expect(await running.result).toMatchObject({ code: null, signal, stdout: '', stderr: '' });
      expect(await untilGone(pids)).toEqual([]);
    });

    test('on a terminal, too, by its tree of processes', async ({ skip }) => {
      skip(onPosix !== undefined, onPosix);
      const { dir, env } = await place(HANG, { 'keychain-timeout': '1s' });
      const terminal = openTerminal(process.execPath, [PROGRAM, 'get'], { env });
      cleanups.push(terminal.close);
      expect(await terminal.exit).toEqual({ code: 5, signal: null });
      expect(terminal.screen()).toContain('did not finish within 1 s');
      expect(await untilGone(await pidsIn(dir))).toEqual([]);
    });

    test('has ten seconds where nobody is at hand, sixty at a terminal', async ({ skip }) => {
      skip(onPosix !== undefined, onPosix);
      const { env } = await place('exit 1');
      expect((await runProgram(['get', '-v'], { env })).stderr).toContain('for 10 s at most');
      const terminal = openTerminal(process.execPath, [PROGRAM, 'get', '-v'], { env });
      cleanups.push(terminal.close);
      await terminal.exit;
      expect(terminal.screen()).toContain('for 60 s at most');
    });
  });

  test('can ask on the terminal and read stdin, without a spinner over its question', async ({ skip }) => {
    skip(onPosix !== undefined, onPosix);
    const { dir, env, identity } = await place(
      'printf "Vault password: " >&2; stty -echo </dev/tty; read a </dev/tty; stty echo </dev/tty; read b; [ "$a $b" = "open sesame" ] && cat "$HOME/../answer"',
    );
    printing(dir, answer());
    const terminal = openTerminal(process.execPath, [PROGRAM, 'get'], { env: { ...env, NO_COLOR: '1' } });
    cleanups.push(terminal.close);
    await terminal.waitFor('Vault password: ');
    await sleep(600);
    expect(terminal.raw()).toBe('Vault password: ');
    terminal.type('open\r');
    await sleep(100);
    terminal.type('sesame\r');
    expect(await terminal.exit).toEqual({ code: 0, signal: null });
    expect(terminal.screen()).toBe(`Vault password: sesame\n${identity.issued[0]}\n`);
  });

  test('Ctrl-C at its question ends a calling script, and the terminal has its echo again', async ({
    skip,
  }) => {
    skip(onPosix !== undefined, onPosix);
    const { dir, env } = await place(
      "trap 'stty echo </dev/tty; exit 130' INT TERM; stty -echo </dev/tty; printf 'Password: ' >&2; read a </dev/tty",
    );
    const script = join(dir, 'script.sh');
    writeFileSync(script, `'${process.execPath}' '${PROGRAM}' get\necho after-gwtoken\n`);
    chmodSync(script, 0o755);
    const terminal = openTerminal('bash', ['-c', `trap : INT; bash '${script}'; stty -a </dev/tty`], { env });
    cleanups.push(terminal.close);
    await terminal.waitFor('Password: ');
    terminal.type('\x03');
    await terminal.exit;
    expect(terminal.screen()).not.toContain('after-gwtoken');
    expect(terminal.screen()).toMatch(/[^-]echo /);
  });
});

describe('descendants', () => {
  test('finds children and theirs, as Linux and as other systems tell them', async ({ skip }) => {
    skip(onPosix !== undefined, onPosix);
    const { dir, env } = await place('sh -c "sleep 300; :" & echo $! > "$HOME/pid"; wait');
    const running = startProgram(['get'], { env });
    const child = Number(await untilFile(join(dir, 'home', 'pid')));
    await sleep(100);
    const found = descendants(running.pid, process.platform);
    expect(found).toContain(child);
    expect(found).toHaveLength(3);
    // ps is what the other systems have; on Linux, where it is installed, the two must agree.
    if (existsSync('/bin/ps')) expect(descendants(running.pid, 'darwin')).toEqual(found);
    running.kill('SIGTERM');
    await running.result;
  });
});
