/** The end of a credential command, for all that it started, for its terminal, and for gwtoken's caller. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { putAnswer, startPlace } from '../../harness/homes/command-place';
import { isRunning, until } from '../../harness/programs/processes';
import { GWTOKEN_SH } from '../../harness/programs/program';
import { openTerminal } from '../../harness/programs/terminal';

describe.skipIf(process.platform === 'win32')('a credential command', () => {
  const HANG =
    'echo $$ > "$HOME/pids"; (trap "" TERM; sleep 300) & echo $! >> "$HOME/pids"; sleep 301 & echo $! >> "$HOME/pids"; echo end >> "$HOME/pids"; wait';
  const pidsIn = async (dir: string): Promise<number[]> => {
    const file = join(dir, 'home', 'pids');
    await until('all has started', () => existsSync(file) && readFileSync(file, 'utf8').endsWith('end\n'));
    return readFileSync(file, 'utf8').split('\n').slice(0, 3).map(Number);
  };

  test('that is late ends with all that it started, also what ignores SIGTERM: 5', async () => {
    // gwtoken stands still until all has started, and the shell ends before the rest does.
    const script = `kill -STOP $PPID; ${HANG.replace('; wait', '; kill -CONT $PPID; exit')}`;
    const { dir, gwtoken } = await startPlace(script, { 'keychain-timeout': '1s' });
    const { code, stdout, stderr } = await gwtoken(['get'], { detached: true });
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(stderr).toContain('the credential command did not finish within 1 s');
    const pids = await pidsIn(dir);
    await until('none is left', () => !pids.some(isRunning));
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('ends with gwtoken on %s', async (signal) => {
    const { dir, start } = await startPlace(HANG);
    const running = start(['get'], { detached: true });
    const pids = await pidsIn(dir);
    running.kill(signal);
    expect(await running.result).toMatchObject({ code: null, signal, stdout: '', stderr: '' });
    await until('none is left', () => !pids.some(isRunning));
  });

  test('can ask on the terminal and read stdin, without a spinner over its question', async () => {
    const { dir, terminal, identity } = await startPlace(
      'stty -echo </dev/tty; printf "Vault password: " >&2; read a </dev/tty; stty echo </dev/tty; printf "Vault: " >&2; read b; [ "$a $b" = "open sesame" ] && cat "$HOME/../answer"',
    );
    putAnswer(dir);
    const shown = terminal(['get'], { env: { NO_COLOR: '1' } });
    await shown.waitFor('Vault password: ');
    await sleep(600);
    expect(shown.raw()).toBe('Vault password: ');
    shown.type('open\r');
    await shown.waitFor('Vault: ');
    shown.type('sesame\r');
    expect(await shown.exit).toEqual({ code: 0, signal: null });
    expect(shown.screen()).toMatch(/^Vault password: Vault: sesame\n/);
    expect(shown.screen().endsWith(`${identity.issued[0]}\n`)).toBe(true);
  });

  test('ended by Ctrl-C has time to restore the echo, and a calling script ends too', async () => {
    const restore = 'sh -c "sleep 0.3; stty echo </dev/tty"';
    const { dir, env } = await startPlace(
      `trap '${restore}; exit 130' INT; stty -echo </dev/tty; printf 'Password: ' >&2; read a </dev/tty`,
    );
    const script = join(dir, 'script.sh');
    writeFileSync(script, `${GWTOKEN_SH} get\necho after-gwtoken\n`);
    chmodSync(script, 0o755);
    const line = `trap : INT; bash '${script}'; stty -a </dev/tty`;
    const terminal = openTerminal(['bash', '-c', line], { env });
    await terminal.waitFor('Password: ');
    terminal.type('\x03');
    await terminal.exit;
    expect(terminal.screen()).not.toContain('after-gwtoken');
    expect(terminal.screen()).toMatch(/[^-]echo /);
  });
});
