#!/usr/bin/env node
/**
 * Starts the npm package's program with the code that V8 compiled when the package was built. If that code is
 * missing, damaged or for another Node, V8 compiles the files, which takes a quarter of a cold `get`.
 */
import { readFileSync, statSync } from 'node:fs';
import { Script } from 'node:vm';

/** Wraps each file in a function as Node does. `columnOffset` hides the wrapper from stack traces. */
const WRAPPER = '(function (exports, require, module, __filename, __dirname) {';
const loaded = new Map<string, object>();

function load(id: string): unknown {
  if (!id.startsWith('./')) return require(id);
  const filename = `${__dirname}${id.slice(1)}`;
  const known = loaded.get(filename);
  if (known !== undefined) return known;
  const exports = {};
  loaded.set(filename, exports);
  const options = { filename, columnOffset: -WRAPPER.length, ...compiledCode(filename) };
  const script = new Script(`${WRAPPER}${readFileSync(filename, 'utf8')}\n})`, options);
  script.runInThisContext()(exports, load, { exports }, filename, __dirname);
  return exports;
}

/**
 * Returns the code that bin/build/compile.mjs stored. V8 rejects it if V8's flags differ, but crashes if it
 * is damaged or if another build of Node 20 stored it. So it is stored twice (comparing takes a tenth of the
 * time of a checksum), and its name contains the size of Node's executable.
 */
function compiledCode(file: string): { cachedData: Buffer } | undefined {
  const { arch, execPath, version, versions } = process;
  try {
    const copies = readFileSync(`${file}.${version}-${versions.v8}-${arch}-${statSync(execPath).size}`);
    const cachedData = copies.subarray(0, copies.length / 2);
    return cachedData.equals(copies.subarray(cachedData.length)) ? { cachedData } : undefined;
  } catch {
    return undefined;
  }
}

// Checked before anything is loaded, because all other files rely on Node's version.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major > 20 || (major === 20 && minor >= 19)) load('./program.cjs');
else {
  process.stderr.write(`gwtoken: error: gwtoken needs Node.js 20.19 or later; this is ${process.version}\n`);
  process.exitCode = 2;
}
