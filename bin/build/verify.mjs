// Checks of the programs that a release has packed, by their own bytes: any machine can check each platform's.
import { readFileSync } from 'node:fs';
import { NtExecutable } from 'resedit';
import { machineOf, verifySignature } from './mach-o.mjs';

/**
 * Compares a program with the platform that it was packed for.
 * @param {string} target
 * @param {string} path
 * @throws if it is for another platform, or does not call itself gwtoken where the platform shows a name
 */
export function verifyProgram(target, path) {
  const file = readFileSync(path);
  // The loader is named right behind the header.
  const libc = file.subarray(0, 4096).includes('/lib/ld-musl-') ? '-musl' : '';
  const platform = `${machineOf(file)}${libc}`;
  if (platform !== target) throw new Error(`${path}, packed for ${target}, is for ${platform}`);
  const name = target.startsWith('linux') ? 'gwtoken' : nameOf(target, file);
  if (name !== 'gwtoken') throw new Error(`${path}, packed for ${target}, calls itself ${name}`);
}

/** @param {string} target @param {Buffer} file */
function nameOf(target, file) {
  if (target.startsWith('darwin')) return verifySignature(file);
  // IMAGE_DIRECTORY_ENTRY_RESOURCE. Resedit's own reader takes no section behind it, where Bun has the program.
  const section = NtExecutable.from(file).getSectionByEntry(2);
  const text = new TextDecoder('utf-16le').decode(section?.data ?? undefined);
  return /ProductName\0+([^\0]*)/.exec(text)?.[1];
}
