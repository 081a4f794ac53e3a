/** `npm run demo`: the real program and two token endpoints, each line run by sh as shown, and checked. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { styleText } from 'node:util';
import { cleanUp } from '../../harness/clean-up';
import {
  type IdentityClient,
  type IdentityServer,
  startIdentityServer,
} from '../../harness/endpoints/identity-server';
import { openFolder } from '../../harness/homes/folder';
import { startKeyring } from '../../harness/keyrings/keyring';
import { missing } from '../../harness/needs';
import { linkProgram } from '../../harness/programs/program';

/** Why there is no keychain for the demo. It uses none that is anybody's own. */
const withoutKeychain = missing('keyring');
const CLIENTS = {
  eu: newClient('eu-client'),
  sandbox: newClient('eu-sandbox-client'),
  us: newClient('us-client'),
};
/** The EU client's variables, for the US. */
const AS_US = ['ID', 'SECRET']
  .map((name) => `GWTOKEN_CLIENT_${name}_US=$GWTOKEN_CLIENT_${name}_EU`)
  .join(' ');

let env: Record<string, string>;
let typed = 0;
let interrupted: NodeJS.Signals | undefined;

async function play(eu: IdentityServer, us: IdentityServer): Promise<void> {
  const start = performance.now();
  say(`One token endpoint per region, each with its own clients:
eu ${eu.authUrl}   ${CLIENTS.eu.clientId}, ${CLIENTS.sandbox.clientId}
us ${us.authUrl}   ${CLIENTS.us.clientId}`);
  if (withoutKeychain === undefined) {
    say('Log in. gwtoken verifies the credentials before storing them, here in a keyring of the demo.');
  } else {
    say(
      `No keychain for the demo here (${withoutKeychain}), so the credentials come from environment variables.`,
    );
    set('GWTOKEN_REGION', 'eu');
    set('GWTOKEN_AUTH_URL_EU', eu.authUrl);
    set('GWTOKEN_AUTH_URL_US', us.authUrl);
  }
  await give('eu', `--region eu --auth-url ${eu.authUrl}`, 'GWTOKEN_CLIENT', 'default:production:eu');

  say('Get a token: only the token on stdout, nothing on stderr.');
  await run('gwtoken get', { stdout: /^(.+)\n$/, from: eu });
  say('The same as an HTTP header, as curl configuration and with details.');
  await run('gwtoken get --format header', { stdout: /^Authorization: Bearer (.+)\n$/, from: eu });
  await run('gwtoken get --format curl', { stdout: /^header = "Authorization: Bearer (.+)"\n$/, from: eu });
  await run('gwtoken get --format json', {
    stdout: /^\{"access_token":"([^"]+)",.*"region":"eu".*\}\n$/,
    from: eu,
  });

  say('The sandbox has its own clients.');
  await give('sandbox', '--sandbox', 'GWTOKEN_SANDBOX_CLIENT', 'default:sandbox:eu');
  await run('gwtoken get --sandbox', { stdout: /^(.+)\n$/, from: eu });

  say('A client belongs to one region: the US endpoint rejects the EU client.');
  const refused = {
    code: 3,
    stderr: /^gwtoken: error: .*invalid_client.*\n.*\nhint: if the client belongs to region eu/,
  };
  const inUs = `--region us --auth-url ${us.authUrl}`;
  if (withoutKeychain === undefined) await run(loginLine('eu', inUs), refused);
  else await run(`${AS_US} gwtoken get --region us`, refused);
  say('Use the US client instead:');
  await give('us', inUs, 'GWTOKEN_CLIENT', 'default:production:us');
  await run('gwtoken get --region us', { stdout: /^(.+)\n$/, from: us });

  say('Export the token to the shell. If gwtoken fails, so does the eval.');
  const lines = 'eval $(gwtoken env)\necho "$GWTOKEN_TOKEN_TYPE $GWTOKEN_ACCESS_TOKEN"';
  await run(lines, { stdout: /^Bearer (.+)\n$/, from: eu });
  const failing = 'eval $(gwtoken env --region mars) || echo "failed with $?"';
  await run(failing, { stdout: /^failed with 2\n$/, stderr: /^gwtoken: error: .*mars/ });
  say('Pass the token to a single command.');
  await run('gwtoken exec -- node -p process.env.GWTOKEN_ACCESS_TOKEN', { stdout: /^(.+)\n$/, from: eu });

  if (withoutKeychain === undefined) {
    say('Log out, and see what happens without credentials.');
    await run('gwtoken logout --all --yes', { stderr: /^(Removed default:[\s\S]*){3}/ });
    await run('gwtoken get', { code: 4, stderr: /^gwtoken: error: no credentials found for default:/ });
  }
  await cleanUp();
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  say(`Done: ${typed} commands in ${seconds} s, all as expected. Everything was cleaned up.`);
}

