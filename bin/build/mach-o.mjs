// The signature of an executable for macOS. Bun appends the program to its runtime and signs only arm64's again, so x64's
// would keep a Developer ID over other bytes, which macOS kills. Signed ad hoc, as codesign --sign - does; npm has no tool
// for it that runs on Linux (rcodesign is a crate).
import { createHash } from 'node:crypto';

const PAGE = 4096;
/** Mach-O's load commands (mach-o/loader.h). */
const SEGMENT_64 = 0x19;
const CODE_SIGNATURE = 0x1d;
/** The blobs of a signature (Security/CSCommon.h, in big-endian). */
const SUPER_BLOB = 0xfade0cc0;
const CODE_DIRECTORY = 0xfade0c02;
const HEADER = 88;

/** @param {Buffer} file @param {number} from @param {number} to */
function pageHashes(file, from, to) {
  const hashes = [];
  for (let at = from; at < to; at += PAGE)
    hashes.push(
      createHash('sha256')
        .update(file.subarray(at, Math.min(at + PAGE, to)))
        .digest(),
    );
  return hashes;
}

/**
 * Where the parts are that a signature needs.
 * @param {Buffer} file a 64-bit Mach-O
 */
function layoutOf(file) {
  if (file.readUInt32LE(0) !== 0xfeedfacf) throw new Error('not a 64-bit Mach-O');
  /** @type {Record<string, number>} the load command of each segment */
  const segments = {};
  let signature = 0;
  for (let n = file.readUInt32LE(16), at = 32; n > 0; n--, at += file.readUInt32LE(at + 4)) {
    const command = file.readUInt32LE(at);
    if (command === SEGMENT_64) segments[file.toString('latin1', at + 8, at + 24).replace(/\0+$/, '')] = at;
    if (command === CODE_SIGNATURE) signature = at;
  }
  const { __TEXT: text, __LINKEDIT: linkedit } = segments;
  if (text === undefined || linkedit === undefined || signature === 0)
    throw new Error('no place for a signature');
  return { text, linkedit, signature, end: file.readUInt32LE(signature + 8) };
}

/**
 * Gives the file with an ad hoc signature in place of its own.
 * @param {Buffer} unsigned
 * @param {string} identifier
 */
export function signAdHoc(unsigned, identifier) {
  const { text, linkedit, signature, end } = layoutOf(unsigned);
  const slots = Math.ceil(end / PAGE);
  const hashesAt = HEADER + identifier.length + 1;
  const directory = Buffer.alloc(hashesAt + slots * 32);
  const size = Math.ceil((20 + directory.length) / 16) * 16;
  const file = Buffer.concat([unsigned.subarray(0, end), Buffer.alloc(size)]);

  file.writeUInt32LE(size, signature + 12);
  const linkeditSize = BigInt(file.length) - file.readBigUInt64LE(linkedit + 40);
  file.writeBigUInt64LE(linkeditSize, linkedit + 48);
  file.writeBigUInt64LE(((linkeditSize + 0x3fffn) / 0x4000n) * 0x4000n, linkedit + 32);

  const adHoc = 2;
  const numbers = [CODE_DIRECTORY, directory.length, 0x20400, adHoc, hashesAt, HEADER, 0, slots, end];
  for (const [index, number] of numbers.entries()) directory.writeUInt32BE(number, index * 4);
  // The size of a hash and its kind (SHA-256), then the page's size as a power of two.
  directory.set([32, 2, 0, Math.log2(PAGE)], 36);
  // The segment that runs: all of __TEXT, of a main program.
  directory.writeBigUInt64BE(file.readBigUInt64LE(text + 48), 72);
  directory.writeBigUInt64BE(1n, 80);
  directory.write(identifier, HEADER, 'latin1');
  Buffer.concat(pageHashes(file, 0, end)).copy(directory, hashesAt);

  for (const [index, number] of [SUPER_BLOB, 20 + directory.length, 1, 0, 20].entries())
    file.writeUInt32BE(number, end + index * 4);
  directory.copy(file, end + 20);
  return file;
}

/**
 * Tells the identifier that a file is signed with.
 * @param {Buffer} file
 * @throws if a page is not what was signed, as `codesign --verify` would say
 */
export function verifySignature(file) {
  const { end } = layoutOf(file);
  const directory = file.subarray(end + file.readUInt32BE(end + 16));
  if (file.readUInt32BE(end) !== SUPER_BLOB || directory.readUInt32BE(0) !== CODE_DIRECTORY)
    throw new Error('no code directory');
  const hashesAt = directory.readUInt32BE(16);
  const limit = directory.readUInt32BE(32);
  const wrong = pageHashes(file, 0, limit).filter(
    (hash, page) => !hash.equals(directory.subarray(hashesAt + page * 32, hashesAt + page * 32 + 32)),
  );
  if (limit !== end || wrong.length > 0) throw new Error(`${wrong.length} pages are not what was signed`);
  const at = directory.readUInt32BE(20);
  return directory.toString('latin1', at, directory.indexOf(0, at));
}

/** Returns the platform that a file is for, its libc aside, by its header: ELF, Mach-O or PE. @param {Buffer} file */
export function machineOf(file) {
  const first = file.readUInt32BE(0);
  /** @type {Record<number, string>} */
  const elf = { 62: 'linux-x64', 183: 'linux-arm64' };
  /** @type {Record<number, string>} */
  const machO = { 16777223: 'darwin-x64', 16777228: 'darwin-arm64' };
  /** @type {Record<number, string>} */
  const pe = { 34404: 'windows-x64', 43620: 'windows-arm64' };
  if (first === 0x7f454c46) return elf[file.readUInt16LE(18)];
  if (file.readUInt32LE(0) === 0xfeedfacf) return machO[file.readUInt32LE(4)];
  if (file.toString('latin1', 0, 2) === 'MZ') return pe[file.readUInt16LE(file.readUInt32LE(60) + 4)];
  return undefined;
}
