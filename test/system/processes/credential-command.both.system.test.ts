/** A credential command on gwtoken's terminal, and signals to it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { putAnswer, startCommandHome } from '../../harness/homes/command-home';
import { isRunning, until } from '../../harness/programs/processes';

describe('a credential command', () => {
  beforeEach(({ needs }) => needs('posix'));

  const HANG = 'echo $$ > "$HOME/pid.new"; mv "$HOME/pid.new" "$HOME/pid"; exec sleep 300';
  const pidIn = async (dir: string): Promise<number> => {
    const file = join(dir, 'home', 'pid');
    await until('it has started', () => existsSync(file));
    return Number(readFileSync(file, 'utf8'));
  };

  test.each(['SIGTERM', 'SIGINT'] as const)('ends with gwtoken on %s', async (signal) => {
    const { dir, start } = await startCommandHome(HANG);
    const running = start(['get'], { detached: true });
    const pid = await pidIn(dir);
    running.kill(signal);
    expect(await running.result).toMatchObject({ code: null, signal, stdout: '', stderr: '' });
    await until('it is gone', () => !isRunning(pid));
  });

  test('can prompt on the terminal and read stdin without a spinner', async () => {
    const { dir, terminal, identity } = await startCommandHome(
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
});
