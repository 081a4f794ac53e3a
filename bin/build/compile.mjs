// Stores the code that V8 compiles, for bin/launcher.ts. V8 compiles most functions when they are called, so
// this module runs the program and is also preloaded into it, where it stores the code at the exit.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import v8 from 'node:v8';
import vm from 'node:vm';

/** Runs a built package's program with the most frequent commands. @param {string} directory */
export async function compilePackage(directory) {
  const reply = '{"access_token":"token","token_type":"bearer","expires_in":3600}';
  const endpoint = createServer((_, response) => response.end(reply)).listen(0, '127.0.0.1');
  await once(endpoint, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (endpoint.address());
  const cache = join(directory, 'cache');
  const client = { GWTOKEN_REGION: 'eu', GWTOKEN_CLIENT_ID: 'client', GWTOKEN_CLIENT_SECRET: 'secret' };
  const directories = { GWTOKEN_CONFIG_DIR: cache, GWTOKEN_CACHE_DIR: cache };
  // Sockets of Windows need SystemRoot. NODE_OPTIONS is left out because it may set flags of V8.
  const { SystemRoot } = process.env;
  const env = { ...client, ...directories, GWTOKEN_AUTH_URL: `http://127.0.0.1:${port}`, SystemRoot };
  // The second `get` finds the token that the first has cached. Each run adds the functions that it calls.
  for (const command of ['--help', 'get', 'get', 'env']) {
    const args = ['--import', import.meta.url, join(directory, 'gwtoken.cjs'), command];
    await promisify(execFile)(process.execPath, args, { env });
  }
  endpoint.close();
  rmSync(cache, { recursive: true });
}

if (process.execArgv.includes(import.meta.url)) {
  const { arch, execPath, version, versions } = process;
  const suffix = `${version}-${versions.v8}-${arch}-${statSync(execPath).size}`;
  vm.Script = class extends vm.Script {
    /** @param {string} source @param {vm.ScriptOptions & { filename: string }} options */
    constructor(source, options) {
      // Node 20 shows this name in stack traces. With a slice of the path V8 would store the whole path.
      super(source, { ...options, filename: String(Buffer.from(basename(options.filename))) });
      process.on('exit', () => {
        const code = this.createCachedData();
        // bin/launcher.ts compares the two copies, to detect a damaged file.
        writeFileSync(`${options.filename}.${suffix}`, Buffer.concat([code, code]));
      });
    }
  };
  // V8 rejects code that was stored under other flags; the program sets one after it has loaded these files.
  v8.setFlagsFromString = () => {};
}
