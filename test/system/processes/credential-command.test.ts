import { getEventListeners } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { runCredentialCommand } from '../../../src/system/processes/credential-command';
import { openDirectory } from '../../harness/homes/directory';
import { until } from '../../harness/programs/processes';

const run = (
  command: string,
  {
    signal = new AbortController().signal,
    timeoutMs = 60_000,
  }: { signal?: AbortSignal; timeoutMs?: number } = {},
) =>
  runCredentialCommand({ env: process.env, platform: process.platform }, command, {
    env: process.env,
    timeoutMs,
    maxBytes: 1000,
    signal,
  });

describe('runCredentialCommand()', () => {
  beforeEach(({ needs }) => needs('posix'));

  test.each([
    ['success', 'true', { how: 'exited', code: 0 }],
    ['exit code 130', 'exit 130', { how: 'exited', code: 130 }],
    ['death by SIGTERM', 'kill -TERM $$', { how: 'killed', signal: 'SIGTERM' }],
    ['endless output', 'yes 2>/dev/null', { how: 'too-long' }],
    ['the longest output', "printf '%1000s'", { how: 'exited', code: 0, stdout: Buffer.alloc(1000, ' ') }],
    ['a byte too much', "printf '%1001s'", { how: 'too-long' }],
    [
      'a long line',
      `true ${'x'.repeat(4_000_000)}`,
      { how: 'not-started', reason: 'argument list too long' },
    ],
  ])('reports the end of a command and leaves no listener: %s', async (_, command, end) => {
    const { signal } = new AbortController();
    expect(await run(command, { signal })).toMatchObject(end);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test.each(['INT', 'QUIT'])('rejects as interrupted by the SIG%s that ended the command', async (name) => {
    const signal = `SIG${name}`;
    await expect(run(`kill -${name} $$`)).rejects.toMatchObject({ name: 'Interrupted', signal });
  });

  test('does not start a command after an abort', async () => {
    const file = join(openDirectory(), 'started');
    await expect(run(`: >'${file}'`, { signal: AbortSignal.abort() })).rejects.toThrow('aborted');
    expect(existsSync(file)).toBe(false);
  });

  test('closes the pipe of a command that prints too much', async () => {
    const file = join(openDirectory(), 'closed');
    expect(await run(`trap '' TERM; yes 2>/dev/null; : >'${file}'`)).toEqual({ how: 'too-long' });
    await until('the end of yes', () => existsSync(file));
  });

  test.each([
    ['late', 'exec sleep 60', 100],
    ['late', "trap '' TERM; sleep 8", 100],
    ['too-long', "trap '' TERM; yes 2>/dev/null; sleep 8", 60_000],
  ])('does not wait for a command that is %s: %s', async (how, line, timeoutMs) => {
    const startedAt = performance.now();
    expect(await run(line, { timeoutMs })).toEqual({ how });
    expect(performance.now() - startedAt).toBeLessThan(7000);
  });
});
