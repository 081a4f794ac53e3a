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
    ['no output', 'true', ''],
    ['the longest output', "printf '%1000s'", ' '.repeat(1000)],
  ])('resolves with the output and leaves no listener: %s', async (_, command, output) => {
    const { signal } = new AbortController();
    expect(String(await run(command, { signal }))).toBe(output);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test.each([
    ['exit 130', 'exited with code 130'],
    ['kill -TERM $$', 'was killed by SIGTERM'],
    ["printf '%1001s'", 'printed more than 0.9765625 KiB'],
    [`true ${'x'.repeat(4_000_000)}`, 'could not be started (argument list too long)'],
  ])('rejects and leaves no listener after %.20s', async (command, problem) => {
    const { signal } = new AbortController();
    const message = `the credential command ${problem}`;
    await expect(run(command, { signal })).rejects.toMatchObject({ kind: 'keychain', message, hints: [] });
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
    await expect(run(`trap '' TERM; yes 2>/dev/null; : >'${file}'`)).rejects.toThrow('printed more than');
    await until('the end of yes', () => existsSync(file));
  });

  test.each([
    ['did not finish within 0.1 s', 'timed-out', 'exec sleep 60', 100],
    ['did not finish within 0.1 s', 'timed-out', "trap '' TERM; sleep 8", 100],
    ['printed more than 0.9765625 KiB', undefined, "trap '' TERM; yes 2>/dev/null; sleep 8", 60_000],
  ])('does not wait for a command that %s', async (problem, reason, line, timeoutMs) => {
    const startedAt = performance.now();
    const message = `the credential command ${problem}`;
    await expect(run(line, { timeoutMs })).rejects.toMatchObject({ message, reason });
    expect(performance.now() - startedAt).toBeLessThan(7000);
  });
});
