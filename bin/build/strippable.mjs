// Makes an executable for Linux work after `strip`, which pacman, rpmbuild and Nix run on what they pack.
import { readFileSync, writeFileSync } from 'node:fs';

/** Places of fields in a section's header. */
const [ADDRESS, OFFSET, SIZE] = [0x10, 0x18, 0x20];

/**
 * Extends a section by the 8 bytes behind it, in which Bun stores the address of gwtoken's code. Otherwise they
 * are in no section, and strip clears them: the program is Bun then, which runs scripts of the directory.
 * @param {string} file a program that Bun has compiled for Linux
 * @throws if the bytes are in another place
 */
export function makeStrippable(file) {
  const elf = readFileSync(file);
  const read = (/** @type {number} */ at) => Number(elf.readBigUInt64LE(at));
  // The ELF header tells where the sections' headers are, their size and number, and which section has the names.
  const [size = 0, count = 0, ofNames = 0] = [0x3a, 0x3c, 0x3e].map((at) => elf.readUInt16LE(at));
  const headerAt = (/** @type {number} */ index) => read(0x28) + index * size;
  const names = read(headerAt(ofNames) + OFFSET);
  const name = elf.indexOf('\0.bun\0', names) + 1 - names;
  const payload = Array.from({ length: count }, (_, index) => headerAt(index)).find(
    (header) => elf.readUInt32LE(header) === name,
  );
  if (payload === undefined) throw new Error('this version of Bun stores no section .bun');
  const before = payload - size;
  const length = read(before + SIZE);
  if (read(read(before + OFFSET) + length) !== read(payload + ADDRESS))
    throw new Error('this version of Bun stores the address of .bun in another place');
  elf.writeBigUInt64LE(BigInt(length + 8), before + SIZE);
  writeFileSync(file, elf);
}
