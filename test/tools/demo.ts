/** `npm run demo`: shows and checks lines that sh runs with the real program and two token endpoints. */
import { randomBytes } from 'node:crypto';
import { delimiter, dirname, join } from 'node:path';
import { styleText } from 'node:util';
import { buildPackage } from '../harness/builds.mjs';
import { cleanUp } from '../harness/clean-up';
import { startIdentityServer } from '../harness/endpoints/identity-server';
import { openDirectory } from '../harness/homes/directory';
import { startKeyring } from '../harness/keyrings/keyring';
import { missing } from '../harness/needs';
import { linkProgram, runCommand } from '../harness/programs/program';

const client = (clientId: string) => ({ clientId, clientSecret: randomBytes(18).toString('base64url') });
const CLIENTS = {
  eu: client('eu-client'),
  sandbox: client('eu-sandbox-client'),
  us: client('us-client'),
};
type Name = keyof typeof CLIENTS;

/** Reason why the demo has no keychain. It never uses the user's own. */
const lacking = missing('keyring');
let env: Record<string, string>;
let typed = 0;
let interrupted = false;

async function play(): Promise<void> {
  buildPackage();
  const start = performance.now();
  const eu = await startIdentityServer({ clients: [CLIENTS.eu, CLIENTS.sandbox] });
  const us = await startIdentityServer({ clients: [CLIENTS.us] });
  env = await openEnvironment();
  say(`One token endpoint per region, each with its own clients:
eu ${eu.authUrl}   ${CLIENTS.eu.clientId}, ${CLIENTS.sandbox.clientId}
us ${us.authUrl}   ${CLIENTS.us.clientId}`);
  if (lacking === undefined) {
    say('Log in. gwtoken verifies the credentials before storing them, here in a keyring of the demo.');
  } else {
    say(`No keychain for the demo here (${lacking}), so the credentials come from environment variables.`);
    const { eu: inEu, sandbox, us: inUs } = CLIENTS;
    const variables = {
      GWTOKEN_REGION: 'eu',
      GWTOKEN_AUTH_URL_EU: eu.authUrl,
      GWTOKEN_AUTH_URL_US: us.authUrl,
      GWTOKEN_CLIENT_ID_EU: inEu.clientId,
      GWTOKEN_CLIENT_SECRET_EU: inEu.clientSecret,
      GWTOKEN_SANDBOX_CLIENT_ID_EU: sandbox.clientId,
      GWTOKEN_SANDBOX_CLIENT_SECRET_EU: sandbox.clientSecret,
      GWTOKEN_CLIENT_ID_US: inUs.clientId,
      GWTOKEN_CLIENT_SECRET_US: inUs.clientSecret,
    };
    for (const [name, value] of Object.entries(variables)) type(`export ${name}=${value}`);
    Object.assign(env, variables);
  }
  await logIn('eu', `--region eu --auth-url ${eu.authUrl}`);

  say('Get a token: only the token on stdout, nothing on stderr.');
  await run('gwtoken get', { stdout: /^\S+\n$/ });
  say('The same as an HTTP header, as curl configuration and with details.');
  await run('gwtoken get --format header', { stdout: /^Authorization: Bearer \S+\n$/ });
  await run('gwtoken get --format curl', { stdout: /^header = "Authorization: Bearer \S+"\n$/ });
  await run('gwtoken get --format json', { stdout: /^\{"access_token":"[^"]+",.*"region":"eu".*\}\n$/ });

  say('The sandbox has its own clients.');
  await logIn('sandbox', `--sandbox --auth-url ${eu.authUrl}`);
  await run('gwtoken get --sandbox', { stdout: /^\S+\n$/ });

  say('A client belongs to one region: the US endpoint rejects the EU client.');
  const inUs = `--region us --auth-url ${us.authUrl}`;
  const asUs = ['ID', 'SECRET'].map((name) => `GWTOKEN_CLIENT_${name}_US=$GWTOKEN_CLIENT_${name}_EU`);
  const refused = /^gwtoken: error: .*invalid_client.*\n.*\nhint: if the client is in region eu/;
  const asEu = lacking === undefined ? loginLine('eu', inUs) : `${asUs.join(' ')} gwtoken get --region us`;
  await run(asEu, { code: 3, stderr: refused });
  say('Use the US client instead:');
  await logIn('us', inUs);
  await run('gwtoken get --region us', { stdout: /^\S+\n$/ });

  say('Export the token to the shell. If gwtoken fails, so does the eval.');
  const exported = 'eval $(gwtoken env)\necho "$GWTOKEN_TOKEN_TYPE $GWTOKEN_ACCESS_TOKEN"';
  await run(exported, { stdout: /^Bearer \S+\n$/ });
  const failing = 'eval $(gwtoken env --region mars) || echo "failed with $?"';
  await run(failing, { stdout: /^failed with 2\n$/, stderr: /^gwtoken: error: .*mars/ });
  say('Pass the token to a single command.');
  await run('gwtoken exec -- node -p process.env.GWTOKEN_ACCESS_TOKEN', { stdout: /^\S+\n$/ });

  if (lacking === undefined) {
    say('Log out, and see what happens without credentials.');
    await run('gwtoken logout --all --yes', { stderr: /^(Removed default:[\s\S]*){3}/ });
    await run('gwtoken get', { code: 4, stderr: /^gwtoken: error: no credentials found for default:/ });
  }
  await cleanUp();
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  say(`Done: ${typed} commands in ${seconds} s, all as expected. Everything was cleaned up.`);
}

/** Returns the environment of the demo's shell: PATH with gwtoken and this Node, a home, and a keyring if possible. */
async function openEnvironment(): Promise<Record<string, string>> {
  const home = openDirectory();
  const keyring = lacking === undefined ? (await startKeyring({ state: 'unlocked' })).env : {};
  const secrets = Object.entries(CLIENTS).map(([name, { clientSecret }]) => [`SECRET_${name}`, clientSecret]);
  const PATH = [linkProgram(join(home, 'bin')), dirname(process.execPath)].join(delimiter);
  return { HOME: home, ...keyring, ...Object.fromEntries(secrets), PATH };
}

/** Stores a client if the demo has a keychain. */
async function logIn(name: Name, flags: string): Promise<void> {
  const stored = /^Credentials verified and stored in the keychain as /;
  if (lacking === undefined) await run(loginLine(name, flags), { stderr: stored });
}

function loginLine(name: Name, flags: string): string {
  const { clientId } = CLIENTS[name];
  return `printf %s "$SECRET_${name}" | gwtoken login ${flags} --client-id ${clientId} --secret-stdin`;
}

/** Prints an explanation between the lines. Without a `#`, which begins no comment in an interactive zsh. */
function say(words: string): void {
  process.stdout.write(`\n${paint('dim', words)}\n`);
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
  /** By default empty. */
  readonly stdout?: RegExp;
  readonly stderr?: RegExp;
}

/** Types lines into one shell and shows their output. Rejects if the output is not the expected one. */
async function run(lines: string, { code = 0, stdout = /^$/, stderr = /^$/ }: Wanted): Promise<void> {
  for (const line of lines.split('\n')) type(line);
  const ended = await runCommand(['sh', '-c', lines], { env });
  process.stdout.write(ended.stdout + ended.stderr);
  if (ended.code !== 0) process.stdout.write(paint('dim', `(exit code ${ended.code})\n`));
  if (ended.code !== code) throw new Error(`exit code ${ended.code}, expected ${code}`);
  if (!stdout.test(ended.stdout)) throw new Error(`unexpected on stdout: expected ${stdout}`);
  if (!stderr.test(ended.stderr)) throw new Error(`unexpected on stderr: expected ${stderr}`);
}

if (process.platform === 'win32') throw new Error('the demo needs sh: run it in WSL');
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, async () => {
    interrupted = true;
    await cleanUp();
    // Ends by the signal itself, so that a calling script stops too.
    process.kill(process.pid, signal);
  });
}
play().catch(async (error) => {
  if (interrupted) return;
  await cleanUp();
  console.error(`\ndemo: FAILED: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
});
