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

test.each([
  ['names the #! line of a script in PATH', 'linux', 'the interpreter of its #! line does not exist'],
  ['blames no #! line on Windows', 'win32', 'command not found: "tool"'],
] as const)('for a program that was found but not started, %s', (_, platform, words) => {
  const error = startError(Object.assign(new Error(), { code: 'ENOENT' }), tool({ platform }));
  expect(error).toMatchObject({ kind: 'not-found', message: expect.stringContaining(words) });
});
