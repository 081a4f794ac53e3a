/** The modules that the package loads when it starts. A test cannot assert the time that the start takes. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bundleExecutable } from '../../bin/build/executable.mjs';
import { startTokenEndpoint } from '../harness/endpoints/token-endpoint';
import { inVariables, keychainEntry, putEntry, withoutVariables } from '../harness/homes/client';
import { openDirectory } from '../harness/homes/directory';
import { openHome } from '../harness/homes/home';
import { inherited, PROGRAM } from '../harness/programs/program';
import { ROOT } from '../harness/root';

/** Disables the signal that opens Node's debugger, as gwtoken does. This alone loads modules. */
const EMPTY = "require('node:fs'); process.on('SIGUSR1', String).off('SIGUSR1', String);";

/** Runs a CommonJS program. Returns its output, its files, and Node's modules that an empty program does not load. */
function loadedBy(own: Readonly<Record<string, string>>, program: string, ...args: string[]) {
  const dir = openDirectory();
  const at = (name: string) => join(dir, name);
  // The launcher reads the program's files itself, so require.cache does not contain them.
  writeFileSync(
    at('listener.cjs'),
    `const fs = require('node:fs');
     const { readFileSync } = fs;
     const read = [];
     fs.readFileSync = (path, ...rest) => {
       read.push(path);
       return readFileSync(path, ...rest);
     };
     process.once('exit', () => {
       const modules = read.filter((path) => String(path).endsWith('.cjs'));
       const files = [...new Set([...Object.keys(require.cache), ...modules])];
       const list = { internal: process.moduleLoadList, files };
       fs.writeFileSync(${JSON.stringify(at('list'))}, JSON.stringify(list));
     });`,
  );
  writeFileSync(at('empty.cjs'), EMPTY);
  const run = (...words: string[]) => {
    const env = { ...inherited(), ...own };
    const stdout = execFileSync(process.execPath, ['-r', at('listener.cjs'), ...words], { env });
    return { stdout: String(stdout), ...JSON.parse(readFileSync(at('list'), 'utf8')) };
  };
  const empty: string[] = run(at('empty.cjs')).internal;
  const { stdout, internal, files } = run(program, ...args);
  return {
    stdout,
    added: internal.filter((module: string) => !empty.includes(module)),
    files: (files as string[])
      .filter((file) => file.startsWith(ROOT))
      .map((file) => file.slice(ROOT.length + 1).replaceAll('\\', '/'))
      .sort(),
  };
}

test.each([
  ['get', false],
  ['env', false],
  // node:crypto is not loaded, although an HMAC is computed.
  ['get', true],
] as const)(
  'a warm %s (client in variables: %s) loads two files of the package and node:vm',
  async (command, isInVariables) => {
    const { authUrl } = await startTokenEndpoint();
    const home = openHome(inVariables(authUrl));
    if (isInVariables) await home.gwtoken(['get']);
    else putEntry(home.cache, keychainEntry(authUrl, { accessToken: 'token-1' }));
    const env = isInVariables ? home.env : withoutVariables(home.env);
    const stdout = expect.stringContaining('token-1');
    expect(loadedBy(env, PROGRAM, command)).toEqual({
      stdout,
      added: ['NativeModule vm'],
      files: ['dist/gwtoken.cjs', 'dist/program.cjs'],
    });
  },
);

test('--help loads neither sockets nor child processes', () => {
  const { env } = openHome(inVariables('http://127.0.0.1:1'));
  expect(loadedBy(env, PROGRAM, '--help')).toMatchObject({
    added: ['NativeModule vm', 'NativeModule process'],
    files: ['dist/cli.cjs', 'dist/gwtoken.cjs', 'dist/program.cjs', 'dist/rolldown-runtime.cjs'],
  });
});

test("the keychain's child loads only its own file", () => {
  // Without a channel to a parent the child ends at once.
  const loaded = loadedBy({}, join(ROOT, 'dist', 'keychain-child.cjs'));
  expect(loaded).toMatchObject({ files: ['dist/keychain-child.cjs'], stdout: '' });
});

test('a warm get of the executable loads only node:fs and node:path', async () => {
  const output = await bundleExecutable(openDirectory(), true);
  const chunks = new Map(output.map((chunk) => [chunk.fileName, chunk.type === 'chunk' ? chunk : undefined]));
  /** Returns the modules that a file requires when it is loaded, and those that they require. */
  const required = (file: string, seen = new Set<string>()): Set<string> => {
    if (seen.has(file)) return seen;
    seen.add(file);
    for (const name of chunks.get(file)?.imports ?? []) required(name, seen);
    return seen;
  };
  const warm = [...required('executable.cjs'), ...required('program.cjs')];
  expect(warm.filter((name) => !chunks.has(name)).sort()).toEqual(['node:fs', 'node:path']);
  expect(warm.length).toBeGreaterThan(3);
  const ofChild = [...required('keychain-child.cjs')].filter((name) => chunks.has(name));
  expect(ofChild).toEqual(['keychain-child.cjs']);
});
