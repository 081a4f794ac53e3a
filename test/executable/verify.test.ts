/** Tests verify.mjs with keytar's native modules, which have the same headers as programs. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { machineOf, verifyProgram } from '../../bin/build/verify.mjs';
import { openDirectory } from '../harness/homes/directory';

const prebuilds = join(dirname(createRequire(import.meta.url).resolve('keytar/package.json')), 'prebuilds');
const native = (prebuild: string) => join(prebuilds, prebuild, 'keytar.node');

test.each([
  ['linux-x64', 'linux-arm64', 'linux-arm64'],
  ['linux-x64-musl', 'linux-x64', 'linux-x64'],
  ['darwin-arm64', 'win32-arm64', 'windows-arm64'],
])('an archive for %s rejects the program of %s', (target, prebuild, found) => {
  expect(() => verifyProgram(target, native(prebuild))).toThrow(`packed for ${target}, is for ${found}`);
});

test('only an archive for musl accepts a program that names the loader of musl', () => {
  const file = join(openDirectory(), 'gwtoken');
  writeFileSync(file, readFileSync(native('linux-x64')).fill('/lib/ld-musl-x86_64.so.1\0', 2000, 2025));
  verifyProgram('linux-x64-musl', file);
  expect(() => verifyProgram('linux-x64', file)).toThrow('packed for linux-x64, is for linux-x64-musl');
  verifyProgram('linux-x64', native('linux-x64'));
});

test.each([
  ['darwin-arm64', 'darwin-arm64'],
  // keytar ships a wrong file here, so this executable is built without a keychain.
  ['linuxmusl-arm64', 'linux-x64'],
])('the native part in %s is for %s', (prebuild, machine) => {
  expect(machineOf(readFileSync(native(prebuild)))).toBe(machine);
});
