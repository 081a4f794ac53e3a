/** A credential command: its shell, its limits, its end, and what becomes of its children. */
import { getEventListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { runCredentialCommand } from '../../../src/system/processes/credential-command';
import { openFolder } from '../../harness/homes/folder';

let listening = 0;
/** Runs it with the time and the signal of the caller; `sent` gets what is sent to it, but for questions. */
const run = (
  command: string,
  { signal = new AbortController().signal, timeoutMs = 60_000, sent = [] as unknown[] } = {},
) => {
  const kill = (pid: number, signal?: string | number): true => {
    if (signal !== 0) sent.push(signal);
    return process.kill(pid, signal);
  };
  return runCredentialCommand(
    command,
    { env: process.env, timeoutMs, limit: 1000, signal },
    { env: process.env, platform: process.platform, kill },
    () => {
      listening++;
      return () => listening--;
    },
  );
};

describe.skipIf(process.platform === 'win32')('runCredentialCommand', () => {
  test.each([
    ['true', { how: 'exited', code: 0 }],
    ['exit 7', { how: 'exited', code: 7 }],
    ['kill -TERM $$', { how: 'killed', signal: 'SIGTERM' }],
    ['yes', { how: 'too-long' }],
    ["printf '%1000s'", { how: 'exited', code: 0, stdout: Buffer.alloc(1000, ' ') }],
    ["printf '%1001s'", { how: 'too-long' }],
    [`true ${'x'.repeat(4_000_000)}`, { how: 'not-started', reason: 'E2BIG' }],
  ])('tells how a command ends and hears no signals then (%#)', async (command, how) => {
    const { signal } = new AbortController();
    expect(await run(command, { signal })).toMatchObject(how);
    expect(listening).toBe(0);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('takes a Ctrl-C that ended the command as its own', async () => {
    await expect(run('kill -INT $$')).rejects.toMatchObject({ name: 'Interrupted', signal: 'SIGINT' });
    expect(listening).toBe(0);
  });

  test('ends a command at once that nobody waits for', async () => {
    const end = run('exec sleep 60', { signal: AbortSignal.abort() });
    expect(await Promise.race([end, sleep(10_000, 'still running')])).toEqual({ how: 'late' });
  });

  test('sends no SIGKILL to what a SIGTERM has ended: its ID may be another process’s', async () => {
    const sent: unknown[] = [];
    expect(await run('exec sleep 60', { timeoutMs: 100, sent })).toEqual({ how: 'late' });
    expect(sent).toEqual(['SIGTERM']);
  });

  test('closes the stdout of a command that printed too much and ignores SIGTERM', async () => {
    const file = join(openFolder(), 'ended');
    expect(await run(`trap '' TERM; yes; echo of its own accord > '${file}'`)).toEqual({ how: 'too-long' });
    expect(readFileSync(file, 'utf8')).toBe('of its own accord\n');
  });
});
