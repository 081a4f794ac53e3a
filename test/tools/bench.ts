/** Times gwtoken beside `node -e 0` in rounds, each command once, in an order by chance; prints Markdown. */
import { rmSync } from 'node:fs';
import { cpus, loadavg, release, type } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildExecutables, buildPackage } from '../harness/builds.mjs';
import { cleanUp } from '../harness/clean-up';
import { makeAuthority } from '../harness/endpoints/authority';
import { startTokenEndpoint, type TokenEndpoint, tokenReply } from '../harness/endpoints/token-endpoint';
import { inVariables, keychainEntry, putEntry, withoutVariables } from '../harness/homes/client';
import { type Home, openHome } from '../harness/homes/home';
import { startKeyring } from '../harness/keyrings/keyring';
import { missing } from '../harness/needs';
import { fetchNode } from '../harness/programs/node-versions.mjs';
import { executable, PROGRAM, runCommand, type Words } from '../harness/programs/program';

const { values } = parseArgs({
  options: {
    'all-nodes': { type: 'boolean', default: false },
    rounds: { type: 'string', default: '40' },
  },
});
const rounds = Number(values.rounds);
const TOKEN = /^[!-~]{1200}\n$/;

/** One command line that is timed from its start to its end; it has to print what is expected. */
interface Timed {
  readonly name: string;
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly expected: RegExp;
  /** Done before each run, and not timed. */
  readonly prepare?: () => void;
}

interface Place {
  readonly home: Home;
  /** Where a client is logged in; undefined if there is no keychain. */
  readonly loggedIn: Home | undefined;
  readonly endpoint: TokenEndpoint;
  /** The same without TLS. */
  readonly plain: TokenEndpoint;
  readonly caFile: string;
}

bench().finally(cleanUp);

async function bench(): Promise<void> {
  buildPackage();
  await buildExecutables();
  const authority = makeAuthority();
  const reply = (post: number) => tokenReply(`token-${post}`.padEnd(1200, '.'));
  const endpoint = await startTokenEndpoint(reply, authority.issue());
  const plain = await startTokenEndpoint(reply);
  const { caFile } = authority;
  const withoutKeychain = missing('keyring');
  const loggedIn =
    withoutKeychain === undefined ? openHome((await startKeyring({ state: 'unlocked' })).env) : undefined;
  await loggedIn?.login({ authUrl: endpoint.authUrl, flags: ['--ca-file', caFile] });
  const place: Place = { home: openHome(), loggedIn, endpoint, plain, caFile };

  say(`${cpus()[0]?.model.trim()}, ${cpus().length} processors, ${type()} ${release()}; ${rounds} rounds.`);
  const load = loadavg()[0] ?? 0;
  if (load > 0.5) say(`**The machine was doing other things (load ${load.toFixed(1)}): not for quoting.**`);
  if (withoutKeychain !== undefined) say(`Without a keychain: ${withoutKeychain}.`);

  const own = Number(process.versions.node.split('.')[0]);
  for (const major of values['all-nodes'] ? [20, 22, 24, 26] : [own]) {
    const node = fetchNode(major);
    if (node === undefined) {
      say(`\nNode ${major}: left out, npm's registry has none for this platform or was not reached.`);
      continue;
    }
    say(`\n### Node ${major}\n`);
    const base: Timed = { name: '`node -e 0`', words: [node, '-e', '0'], env: {}, expected: /^$/ };
    // The executable does not change with Node.
    const ofExecutable = major === own ? [...paths([executable()], place, ', executable'), peer(place)] : [];
    await measure([base, ...paths([node, PROGRAM], place), ...ofExecutable]);
    await crowd([node, PROGRAM], place, '');
    if (major === own) await crowd([executable()], place, ' of the executable');
  }
}

