/** Checks of packed programs, tried with keytar's native parts, which have the same headers. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { signAdHoc } from '../../bin/build/mach-o.mjs';
import { verifyProgram } from '../../bin/build/verify.mjs';
import { openFolder } from '../harness/homes/folder';

const prebuilds = join(dirname(createRequire(import.meta.url).resolve('keytar/package.json')), 'prebuilds');
const native = (prebuild: string) => join(prebuilds, prebuild, 'keytar.node');

test.each([
  ['linux-x64', 'linux-arm64', 'is for linux-arm64'],
  ['linux-x64-musl', 'linux-x64', 'is for linux-x64'],
  ['darwin-arm64', 'win32-arm64', 'is for windows-arm64'],
  ['windows-x64', 'win32-x64', 'calls itself undefined'],
])('a program packed for %s must not be as %s', (target, prebuild, problem) => {
  expect(() => verifyProgram(target, native(prebuild))).toThrow(`packed for ${target}, ${problem}`);
});

test('a program for macOS must be signed as gwtoken', () => {
  const path = join(openFolder(), 'gwtoken');
  const sign = (name: string) => writeFileSync(path, signAdHoc(readFileSync(native('darwin-arm64')), name));
  sign('gwtoken');
  verifyProgram('darwin-arm64', path);
  sign('a.out');
  expect(() => verifyProgram('darwin-arm64', path)).toThrow('packed for darwin-arm64, calls itself a.out');
});
