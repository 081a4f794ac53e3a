/** The caller's descriptors on macOS. test/commands/exec-like-env shows those on Linux. */
import { closeSync, openSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { callersDescriptors } from '../../../src/system/processes/descriptors';

function opened(path: string): number {
  const fd = openSync(path, 'r');
  onTestFinished(() => closeSync(fd));
  return fd;
}

test('passes on a descriptor on macOS if it is a file or a word names it', () => {
  const [file, named, other] = [opened(import.meta.filename), opened('/dev/null'), opened('/dev/null')];
  const argv = ['node', 'gwtoken', 'curl', '-d', `@/dev/fd/${named}`];
  const passed = callersDescriptors({ platform: 'darwin', argv });
  expect([file, named, other].filter((fd) => passed.includes(fd))).toEqual([file, named]);
});
