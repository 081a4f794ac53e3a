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
  const slow = `sleep 3; exec head -c ${Buffer.byteLength(text)} <"$0" >"$1"`;
  const reader = spawn('sh', ['-c', slow, pipe, copy], { stdio: 'ignore' });
  onCleanup(() => reader.kill('SIGKILL'));
  const ended = once(reader, 'exit');
  const before = process.cpuUsage();
  writeAll(descriptor, text);
  const { user, system } = process.cpuUsage(before);
  // Microseconds. Other threads of this process, such as the collector, used 0.6 s beside other tests.
  expect(user + system).toBeLessThan(1_200_000);
  expect(await ended).toEqual([0, null]);
  expect(readFileSync(copy, 'utf8')).toBe(text);
});
