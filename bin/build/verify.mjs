// Checks packed programs by their bytes, so that any machine can check each platform's program.
import { readFileSync } from 'node:fs';

/**
 * Platforms by the number of the machine in the header of ELF, Mach-O or PE.
 * @type {Record<number, string>}
 */
const PLATFORMS = {
  62: 'linux-x64',
  183: 'linux-arm64',
  16777228: 'darwin-arm64',
  34404: 'windows-x64',
  43620: 'windows-arm64',
};

/**
 * Compares a program with the platform that it was packed for.
 * @param {string} target
 * @param {string} path
 * @throws if it is for another platform
 */
export function verifyProgram(target, path) {
  const file = readFileSync(path);
  // The name of the dynamic loader follows the header.
  const libc = file.subarray(0, 4096).includes('/lib/ld-musl-') ? '-musl' : '';
  const platform = `${machineOf(file)}${libc}`;
  if (platform !== target) throw new Error(`${path}, packed for ${target}, is for ${platform}`);
}

/** The first bytes of the formats; a program of neither is PE. */
const ELF = 0x7f454c46;
const MACH_O = 0xfeedfacf;

/** Returns the platform of a program, ignoring its libc. @param {Buffer} file */
export function machineOf(file) {
  if (file.readUInt32BE(0) === ELF) return PLATFORMS[file.readUInt16LE(18)];
  if (file.readUInt32LE(0) === MACH_O) return PLATFORMS[file.readUInt32LE(4)];
  return PLATFORMS[file.readUInt16LE(file.readUInt32LE(60) + 4)];
}
