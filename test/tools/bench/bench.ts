/**
 * `npm run bench [-- --all-nodes] [--pairs N] [--no-peers]`: times gwtoken against what Node takes to start, and prints
 * the table as Markdown. Ratios are of neighbouring runs (measure.ts); absolute times are this machine's.
 */
import { execFileSync } from 'node:child_process';
import { cpus, loadavg, release, type } from 'node:os';
import { parseArgs } from 'node:util';
import { buildExecutables, buildPackage } from '../../harness/builds.mjs';
import { cleanUp } from '../../harness/clean-up';
import { makeAuthority } from '../../harness/endpoints/authority';
import { openHome } from '../../harness/homes/home';
import { startKeyring } from '../../harness/keyrings/keyring';
import { missing } from '../../harness/needs';
import { fetchNode } from '../../harness/programs/node-versions.mjs';
import { executable, inherited, PROGRAM, runProgram } from '../../harness/programs/program';
import { crowd } from './crowd';
import { startEndpoint } from './endpoint';
import { type Measured, measure, type Timed } from './measure';
import { CLIENT, type Place, paths } from './paths';
import { peers } from './peers';

const { values } = parseArgs({
  options: {
    'all-nodes': { type: 'boolean', default: false },
    pairs: { type: 'string', default: '40' },
    'no-peers': { type: 'boolean', default: false },
  },
});
const pairs = Number(values.pairs);
if (!Number.isInteger(pairs) || pairs < 1) throw new Error(`--pairs ${values.pairs}: use a number from 1`);

bench().finally(cleanUp);

async function bench(): Promise<void> {
  buildPackage();
  await buildExecutables();
  const authority = makeAuthority();
  const endpoint = await startEndpoint(authority.issue());
  const home = openHome();
  const keyring = await openKeyring(endpoint.authUrl, authority.caFile);
  const place: Place = { home, authUrl: endpoint.authUrl, caFile: authority.caFile, keyring };

  const own = Number(process.versions.node.split('.')[0]);
  const majors = values['all-nodes'] ? [...new Set([20, 22, 24, 26, own])].sort() : [own];
  const others = values['no-peers'] ? { found: [], missing: [] } : peers(place);
  say(
    `${cpus()[0]?.model.trim()}, ${cpus().length} processors, ${type()} ${release()}; ${pairs} rounds; medians.`,
  );
  say('Each round runs every command once, in an order by chance; a ratio is of two runs of one round.');
  const load = loadavg()[0] ?? 0;
  if (load > 0.5) say(`**The machine was doing other things (load ${load.toFixed(1)}): not for quoting.**`);

  for (const major of majors) {
    const node = fetchNode(major);
    if (node === undefined) {
      say(`\nNode ${major}: left out, npm's registry has none for this platform or was not reached.`);
      continue;
    }
    const base: Timed = { name: '`node -e 0`', command: node, args: ['-e', '0'], env: inherited() };
    // The executable and the other tools once: they do not change with Node.
    const once = major === own ? [...paths([executable()], place, ', executable'), ...others.found] : [];
    const all = [...paths([node, PROGRAM], place), ...once];
    const measured = measure(base, all, pairs);
    const version = execFileSync(node, ['--version'], { encoding: 'utf8', env: inherited() }).trim();
    say(`\n### Node ${version.slice(1)}\n`);
    table(measured);
    const forms = [[node, PROGRAM] as const, ...(major === own ? [[executable()] as const] : [])];
    for (const words of forms) {
      const { count, requests, failures, tokens, seconds } = await crowd(200, words, place, endpoint);
      say(
        `\n${count} parallel \`get\`${words.length === 1 ? ' of the executable' : ''} with an empty cache: requests at the endpoint ${requests}, failures ${failures}, different tokens ${tokens}; all done after ${seconds.toFixed(1)} s.`,
      );
    }
  }
  if (others.missing.length > 0) say(`\nNot found here, or not working: ${others.missing.join(', ')}.`);
  if (keyring === undefined) say(`\nWithout a keychain: ${missing('keyring')}.`);
}

/** A keyring of its own, with the client logged in; undefined where there can be none. */
async function openKeyring(authUrl: string, caFile: string): Promise<Place['keyring']> {
  if (missing('keyring') !== undefined) return undefined;
  const keyring = await startKeyring({ state: 'unlocked' });
  const flags = [
    '--region',
    'eu',
    '--auth-url',
    authUrl,
    '--ca-file',
    caFile,
    '--client-id',
    CLIENT.clientId,
  ];
  const { code, stderr } = await runProgram(['login', ...flags, '--secret-stdin'], {
    env: keyring.env,
    stdin: CLIENT.clientSecret,
  });
  if (code !== 0) throw new Error(`gwtoken login: code ${code}\n${stderr}`);
  return keyring.env;
}

function table(rows: readonly Measured[]): void {
  say('| | ms | middle half | x `node -e 0` | more, ms | rounds |');
  say('| --- | ---: | ---: | ---: | ---: | ---: |');
  for (const { name, ms, quartiles, ratio, moreMs, rounds } of rows) {
    const [low, high] = quartiles.map((each) => each.toFixed(1));
    const more = `${moreMs < 0 ? '' : '+'}${moreMs.toFixed(1)}`;
    say(`| ${name} | ${ms.toFixed(1)} | ${low} to ${high} | ${ratio.toFixed(2)} | ${more} | ${rounds} |`);
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