function newClient(clientId: string): IdentityClient {
  return { clientId, clientSecret: randomBytes(18).toString('base64url') };
}

/** Stores a client, or sets its variables if there is no keychain. */
async function give(
  name: keyof typeof CLIENTS,
  flags: string,
  prefix: string,
  account: string,
): Promise<void> {
  if (withoutKeychain === undefined) {
    const stored = new RegExp(`^Credentials verified and stored in the keychain as ${account}\n`);
    await run(loginLine(name, flags), { stderr: stored });
  } else {
    const region = name === 'us' ? 'US' : 'EU';
    set(`${prefix}_ID_${region}`, CLIENTS[name].clientId);
    set(`${prefix}_SECRET_${region}`, CLIENTS[name].clientSecret);
  }
}

function loginLine(name: keyof typeof CLIENTS, flags: string): string {
  const { clientId } = CLIENTS[name];
  return `printf %s "$SECRET_${name}" | gwtoken login ${flags} --client-id ${clientId} --secret-stdin`;
}

/** A comment between the lines. */
function say(words: string): void {
  process.stdout.write(`\n${paint('dim', `# ${words.replaceAll('\n', '\n# ')}`)}\n`);
}

function set(name: string, value: string): void {
  type(`export ${name}=${value}`);
  env[name] = value;
}

function type(line: string): void {
  typed++;
  process.stdout.write(`${paint('bold', `$ ${line}`)}\n`);
}

function paint(style: 'bold' | 'dim', words: string): string {
  return process.stdout.isTTY && !process.env['NO_COLOR'] ? styleText(style, words) : words;
}

interface Wanted {
  readonly code?: number;
  /** Nothing, if left out. */
  readonly stdout?: RegExp;
  readonly stderr?: RegExp;
  /** Who issued the token that the first group of `stdout` matches. */
  readonly from?: IdentityServer;
}

/** Types lines into one shell and shows what they print. Rejects unless that is what was wanted. */
async function run(lines: string, { code = 0, stdout = /^$/, stderr = /^$/, from }: Wanted): Promise<void> {
  for (const line of lines.split('\n')) type(line);
  const child = spawn('sh', ['-c', lines], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  const [out, err, ownCode] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  process.stdout.write(out + err);
  if (ownCode !== 0) process.stdout.write(paint('dim', `(exit code ${ownCode})\n`));
  if (interrupted) throw new Error('interrupted');
  if (ownCode !== code) throw new Error(`exit code ${ownCode}, expected ${code}`);
  for (const [name, shown, wanted] of [['stdout', out, stdout] as const, ['stderr', err, stderr] as const])
    if (!wanted.test(shown)) throw new Error(`unexpected on ${name}: expected ${wanted}`);
  if (from && !from.issued.includes(stdout.exec(out)?.[1] ?? ''))
    throw new Error('not a token of the endpoint');
}

/** What the demo's shell has: gwtoken and this Node on PATH, a home, and a keyring if one can be started. */
async function openEnvironment(): Promise<Record<string, string>> {
  const home = openFolder();
  const bin = join(home, 'bin');
  linkProgram(bin);
  const keyring = withoutKeychain === undefined ? (await startKeyring({ state: 'unlocked' })).env : {};
  const secrets = Object.entries(CLIENTS).map(([name, client]) => [`SECRET_${name}`, client.clientSecret]);
  const path = [bin, dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter);
  return { HOME: home, ...keyring, ...Object.fromEntries(secrets), PATH: path };
}

async function main(): Promise<void> {
  if (process.platform === 'win32') throw new Error('the demo needs sh: run it in WSL');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      interrupted ??= signal;
    });
  }
  try {
    const eu = await startIdentityServer({ clients: [CLIENTS.eu, CLIENTS.sandbox] });
    const us = await startIdentityServer({ clients: [CLIENTS.us] });
    env = await openEnvironment();
    await play(eu, us);
  } finally {
    await cleanUp();
  }
}

main().catch((error) => {
  process.exitCode = 1;
  if (!interrupted) return console.error(`\ndemo: FAILED: ${error instanceof Error ? error.message : error}`);
  // By the signal itself, so that a calling script stops too.
  process.removeAllListeners(interrupted);
  process.kill(process.pid, interrupted);
});