/** The paths that are told of, for a form of the program; `mark` ends their names. */
function paths(words: Words, { home, loggedIn, endpoint, plain, caFile }: Place, mark = ''): Timed[] {
  const cacheIn = (name: string) => ({ XDG_CACHE_HOME: join(home.dir, name) });
  const sources = { ...home.env, ...inVariables(endpoint.authUrl), GWTOKEN_CA_FILE: caFile };
  const stored = { ...withoutVariables(sources), ...cacheIn('stored') };
  const accessToken = 'stored-token'.padEnd(1200, '.');
  const entry = keychainEntry(endpoint.authUrl, { accessToken, lifetimeS: 24 * 3600 });
  putEntry(join(stored.XDG_CACHE_HOME, 'gwtoken'), entry);
  const cold = cacheIn('cold');
  const prepare = () => rmSync(cold.XDG_CACHE_HOME, { recursive: true, force: true });

  const get = [...words, 'get'];
  const all: Timed[] = [
    { name: 'warm `get`, client in the keychain', words: get, env: stored, expected: TOKEN },
    {
      name: 'warm `get`, client in variables',
      words: get,
      env: { ...sources, ...cacheIn('given') },
      expected: TOKEN,
    },
    {
      name: 'warm `env`, client in the keychain',
      words: [...words, 'env'],
      env: stored,
      expected: /GWTOKEN_ACCESS_TOKEN/,
    },
    {
      name: 'cold `get` over http, client in variables',
      words: get,
      env: { ...home.env, ...inVariables(plain.authUrl), ...cold },
      expected: TOKEN,
      prepare,
    },
    {
      name: 'cold `get`, client in variables',
      words: get,
      env: { ...sources, ...cold },
      expected: TOKEN,
      prepare,
    },
    { name: '`--help`', words: [...words, '--help'], env: home.env, expected: /gwtoken/ },
  ];
  if (loggedIn) {
    const env = { ...loggedIn.env, GWTOKEN_CA_FILE: caFile, ...cold };
    all.push({ name: 'cold `get`, client in the keychain', words: get, env, expected: TOKEN, prepare });
  }
  return all.map((timed) => ({ ...timed, name: `${timed.name}${mark}` }));
}

/** What people do without gwtoken. */
function peer({ endpoint, caFile }: Place): Timed {
  const form = 'client_id=a&client_secret=b&grant_type=client_credentials';
  const curl = `curl -sS --cacert '${caFile}' -d '${form}' '${endpoint.authUrl}/oauth2/token' | jq -r .access_token`;
  return {
    name: '`curl` and `jq`, a request each time',
    words: ['sh', '-c', curl],
    env: {},
    expected: TOKEN,
  };
}

/** Times all commands and prints their medians, the first one being the base of the ratios. */
async function measure(all: readonly Timed[]): Promise<void> {
  const times = new Map<Timed, number[]>(all.map((each) => [each, []]));
  // Once untimed: the disk's cache is warm afterwards, and the token is where the warm runs find it.
  for (const each of all) await timeOf(each);
  for (let round = 0; round < rounds; round++)
    for (const each of shuffled(all)) times.get(each)!.push(await timeOf(each));
  const [bases = []] = times.values();
  say('| | ms | middle half | x `node -e 0` | more, ms |');
  say('| --- | ---: | ---: | ---: | ---: |');
  for (const [{ name }, own] of times) {
    const [low, median, high] = [0.25, 0.5, 0.75].map((part) => quantile(own, part).toFixed(1));
    const ratios = own.map((ms, round) => ms / bases[round]!);
    const more = own.map((ms, round) => ms - bases[round]!);
    say(
      `| ${name} | ${median} | ${low} to ${high} | ${quantile(ratios, 0.5).toFixed(2)} | ${quantile(more, 0.5).toFixed(1)} |`,
    );
  }
}

async function timeOf({ name, words, env, expected, prepare }: Timed): Promise<number> {
  prepare?.();
  const { code, stdout, stderr, ms } = await runCommand(words, { env });
  if (code !== 0 || !expected.test(stdout))
    throw new Error(`${name}: code ${code}, printed ${stdout}${stderr}`);
  return ms;
}

function shuffled<T>(items: readonly T[]): T[] {
  const left = [...items];
  return items.map(() => left.splice(Math.floor(Math.random() * left.length), 1)[0]!);
}

function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.round((sorted.length - 1) * part)] ?? Number.NaN;
}

/** 200 calls at once with an empty cache. */
async function crowd(words: Words, { home, endpoint, caFile }: Place, form: string): Promise<void> {
  const cache = join(home.dir, 'crowd');
  rmSync(cache, { recursive: true, force: true });
  const variables = inVariables(endpoint.authUrl);
  const env = { ...home.env, ...variables, GWTOKEN_CA_FILE: caFile, XDG_CACHE_HOME: cache };
  const before = endpoint.posts.length;
  const started = performance.now();
  const get = () => runCommand([...words, 'get'], { env, timeoutMs: 120_000 });
  const ended = await Promise.all(Array.from({ length: 200 }, get));
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const failures = ended.filter(({ code, stderr }) => code !== 0 || stderr !== '').length;
  const tokens = new Set(ended.map(({ stdout }) => stdout)).size;
  say(
    `\n200 parallel \`get\`${form} with an empty cache: requests at the endpoint ${endpoint.posts.length - before}, failures ${failures}, different tokens ${tokens}; all done after ${seconds} s.`,
  );
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
