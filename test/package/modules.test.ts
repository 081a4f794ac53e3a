/** The modules that the package loads when it starts. A test cannot assert the time that the start takes. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { startTokenEndpoint } from '../harness/endpoints/token-endpoint';
import { inVariables, putToken, withoutVariables } from '../harness/homes/client';
import { openDirectory } from '../harness/homes/directory';
import { openHome } from '../harness/homes/home';
import { inherited, PROGRAM } from '../harness/programs/program';
import { ROOT } from '../harness/root';

/** Runs a CommonJS program. Returns its output, Node's modules that it loaded, and its files. */
function runListening(own: Readonly<Record<string, string>>, ...words: string[]) {
  const dir = openDirectory();
  const [listener, list] = [join(dir, 'listener.cjs'), join(dir, 'list')];
  writeFileSync(
    listener,
    `process.once('exit', () => {
       const list = { internal: process.moduleLoadList, files: Object.keys(require.cache) };
       require('node:fs').writeFileSync(${JSON.stringify(list)}, JSON.stringify(list));
     });`,
  );
  const env = { ...inherited(), ...own };
  const stdout = String(execFileSync(process.execPath, ['-r', listener, ...words], { env }));
  const loaded: { internal: string[]; files: string[] } = JSON.parse(readFileSync(list, 'utf8'));
  return { stdout, ...loaded };
}

/** Node's modules that an empty program loads. */
let empty: readonly string[];
beforeAll(() => {
  // Disables the signal that opens Node's debugger, as gwtoken does. This alone loads modules.
  const program = join(openDirectory(), 'empty.cjs');
  writeFileSync(program, "require('node:fs'); process.on('SIGUSR1', String).off('SIGUSR1', String);");
  empty = runListening({}, program).internal;
});

/** Runs a CommonJS program. Returns its output, its files, and Node's modules that an empty program does not load. */
function loadedBy(own: Readonly<Record<string, string>>, program: string, ...args: string[]) {
  const { stdout, internal, files } = runListening(own, program, ...args);
  return {
    stdout,
    added: internal.filter((module) => !empty.includes(module)),
    files: files
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
  'a warm %s (client in variables: %s) loads one file of the package',
  async (command, isInVariables) => {
    const { authUrl } = await startTokenEndpoint();
    const home = openHome(inVariables(authUrl));
    if (isInVariables) await home.gwtoken(['get']);
    else putToken(home.cache, authUrl, { accessToken: 'token-1' });
    const env = isInVariables ? home.env : withoutVariables(home.env);
    const stdout = expect.stringContaining('token-1');
    expect(loadedBy(env, PROGRAM, command)).toEqual({
      stdout,
      added: [],
      files: ['dist/gwtoken.cjs'],
    });
  },
);

test('--help loads neither sockets nor child processes', () => {
  const { env } = openHome(inVariables('http://127.0.0.1:1'));
  expect(loadedBy(env, PROGRAM, '--help')).toMatchObject({
    added: ['NativeModule process'],
    files: ['cli', 'gwtoken', 'help', 'rolldown-runtime', 'topics'].map((name) => `dist/${name}.cjs`),
  });
});

test("the keychain's child loads only its own file", () => {
  // Without a channel to a parent the child ends at once.
  const loaded = loadedBy({}, join(ROOT, 'dist', 'keychain-child.cjs'));
  expect(loaded).toMatchObject({ files: ['dist/keychain-child.cjs'], stdout: '' });
});
