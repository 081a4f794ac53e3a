/** The signature that the build gives to the executables for macOS, and the machine of a native part. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { machineOf, signAdHoc, verifySignature } from '../../bin/build/mach-o.mjs';

const keytar = dirname(createRequire(import.meta.url).resolve('keytar/package.json'));
const native = (prebuild: string) => readFileSync(join(keytar, 'prebuilds', prebuild, 'keytar.node'));

describe('a signature for macOS', () => {
  test('covers every page, under gwtoken’s name', () => {
    const prebuild = 'darwin-arm64';
    expect(verifySignature(signAdHoc(native(prebuild), 'gwtoken'))).toBe('gwtoken');
    // Signed again, with a longer name, it is a larger one.
    expect(verifySignature(signAdHoc(native(prebuild), 'x'.repeat(5000)))).toBe('x'.repeat(5000));
  });

  test('does not hold for a file in which a byte was changed since', () => {
    const file = signAdHoc(native('darwin-arm64'), 'gwtoken');
    file.writeUInt8(file.readUInt8(9000) ^ 1, 9000);
    expect(() => verifySignature(file)).toThrow('1 pages are not what was signed');
  });
});

test.each([
  ['linux-x64', 'linux-x64'],
  ['linux-arm64', 'linux-arm64'],
  ['darwin-x64', 'darwin-x64'],
  ['darwin-arm64', 'darwin-arm64'],
  ['win32-x64', 'windows-x64'],
  ['win32-arm64', 'windows-arm64'],
  // Upstream's mistake, for which the executable is built without a keychain.
  ['linuxmusl-arm64', 'linux-x64'],
])('the native part in %s is for %s', (prebuild, machine) => {
  expect(machineOf(native(prebuild))).toBe(machine);
});
