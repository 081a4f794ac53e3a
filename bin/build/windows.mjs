// The properties of an .exe on Windows, in Bun's runtime, which otherwise says that it is Bun by Oven. Bun's
// own flags for it work on Windows only.

/** @param {string} text */
const utf16 = (text) => Buffer.from(`${text}\0`, 'utf16le');
/** @param {Buffer} bytes */
const aligned = (bytes) => Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)]);
const NONE = Buffer.alloc(0);

/**
 * Returns a part of a version resource (VS_VERSIONINFO): three numbers, its key, its value and its parts.
 * @param {string} key
 * @param {Buffer | string} value
 * @param {Buffer[]} parts
 */
function part(key, value, ...parts) {
  const [bytes, length, isText] =
    typeof value === 'string' ? [utf16(value), value.length + 1, 1] : [value, value.length, 0];
  const head = aligned(Buffer.concat([Buffer.alloc(6), utf16(key)]));
  const all = Buffer.concat([head, aligned(bytes), ...parts]);
  for (const [index, number] of [all.length, length, isText].entries()) all.writeUInt16LE(number, index * 2);
  return all;
}

/**
 * Writes gwtoken's properties in the place of Bun's.
 * @param {Buffer} runtime
 * @param {string} version
 */
export function nameForWindows(runtime, version) {
  // With the zeros that fill its place and the first word of its value: the name alone is elsewhere too.
  const key = Buffer.concat([utf16('VS_VERSION_INFO\0'), Buffer.from('bd04effe', 'hex')]);
  const at = runtime.indexOf(key) - 6; // its three numbers come first
  const old = runtime.subarray(at, at + runtime.readUInt16LE(at));
  const fixed = Buffer.from(old.subarray(40, 92)); // VS_FIXEDFILEINFO
  const [major = 0, minor = 0, patch = 0] = version.split(/[.-]/).map(Number);
  // The file's and the product's.
  for (const [index, number] of [minor, major, 0, patch, minor, major, 0, patch].entries())
    fixed.writeUInt16LE(number, 8 + index * 2);
  const texts = {
    ProductName: 'gwtoken',
    FileDescription: 'OAuth 2.0 access tokens',
    FileVersion: version,
    ProductVersion: version,
    InternalName: 'gwtoken',
    OriginalFilename: 'gwtoken.exe',
    LegalCopyright: 'MIT License',
  };
  const strings = Object.entries(texts).map(([name, text]) => part(name, text));
  const language = old.subarray(old.indexOf(utf16('VarFileInfo')) - 6);
  const table = part('StringFileInfo', NONE, part('040904b0', NONE, ...strings));
  const info = part('VS_VERSION_INFO', fixed, table, language);
  if (info.length > old.length) throw new Error(`the properties take ${info.length} bytes of ${old.length}`);
  old.fill(0).set(info);
}
