/** `gwtoken exec` on a terminal: keys, signals and job control. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { startTokenEndpoint, type TokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { inVariables } from '../harness/homes/client';
import { type Home, openHome } from '../harness/homes/home';
import { descendants, isRunning, shellWait, until } from '../harness/programs/processes';
import { GWTOKEN_SH } from '../harness/programs/program';
import { openTerminal, type Terminal } from '../harness/programs/terminal';

let endpoint: TokenEndpoint;
let home: Home;
beforeEach(async ({ needs }) => {
  needs('posix');
  endpoint = await startTokenEndpoint(() => tokenReply('the-token'));
  // CI prevents the spinner on a slow machine.
  home = openHome({ ...inVariables(endpoint.authUrl), LC_ALL: 'C.UTF-8', CI: 'true' });
});

/** Runs gwtoken exec on a terminal, without a shell. */
const exec = (...args: string[]): Terminal => home.terminal(['exec', '--', ...args], { cwd: home.dir });
/** Runs a line of shell on a terminal. */
const shell = (line: string): Terminal => openTerminal(['sh', '-c', line], { env: home.env, cwd: home.dir });
/** Opens an interactive bash. */
const bash = (): Terminal =>
  openTerminal(['bash', '--norc', '-i'], { env: { ...home.env, PS1: 'ready> ' }, cwd: home.dir });

/** Presses Enter until bash prompts again, because bash drops keys that arrive while it takes the terminal back. */
async function untilItReads({ type, screen }: Terminal): Promise<void> {
  const prompts = (): number => screen().split('ready> ').length;
  const before = prompts();
  while (prompts() === before) {
    type('\r');
    await new Promise((done) => setTimeout(done, 300));
  }
}

/** Returns what ps(1) shows as the state of each descendant, `T` if it has stopped. bash itself sees only gwtoken. */
function statesBelow(pid: number): string[] {
  const words = ['-o', 'stat=', '-p', descendants(pid).join(',')];
  return spawnSync('ps', words, { encoding: 'latin1' }).stdout.trim().split('\n');
}

describe('gwtoken exec on a terminal', () => {
  test('Ctrl-C and Ctrl-\\ reach the command once, and gwtoken waits for it', async () => {
    // Uses no bash, which delays the trap of a signal that arrives just before it reads.
    const script = `process.on('SIGINT', () => console.log('got INT')).on('SIGQUIT', () => {});
      process.stdin.once('data', (line) => { console.log('read ' + line); process.exit(4); });
      console.log('up');`;
    const { waitFor, type, exit, screen } = exec(process.execPath, '-e', script);
    await waitFor('up');
    type('\x03');
    await waitFor('got INT');
    await new Promise((done) => setTimeout(done, 200));
    type('\x1cmore\r');
    expect(await exit).toEqual({ code: 4, signal: null });
    expect(screen().match(/got INT/g)).toHaveLength(1);
    expect(screen()).toContain('read more');
  });

  test('Ctrl-Z stops gwtoken and its command, fg resumes both', async ({ needs }) => {
    needs('bash', 'procps');
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
    // bash drops keys that arrive before it gives the terminal away.
    await waitFor(/ready> fg\s[\s\S]*exit 6'\s/);
    await until('both go on', () => !statesBelow(pid).some((state) => state.startsWith('T')));
    type('text\r');
    await waitFor('read text');
    type('echo "code $?"\r');
    await waitFor('code 6');
    type('exit\r');
    await exit;
  });

  test('a background job passes a signal on to its command', async () => {
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

  test('the spinner reads nothing from a piped stdin', async () => {
    const release = endpoint.hold();
    delete home.env['CI'];
    const { waitFor, exit, screen } = shell(`printf 'from the pipe\\n' | ${GWTOKEN_SH} exec -- cat`);
    await waitFor('requesting a token');
    release();
    expect(await exit).toEqual({ code: 0, signal: null });
    expect(screen()).toMatch(/from the pipe\n/);
  });

  test('the command gets SIGHUP and ends when the terminal closes', async () => {
    const pidFile = join(home.dir, 'pid');
    const script = `echo $$ > '${pidFile}'; echo up; ${shellWait()}`;
    const tokenFile = join(home.dir, 'token');
    // The end of a terminal's first process sends SIGHUP to the others.
    const { pid, waitFor } = shell(
      `${GWTOKEN_SH} exec --token-file '${tokenFile}' -- sh -c "${script.replaceAll('$', '\\$')}"; true`,
    );
    await waitFor('up');
    const child = Number(readFileSync(pidFile, 'utf8'));
    expect(existsSync(tokenFile)).toBe(true);
    process.kill(pid, 'SIGKILL');
    await until('both have ended', () => !isRunning(child) && !existsSync(tokenFile));
  });
});
