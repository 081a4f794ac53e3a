/** The compiled code that the package's launcher gives to V8, which skips compiling if it accepts the code. */
import { readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { startTokenEndpoint, type TokenEndpoint } from '../harness/endpoints/token-endpoint';
import { inVariables } from '../harness/homes/client';
import { openDirectory } from '../harness/homes/directory';
import { openHome } from '../harness/homes/home';
import { copyProgram } from '../harness/programs/program-copy';

const LOADED = ['cli', 'get-token', 'http', 'lock', 'program', 'rolldown-runtime'].map(
  (name) => `${name}.cjs`,
);

let endpoint: TokenEndpoint;
beforeAll(async () => {
  endpoint = await startTokenEndpoint();
});

/** Copies the built package, so that a test can damage its compiled code. */
function openCopy() {
  const { dir } = copyProgram(undefined);
  const dist = join(dir, 'dist');
  const names = readdirSync(dist).filter((name) => name.includes('.cjs.'));
  return { dist, compiled: names.map((name) => join(dist, name)) };
}

/** Runs `get` with nothing cached by this Node. Resolves with its result, and what V8 does with each file. */
async function getFrom(dist: string, nodeOptions = '') {
  const dir = openDirectory();
  const [preload, list] = [join(dir, 'preload.cjs'), join(dir, 'list')];
  writeFileSync(
    preload,
    `const vm = require('node:vm');
     const { basename } = require('node:path');
     vm.Script = class extends vm.Script {
       constructor(source, options) {
         super(source, options);
         const use = options.cachedData === undefined ? 'none' : this.cachedDataRejected ? 'rejected' : 'accepted';
         require('node:fs').appendFileSync(${JSON.stringify(list)}, basename(options.filename) + ' ' + use + '\\n');
       }
     };`,
  );
  const home = openHome(inVariables(endpoint.authUrl));
  const program = [process.execPath, '--require', preload, join(dist, 'gwtoken.cjs')] as const;
  const result = await home.gwtoken(['get'], { program, env: { NODE_OPTIONS: nodeOptions } });
  return { ...result, uses: readFileSync(list, 'utf8').trimEnd().split('\n').sort() };
}

const eachWith = (use: string) => LOADED.map((name) => `${name} ${use}`);

test('V8 accepts the compiled code of all files that a cold get loads', async () => {
  const { dist, compiled } = openCopy();
  expect(compiled.map((path) => basename(path).replace(/\.cjs\..*/, '.cjs')).sort()).toEqual(LOADED);
  expect(await getFrom(dist)).toMatchObject({ code: 0, stderr: '', uses: eachWith('accepted') });
});

test('gwtoken works if a V8 flag makes V8 reject the compiled code', async () => {
  const { dist } = openCopy();
  const run = await getFrom(dist, '--stack-trace-limit=20');
  expect(run).toMatchObject({ code: 0, stderr: '', uses: eachWith('rejected') });
});

/** Overwrites bytes of a file with two copies of the code. `place` is 0 at its start and 1 at its end. */
function overwrite(path: string, place: number, bytes: Uint8Array): void {
  const content = readFileSync(path);
  content.set(bytes, Math.floor(content.length * place));
  writeFileSync(path, content);
}

function rename(path: string, from: string, to: string): void {
  expect(path).toContain(from);
  renameSync(path, path.replace(from, to));
}

const [own, otherArch] = [`-${process.arch}-`, process.arch === 'x64' ? '-arm64-' : '-x64-'];
const DAMAGES: Readonly<Record<string, (path: string) => void>> = {
  'is missing': (path) => rmSync(path),
  'is empty': (path) => truncateSync(path),
  'is cut in half': (path) => truncateSync(path, readFileSync(path).length / 2),
  'lacks its last byte': (path) => truncateSync(path, readFileSync(path).length - 1),
  'has a changed byte in its first copy': (path) => overwrite(path, 0.3, Uint8Array.of(1, 2, 3)),
  'has zeros in its second copy': (path) => overwrite(path, 0.8, new Uint8Array(500)),
  'is for another architecture': (path) => rename(path, own, otherArch),
  'is for another version of Node': (path) => rename(path, process.version, 'v20.19.0'),
  'is for another V8': (path) => rename(path, process.versions.v8, '11.3.244.8-node.1'),
};

test('gwtoken works if compiled code is missing, damaged or for another Node', async () => {
  const waiting = Object.entries(DAMAGES);
  while (waiting.length > 0) {
    const { dist, compiled } = openCopy();
    // Damages each file in another way, and removes the rest.
    const damaged = compiled.map((path) => {
      const [name, damage] = waiting.shift() ?? ['is missing', rmSync];
      damage(path);
      return `${basename(path)} ${name}`;
    });
    const run = await getFrom(dist);
    const token = expect.stringMatching(/^token-\d+\n$/);
    expect(run, String(damaged)).toMatchObject({ code: 0, stderr: '', stdout: token });
    const used = run.uses.filter((use) => !use.endsWith(' none') && !use.endsWith(' rejected'));
    expect(used, String(damaged)).toEqual([]);
  }
});

test('a stack trace has the same positions as without the launcher', async () => {
  const { dist } = openCopy();
  const fault = join(dist, 'fault.cjs');
  writeFileSync(fault, "Date.now = () => { throw new TypeError('a fault'); };");
  const framesOf = async (file: string) => {
    const home = openHome(inVariables(endpoint.authUrl));
    const program = [process.execPath, '--require', fault, join(dist, file)] as const;
    const { code, stderr } = await home.gwtoken(['get'], { program });
    expect(code).toBe(1);
    return [...stderr.matchAll(/([\w-]+\.cjs:\d+:\d+)\)?$/gm)].map(([, place]) => place);
  };
  const frames = await framesOf('gwtoken.cjs');
  expect(frames).toContainEqual(expect.stringMatching(/^(cli|get-token|program)\.cjs:\d+:\d+$/));
  expect(frames).toEqual(await framesOf('program.cjs'));
});
