/** The modules that a start of the package loads, since the time that it takes cannot be asserted. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bundleExecutable } from '../../bin/build/executable.mjs';
import { startTokenEndpoint } from '../harness/endpoints/token-endpoint';
import { inVariables, keychainEntry, putEntry, withoutVariables } from '../harness/homes/client';
import { openFolder } from '../harness/homes/folder';
import { type Home, openHome } from '../harness/homes/home';
import { inherited, PROGRAM } from '../harness/programs/program';
import { ROOT } from '../harness/root';

interface Loaded {
  /** Node's own, as `process.moduleLoadList` names them. */
  readonly internal: string[];
  /** Ours, by their path below the package. */
  readonly files: string[];
  readonly stdout: string;
}

/** Runs a CommonJS program with a listener for its end, which is loaded in the same way for all. */
function loadedBy(home: Home, env: Record<string, string>, program: string, ...args: string[]): Loaded {
  const listener = join(home.dir, 'listener.cjs');
  const list = join(home.dir, 'loaded.json');
  writeFileSync(
    listener,
    `process.once('exit', () => require('node:fs').writeFileSync(${JSON.stringify(list)}, JSON.stringify({
      internal: process.moduleLoadList, files: Object.keys(require.cache) })));`,
  );
  const options = { env: { ...inherited(), ...env }, encoding: 'utf8' } as const;
  const stdout = execFileSync(process.execPath, ['--require', listener, program, ...args], options);
  const { internal, files } = JSON.parse(readFileSync(list, 'utf8')) as Omit<Loaded, 'stdout'>;
  return {
    internal,
    stdout,
    files: files
      .filter((file) => file.startsWith(ROOT))
      .map((file) => file.slice(ROOT.length + 1).replaceAll('\\', '/')),
  };
}

/** Deaf to the signal that opens Node's debugger, as gwtoken is: nothing else is loaded for that. */
const EMPTY = "require('node:fs'); process.on('SIGUSR1', String).off('SIGUSR1', String);";

function emptyProgram(home: Home): string {
  const file = join(home.dir, 'empty.cjs');
  writeFileSync(file, `${EMPTY}\n`);
  return file;
}

test.each([
  ['get', 'cached-token\n', ['dist/gwtoken.cjs']],
  ['env', "GWTOKEN_ACCESS_TOKEN='cached-token';", ['dist/gwtoken.cjs', 'dist/env.cjs']],
])(
  'a warm %s of a keychain client loads what an empty program loads, and no file of ours but its own',
  (command, printed, files) => {
    const home = openHome(inVariables('https://identity.example.com'));
    putEntry(home.cache, keychainEntry('https://identity.example.com'));
    const empty = loadedBy(home, home.env, emptyProgram(home));
    const warm = loadedBy(home, withoutVariables(home.env), PROGRAM, command);

    expect(warm.stdout).toContain(printed);
    expect(warm.files).toEqual(files);
    expect(warm.internal.filter((module) => !empty.internal.includes(module))).toEqual([]);
  },
);

test('a warm get of a client in variables loads no more than that, for all that it computes an HMAC', async () => {
  const endpoint = await startTokenEndpoint();
  const home = openHome(inVariables(endpoint.authUrl));
  expect(await home.gwtoken(['get'])).toMatchObject({ code: 0, stdout: 'token-1\n', stderr: '' });

  const empty = loadedBy(home, home.env, emptyProgram(home));
  const warm = loadedBy(home, home.env, PROGRAM, 'get');

  expect(warm.stdout).toBe('token-1\n');
  expect(endpoint.posts.length).toBe(1);
  expect(warm.files).toEqual(['dist/gwtoken.cjs']);
  expect(warm.internal.filter((module) => !empty.internal.includes(module))).toEqual([]);
});

test('--help loads the command line, which is seen, and neither sockets nor child processes', () => {
  const home = openHome(inVariables('http://127.0.0.1:1'));
  const empty = loadedBy(home, home.env, emptyProgram(home));
  const help = loadedBy(home, home.env, PROGRAM, '--help');
  expect(help.files.toSorted()).toEqual(['dist/cli.cjs', 'dist/gwtoken.cjs', 'dist/rolldown-runtime.cjs']);
  expect(help.internal.filter((module) => !empty.internal.includes(module))).toEqual([
    'NativeModule process',
  ]);
});

test("the keychain's child loads its own file alone, and not the program", () => {
  const home = openHome();
  const file = join(ROOT, 'dist', 'keychain-child.cjs');
  // Started by hand it has no channel, and ends.
  expect(loadedBy(home, home.env, file)).toMatchObject({ files: ['dist/keychain-child.cjs'], stdout: '' });
});

test('a warm get of the executable loads no module of Node but node:fs and node:path, and its child does not load the program', async () => {
  const output = await bundleExecutable(openFolder(), true);
  const chunks = new Map(output.map((chunk) => [chunk.fileName, chunk.type === 'chunk' ? chunk : undefined]));
  /** What a file requires when it is loaded, and what those require. */
  const required = (file: string, seen = new Set<string>()): Set<string> => {
    if (seen.has(file)) return seen;
    seen.add(file);
    for (const name of chunks.get(file)?.imports ?? []) required(name, seen);
    return seen;
  };
  const warm = [...required('executable.cjs'), ...required('gwtoken.cjs')];
  expect(warm.filter((name) => !chunks.has(name)).sort()).toEqual(['node:fs', 'node:path']);
  expect(warm.length).toBeGreaterThan(3);
  const ofChild = [...required('keychain-child.cjs')].filter((name) => chunks.has(name));
  expect(ofChild).toEqual(['keychain-child.cjs', 'rolldown-runtime.cjs']);
});
