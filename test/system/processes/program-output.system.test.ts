import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { programOutput } from '../../../src/system/processes/program-output';
import { openDirectory } from '../../harness/homes/directory';

test('resolves with an empty text for a program that does not end', async ({ needs }) => {
  needs('posix');
  const directory = openDirectory();
  writeFileSync(join(directory, 'curl'), '#!/bin/sh\necho help; sleep 60\n', { mode: 0o755 });
  const env = { PATH: `${directory}:/usr/bin:/bin` };
  expect(await programOutput({ env, platform: process.platform }, 'curl', [])).toBe('');
});
