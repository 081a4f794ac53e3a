/** Tests verify.mjs with keytar's native modules, which have the same headers as programs. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { machineOf, verifyProgram } from '../../bin/build/verify.mjs';

const prebuilds = join(dirname(createRequire(import.meta.url).resolve('keytar/package.json')), 'prebuilds');
const native = (prebuild: string) => join(prebuilds, prebuild, 'keytar.node');

test.each([
  ['linux-x64', 'linux-arm64', 'linux-arm64'],
  ['linux-x64-musl', 'linux-x64', 'linux-x64'],
  ['darwin-arm64', 'win32-arm64', 'windows-arm64'],
])('an archive for %s rejects the program of %s', (target, prebuild, found) => {
  expect(() => verifyProgram(target, native(prebuild))).toThrow(`packed for ${target}, is for ${found}`);
});

test.each([
  ['darwin-arm64', 'darwin-arm64'],
  // keytar ships a wrong file here, so this executable is built without a keychain.
  ['linuxmusl-arm64', 'linux-x64'],
])('the native part in %s is for %s', (prebuild, machine) => {
  expect(machineOf(readFileSync(native(prebuild)))).toBe(machine);
});
