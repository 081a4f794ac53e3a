import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeAll } from '../../../src/system/terminal/streams';
import { onCleanup } from '../../harness/clean-up';
import { openDirectory } from '../../harness/homes/directory';

test('writeAll() waits for a full non-blocking pipe without using the processor', async ({ needs }) => {
  needs('posix');
  const dir = openDirectory();
  const [pipe, copy] = [join(dir, 'pipe'), join(dir, 'copy')];
  execFileSync('mkfifo', [pipe]);
  const descriptor = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
  onCleanup(() => closeSync(descriptor));
  // The text has more bytes than characters.
  const text = 'ü'.repeat(150_000);
  const slow = `sleep 1; exec head -c ${Buffer.byteLength(text)} <"$0" >"$1"`;
  const reader = spawn('sh', ['-c', slow, pipe, copy], { stdio: 'ignore' });
  onCleanup(() => reader.kill('SIGKILL'));
  const ended = once(reader, 'exit');
  const before = process.cpuUsage();
  writeAll(descriptor, text);
  const { user, system } = process.cpuUsage(before);
  expect(user + system).toBeLessThan(400_000);
  expect(await ended).toEqual([0, null]);
  expect(readFileSync(copy, 'utf8')).toBe(text);
});
