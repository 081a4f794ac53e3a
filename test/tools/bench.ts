/** Times gwtoken and `node -e 0` in rounds, each command once in random order. Prints Markdown. */
import { rmSync } from 'node:fs';
import { cpus, loadavg, release, type } from 'node:os';
import { join } from 'node:path';
import { buildExecutables, buildPackage } from '../harness/builds.mjs';
import { cleanUp } from '../harness/clean-up';
import { makeAuthority } from '../harness/endpoints/authority';
import { startTokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { inVariables, putToken, withoutVariables } from '../harness/homes/client';
import { openHome } from '../harness/homes/home';
import { startKeyring } from '../harness/keyrings/keyring';
import { missing } from '../harness/needs';
import { executable, PROGRAM, runCommand, type Words } from '../harness/programs/program';

const ROUNDS = 40;
const NODE = process.execPath;
const TOKEN = /^[!-~]{1200}\n$/;

/** A command line that is timed from start to end, and has to print the expected text. */
interface Timed {
  readonly name: string;
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly expected: RegExp;
}

bench().finally(cleanUp);

async function bench(): Promise<void> {
  buildPackage();
  await buildExecutables();
  const authority = makeAuthority();
  const reply = (post: number) => tokenReply(`token-${post}`.padEnd(1200, '.'));
  const endpoint = await startTokenEndpoint(reply, authority.issue());
  const plain = await startTokenEndpoint(reply);
  const { env } = openHome();
  const fromVariables = { ...env, ...inVariables(endpoint.authUrl), GWTOKEN_CA_FILE: authority.caFile };
  const fromKeychain = { ...withoutVariables(fromVariables), XDG_CACHE_HOME: join(env['HOME']!, 'stored') };
  const accessToken = 'stored-token'.padEnd(1200, '.');
  const cache = join(fromKeychain.XDG_CACHE_HOME, 'gwtoken');
  putToken(cache, endpoint.authUrl, { accessToken, lifetimeS: 24 * 3600 });
  const emptyCache = { XDG_CACHE_HOME: join(env['HOME']!, 'cold') };

  /** Returns the timed command lines of a form of the program. `mark` ends their names. */
  const linesOf = (words: Words, mark = ''): Timed[] => {
    const get = (name: string, env: Readonly<Record<string, string>>): Timed => {
      return { name: `${name}${mark}`, words: [...words, 'get'], env, expected: TOKEN };
    };
    return [
      get('warm `get`, client in the keychain', fromKeychain),
      get('warm `get`, client in variables', fromVariables),
      { ...get('warm `env`', fromKeychain), words: [...words, 'env'], expected: /GWTOKEN_ACCESS_TOKEN/ },
      get('cold `get` over http, client in variables', {
        ...env,
        ...inVariables(plain.authUrl),
        ...emptyCache,
      }),
      get('cold `get`, client in variables', { ...fromVariables, ...emptyCache }),
      ...(loggedIn ? [get('cold `get`, client in the keychain', { ...loggedIn, ...emptyCache })] : []),
      { ...get('`--help`', env), words: [...words, '--help'], expected: /gwtoken/ },
    ];
  };
  const lacking = missing('keyring');
  const loggedIn = lacking === undefined ? await logIn(endpoint.authUrl, authority.caFile) : undefined;

  say(`${cpus()[0]?.model.trim()}, ${cpus().length} processors, ${type()} ${release()}; ${ROUNDS} rounds.`);
  const load = loadavg()[0] ?? 0;
  if (load > 0.5) say(`**The machine was doing other things (load ${load.toFixed(1)}): not for quoting.**`);
  if (lacking !== undefined) say(`Without a keychain: ${lacking}.`);
  const form = 'client_id=a&client_secret=b&grant_type=client_credentials';
  const curl = `curl -sS --cacert '${authority.caFile}' -d '${form}' '${endpoint.authUrl}/oauth2/token'`;
  await measure(
    [
      { name: '`node -e 0`', words: [NODE, '-e', '0'], env: {}, expected: /^$/ },
      ...linesOf([NODE, PROGRAM]),
      ...linesOf([executable()], ', executable'),
      // The usual script without gwtoken.
      {
        name: '`curl` and `jq`, a request each time',
        words: ['sh', '-c', `${curl} | jq -r .access_token`],
        env: {},
        expected: TOKEN,
      },
    ],
    () => rmSync(emptyCache.XDG_CACHE_HOME, { recursive: true, force: true }),
  );
}

/** Returns the environment of a client in a separate keychain. */
async function logIn(authUrl: string, caFile: string): Promise<Record<string, string>> {
  const home = openHome((await startKeyring({ state: 'unlocked' })).env);
  await home.login({ authUrl, flags: ['--ca-file', caFile] });
  return { ...home.env, GWTOKEN_CA_FILE: caFile };
}

/** Times all commands and prints their medians. Ratios are to the first one. */
async function measure(all: readonly Timed[], beforeEach: () => void): Promise<void> {
  const timeOf = async ({ name, words, env, expected }: Timed): Promise<number> => {
    beforeEach();
    const { code, stdout, stderr, ms } = await runCommand(words, { env });
    if (code === 0 && expected.test(stdout)) return ms;
    throw new Error(`${name}: code ${code}, printed ${stdout}${stderr}`);
  };
  const times = new Map<Timed, number[]>(all.map((each) => [each, []]));
  // Runs each once untimed, which fills the disk's cache and the token cache.
  for (const each of all) await timeOf(each);
  for (let round = 0; round < ROUNDS; round++)
    for (const each of shuffled(all)) times.get(each)!.push(await timeOf(each));
  const [bases = []] = times.values();
  say('\n| | ms | x `node -e 0` |\n| --- | ---: | ---: |');
  for (const [{ name }, own] of times) {
    const ratios = own.map((ms, round) => ms / bases[round]!);
    say(`| ${name} | ${median(own).toFixed(1)} | ${median(ratios).toFixed(2)} |`);
  }
}

function shuffled<T>(items: readonly T[]): T[] {
  const left = [...items];
  return items.map(() => left.splice(Math.floor(Math.random() * left.length), 1)[0]!);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
