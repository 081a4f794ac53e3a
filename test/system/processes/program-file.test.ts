import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Program, programFile, startError } from '../../../src/system/processes/program-file';
import { openDirectory } from '../../harness/homes/directory';

const tool = (more: Partial<Program> = {}): Program => ({
  platform: 'linux',
  command: 'tool',
  args: [],
  env: {},
  ...more,
});

test('skips a file in PATH that is not executable for one that is', ({ needs }) => {
  needs('posix');
  const directories = ['first', 'second'].map((name) => join(openDirectory(), name));
  for (const [at, directory] of directories.entries()) {
    mkdirSync(directory);
    writeFileSync(join(directory, 'tool'), '', { mode: at === 0 ? 0o644 : 0o755 });
  }
  const found = programFile(tool({ env: { PATH: directories.join(':') } }));
  expect(found).toBe(`${directories[1]}/tool`);
});

test('a program of Windows that does not start because a file is missing was not found', () => {
  const error = startError(Object.assign(new Error(), { code: 'ENOENT' }), tool({ platform: 'win32' }));
  expect(error).toMatchObject({ kind: 'not-found', message: 'command not found: "tool"' });
});
