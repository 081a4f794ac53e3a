import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { descendants } from '../../src/system/processes/credential-command';
import { startTokenEndpoint, type TokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { inVariables } from '../harness/homes/client';
import { type Home, openHome } from '../harness/homes/home';
import { isRunning, until } from '../harness/programs/processes';
import { GWTOKEN_SH } from '../harness/programs/program';
import { openTerminal, type Terminal } from '../harness/programs/terminal';
import { missing, SHELLS } from '../shells/shells';

let endpoint: TokenEndpoint;
let home: Home;
beforeEach(async () => {
  endpoint = await startTokenEndpoint(() => tokenReply('the-token'));
  // CI: no spinner, however slow the machine.
  home = openHome({ ...inVariables(endpoint.authUrl), LC_ALL: 'C.UTF-8', CI: 'true' });
});

/** gwtoken exec alone on a terminal. */
const exec = (...args: string[]): Terminal => home.terminal(['exec', '--', ...args], { cwd: home.dir });
/** A line of shell on a terminal. */
const shell = (line: string): Terminal => openTerminal(['sh', '-c', line], { env: home.env, cwd: home.dir });
/** bash at its prompt. */
const bash = (): Terminal =>
  openTerminal(['bash', '--norc', '-i'], { env: { ...home.env, PS1: 'ready> ' }, cwd: home.dir });

/** bash takes the terminal back some time after its prompt, and loses what was typed before: Enter brings a new prompt. */
async function untilItReads({ type, screen }: Terminal): Promise<void> {
  const prompts = (): number => screen().split('ready> ').length;
  const before = prompts();
  while (prompts() === before) {
    type('\r');
    await new Promise((done) => setTimeout(done, 300));
  }
}

/**
 * How ps(1) tells the states of what a process has started: `S` waits for something, `T` is stopped. bash looks at
 * gwtoken alone: told to go on before it has stopped, the command would stop for good.
 */
function statesBelow(pid: number): string[] {
  const pids = descendants(pid, process).join(',');
  return execFileSync('ps', ['-o', 'stat=', '-p', pids], { encoding: 'latin1' }).trim().split('\n');
}

describe('gwtoken exec on a terminal', () => {
  test('the command has the terminal', async () => {
    const { exit, screen } = exec(
      'sh',
      '-c',
      '[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && echo "a terminal"; exit 3',
    );
    expect(await exit).toEqual({ code: 3, signal: null });
    expect(screen()).toBe('a terminal\n');
  });

  test('the command has it to itself also while its token file is renewed: no spinner', async () => {
    endpoint.answer = (post) => tokenReply(post, { expires_in: 2 });
    const script = 'echo up; while [ ! -e end ]; do sleep 0.1; done; echo down';
    const args = ['exec', '--token-file', '--', 'sh', '-c', script];
    const { waitFor, exit, raw } = home.terminal(args, { cwd: home.dir, env: { CI: '' } });
    await waitFor('up');
    const release = endpoint.hold();
    await endpoint.arrived(2);
    await new Promise((done) => setTimeout(done, 600));
    writeFileSync(join(home.dir, 'end'), '');
    await waitFor('down');
    release();
    expect(await exit).toEqual({ code: 0, signal: null });
    const shown = raw();
    expect(shown.slice(shown.indexOf('up'))).toBe('up\r\ndown\r\n');
  });

  test('Ctrl-C ends the command, and gwtoken by the same', async () => {
    const { waitFor, type, exit } = exec('sh', '-c', 'echo up; exec sleep 60');
    await waitFor('up');
    type('\x03');
    expect(await exit).toEqual({ code: null, signal: 'SIGINT' });
  });

  test('a SIGTERM, which is no key of the terminal’s, is passed on', async () => {
    const { pid, waitFor, exit } = exec('sh', '-c', 'echo up; exec sleep 60');
    await waitFor('up');
    process.kill(pid, 'SIGTERM');
    expect(await exit).toEqual({ code: null, signal: 'SIGTERM' });
  });

  test('Ctrl-C reaches the command once, and is its own affair', async () => {
    const script = `trap 'echo "got INT"' INT; echo up; read -r line; echo "read $line"; exit 4`;
    const { waitFor, type, exit, screen } = exec('bash', '-c', script);
    await waitFor('up');
    type('\x03');
    await waitFor('got INT');
    await new Promise((done) => setTimeout(done, 200));
    type('more\r');
    expect(await exit).toEqual({ code: 4, signal: null });
    expect(screen().match(/got INT/g)).toHaveLength(1);
    expect(screen()).toContain('read more');
  });

  test('Ctrl-\\ too, and a command that ignores both goes on', async () => {
    const { waitFor, type, exit } = exec('sh', '-c', `trap '' INT QUIT; echo up; read -r line; exit 5`);
    await waitFor('up');
    type('\x03\x1cmore\r');
    expect(await exit).toEqual({ code: 5, signal: null });
  });

  test('Ctrl-Z stops both, fg continues them', async () => {
    const terminal = bash();
    const { pid, waitFor, type, exit } = terminal;
    await waitFor('ready>');
    type(`${GWTOKEN_SH} exec -- sh -c 'echo u''p; read -r a; echo "read $a"; exit 6'\r`);
    await waitFor(/^up$/m);
    type('\x1a');
    await waitFor(/Stopped[\s\S]*ready> $/);
    await until('both have stopped', () => statesBelow(pid).every((state) => state.startsWith('T')));
    await untilItReads(terminal);
    type('fg\r');
    // What is typed before bash has given the terminal away is lost.
    await waitFor(/ready> fg\s[\s\S]*exit 6'\s/);
    await until('both go on', () => !statesBelow(pid).some((state) => state.startsWith('T')));
    type('text\r');
    await waitFor('read text');
    type('echo "code $?"\r');
    await waitFor('code 6');
    type('exit\r');
    await exit;
  });

  test('an interactive shell with job control works inside', async () => {
    const { waitFor, type, exit } = exec('bash', '--norc', '-i');
    await waitFor(/[$#] $/);
    type(`sh -c "echo u''p; exec sleep 60"\r`);
    await waitFor(/^up$/m);
    type('\x03');
    type(`echo "code $? $\{#GWTOKEN_ACCESS_TOKEN}"\r`);
    await waitFor('code 130 9');
    type('exit 8\r');
    expect(await exit).toEqual({ code: 8, signal: null });
  });

  test('vi edits a file', async ({ skip }) => {
    const reason = missing({ ...SHELLS[0]!, command: 'vim', debian: 'vim' });
    skip(reason !== undefined, reason);
    const file = join(home.dir, 'file');
    writeFileSync(file, 'before\n');
    const { waitFor, type, exit } = exec('vim', '-u', 'NONE', '-N', file);
    await waitFor('before');
    type('cwafter\x1b:wq\r');
    expect(await exit).toEqual({ code: 0, signal: null });
    expect(readFileSync(file, 'utf8')).toBe('after\n');
  });

  test('less pages, stopped and continued', async ({ skip }) => {
    const reason = missing({ ...SHELLS[0]!, command: 'less', debian: 'less' });
    skip(reason !== undefined, reason);
    skip(!existsSync('/bin/ps'), 'needs Debian: procps');
    const file = join(home.dir, 'file');
    writeFileSync(file, Array.from({ length: 200 }, (_, index) => `line ${index}\n`).join(''));
    const terminal = bash();
    const { pid, waitFor, type, exit } = terminal;
    await waitFor('ready>');
    type(`${GWTOKEN_SH} exec -- less file\r`);
    // Its own prompt, so that all is drawn.
    await waitFor(/line 22\nfile$/);
    // A Ctrl-Z between its prompt and its reading takes effect with the next key alone: less's own race.
    await until('less reads', () => statesBelow(pid).every((state) => state.startsWith('S')));
    type('\x1a');
    // What less does to the terminal when it stops may come behind the prompt.
    await waitFor(/Stopped[\s\S]*ready> /);
    await until('less has stopped', () => statesBelow(pid).every((state) => state.startsWith('T')));
    await untilItReads(terminal);
    type('fg\r');
    await waitFor(/Stopped[\s\S]*line 22\n:$/);
    type('G');
    await waitFor('line 199');
    type('q');
    type('echo "code $?"\r');
    await waitFor('code 0');
    type('exit\r');
    await exit;
  });

  test('what the command made of the terminal stands', async () => {
    const { exit, screen } = shell(
      `${GWTOKEN_SH} exec -- stty -echo; stty -a | grep -o -e '-echo ' && echo kept`,
    );
    await exit;
    expect(screen()).toContain('-echo \nkept\n');
  });

  test('a job in the background leaves the terminal as it is then', async () => {
    const { exit, screen } = shell(
      `${GWTOKEN_SH} exec -- sleep 0.5 & sleep 0.4; stty -echo; wait; stty -a | grep -o -e '-echo ' && echo kept`,
    );
    await exit;
    expect(screen()).toContain('-echo \nkept\n');
  });

  test('a terminal that is not its own changes nothing', async ({ skip }) => {
    skip(process.platform !== 'linux', 'needs Debian: util-linux (setsid)');
    const { exit, screen } = shell(`setsid -w ${GWTOKEN_SH} exec -- sh -c 'exit 7'; echo "code $?"`);
    await exit;
    expect(screen()).toBe('code 7\n');
  });

  test('a signal to a job in the background is passed on to its command', async () => {
    const command = `trap 'echo told; exit 4' INT; echo up; for _ in $(seq 400); do sleep 0.05; done`;
    writeFileSync(join(home.dir, 'command'), command);
    const { waitFor, exit, screen } = shell(
      `set -m; ${GWTOKEN_SH} exec -- sh ./command & echo "pid $!"; wait $!; echo "code $?"`,
    );
    await waitFor(/^pid \d+$/m);
    await waitFor(/^up$/m);
    process.kill(Number(/^pid (\d+)$/m.exec(screen())?.[1]), 'SIGINT');
    await exit;
    expect(screen()).toMatch(/^told$[\s\S]*^code 4$/m);
  });

  test('a spinner on the way takes nothing of a stdin that is a pipe', async () => {
    const release = endpoint.hold();
    delete home.env['CI'];
    const { waitFor, exit, screen } = shell(`printf 'from the pipe\\n' | ${GWTOKEN_SH} exec -- cat`);
    await waitFor('requesting a token');
    release();
    expect(await exit).toEqual({ code: 0, signal: null });
    expect(screen()).toMatch(/from the pipe\n/);
  });

  test('the terminal goes away: the command gets HUP, and nothing is left', async () => {
    const pidFile = join(home.dir, 'pid');
    const script = `echo $$ > '${pidFile}'; echo up; while :; do sleep 0.05; done`;
    // The end of a terminal's first process hangs up on the others.
    const { pid, waitFor } = shell(
      `${GWTOKEN_SH} exec --token-file -- sh -c "${script.replaceAll('$', '\\$')}"; true`,
    );
    await waitFor('up');
    const child = Number(readFileSync(pidFile, 'utf8'));
    const folder = join(home.cache, 'exec');
    expect(readdirSync(folder)).toHaveLength(1);
    process.kill(pid, 'SIGKILL');
    await until('both have ended', () => !isRunning(child) && !existsSync(folder));
  });
});
