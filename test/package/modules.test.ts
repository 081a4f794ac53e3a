import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import {
  type ScriptedEndpoint,
  startScriptedEndpoint,
  tokenReply,
} from '../harness/endpoints/scripted-endpoint';
import {
  type ClientHome,
  clientHome,
  keychainEntry,
  putEntry,
  withoutVariables,
} from '../harness/homes/client-home';
import { inherited, PROGRAM } from '../harness/programs/program';

/**
 * Time cannot be asserted on a machine that does other things too; what is loaded can. The goal of a warm `get` is
 * the time that Node takes to start, so it loads nothing that an empty program does not load.
 */
const homes: ClientHome[] = [];
const endpoints: ScriptedEndpoint[] = [];
afterEach(async () => {
  for (const { home } of homes.splice(0)) home.remove();
  for (const endpoint of endpoints.splice(0)) await endpoint.close();
});
function open(authUrl: string): ClientHome {
  const home = clientHome(authUrl);
  homes.push(home);
  return home;
}

interface Loaded {
  /** Node's own, as `process.moduleLoadList` names them. */
  readonly internal: string[];
  /** Ours, by their path below the package. */
  readonly files: string[];
  readonly stdout: string;
}

/** Runs a CommonJS program with a listener for its end, which is loaded in the same way for all. */
function loadedBy(home: ClientHome, env: Record<string, string>, program: string, ...args: string[]): Loaded {
  const listener = join(home.home.dir, 'listener.cjs');
  const list = join(home.home.dir, 'loaded.json');
  writeFileSync(
    listener,
    `process.once('exit', () => require('node:fs').writeFileSync(${JSON.stringify(list)}, JSON.stringify({
      internal: process.moduleLoadList, files: Object.keys(require.cache) })));`,
  );
  const options = { env: { ...inherited(), ...env }, encoding: 'utf8' } as const;
  const stdout = execFileSync(process.execPath, ['--require', listener, program, ...args], options);
  const root = dirname(dirname(PROGRAM));
  const { internal, files } = JSON.parse(readFileSync(list, 'utf8')) as Omit<Loaded, 'stdout'>;
  return {
    internal,
    stdout,
    files: files
      .filter((file) => file.startsWith(root))
      .map((file) => file.slice(root.length + 1).replaceAll('\\', '/')),
  };
}

function emptyProgram(home: ClientHome): string {
  const file = join(home.home.dir, 'empty.cjs');
  writeFileSync(file, "require('node:fs');\n");
  return file;
}

test('a warm get of a keychain client loads what an empty program loads, and one file of ours', () => {
  const home = open('https://identity.example.com');
  putEntry(home, keychainEntry('https://identity.example.com'));
  const empty = loadedBy(home, home.env, emptyProgram(home));
  const warm = loadedBy(home, withoutVariables(home), PROGRAM, 'get');

  expect(warm.stdout).toBe('cached-token\n');
  expect(warm.files).toEqual(['dist/gwtoken.cjs']);
  expect(warm.internal.filter((module) => !empty.internal.includes(module))).toEqual([]);
});

test('a warm get of a client in variables loads node:crypto besides, and nothing else', async () => {
  const endpoint = await startScriptedEndpoint(tokenReply);
  endpoints.push(endpoint);
  const home = open(endpoint.authUrl);
  expect(await home.gwtoken(['get'])).toMatchObject({ code: 0, stdout: 'token-1\n', stderr: '' });

  const crypto = join(home.home.dir, 'crypto.cjs');
  writeFileSync(crypto, "require('node:fs'); require('node:crypto').createHmac('sha256', 'key').digest();\n");
  const allowed = loadedBy(home, home.env, crypto);
  const warm = loadedBy(home, home.env, PROGRAM, 'get');

  expect(warm.stdout).toBe('token-1\n');
  expect(endpoint.posts.length).toBe(1);
  expect(warm.files).toEqual(['dist/gwtoken.cjs']);
  expect(warm.internal.filter((module) => !allowed.internal.includes(module))).toEqual([]);
  expect(warm.internal.join()).toMatch(/crypto/);
});

test('a warm env loads one file more, with the formats', () => {
  const home = open('https://identity.example.com');
  putEntry(home, keychainEntry('https://identity.example.com'));
  const empty = loadedBy(home, home.env, emptyProgram(home));
  const warm = loadedBy(home, withoutVariables(home), PROGRAM, 'env');

  expect(warm.stdout).toContain("GWTOKEN_ACCESS_TOKEN='cached-token';");
  expect(warm.files).toEqual(['dist/gwtoken.cjs', 'dist/env-output.cjs']);
  expect(warm.internal.filter((module) => !empty.internal.includes(module))).toEqual([]);
});

test('--help loads the command line, which is seen, and neither sockets nor child processes', () => {
  const home = open('http://127.0.0.1:1');
  const empty = loadedBy(home, home.env, emptyProgram(home));
  const help = loadedBy(home, home.env, PROGRAM, '--help');
  expect(help.files.toSorted()).toEqual([
    'dist/cli.cjs',
    'dist/env-output.cjs',
    'dist/gwtoken.cjs',
    'dist/rolldown-runtime.cjs',
  ]);
  expect(help.internal.filter((module) => !empty.internal.includes(module))).toEqual([
    'NativeModule process',
  ]);
});
