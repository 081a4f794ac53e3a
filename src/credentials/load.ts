/**
 * Loads credentials that are stored elsewhere: the user's own command prints them, or the keychain has them.
 * They are sent to no other auth URL than their own.
 */

import { type Client, clientName, profileFlag, withoutCredentials } from '../client';
import { failure, GwtokenError } from '../errors';
import type { Setting } from '../settings/table';
import { duration } from '../text';
import { answerWithinMs, hasPerson, isCi, longerTimeout } from '../waiting';
import type { CommandEnd, Env } from '../world';
import { type Credentials, type LoadWorld, SECRET_LIMIT, utf8, type Wanted } from './credentials';
import { notReturned, parseCredentials, parseItem } from './keychain-item';

/**
 * Runs the command and reads the credentials that it prints. Its stdout is never shown.
 *
 * @throws GwtokenError `no-credentials` if it prints nothing; `keychain` if it fails or prints anything else;
 *   `usage` if they are for another auth URL
 */
export async function fromCommand(
  { value, source }: Setting<string>,
  wanted: Wanted,
  world: LoadWorld,
): Promise<Credentials> {
  const { client, signal, timeoutMs: limitMs = answerWithinMs(hasPerson(world)) } = wanted;
  const failed = (what: string, hint: string): GwtokenError =>
    failure('keychain', `the credential command ${what} (from ${source.name})`, hint);
  world.trace(`running the credential command (${source.name}), with a timeout of ${duration(limitMs)}`);
  const options = { env: commandEnv(client, world.env), timeoutMs: limitMs, limit: SECRET_LIMIT, signal };
  const end = await world.runCredentialCommand(value, options);
  if (end.how === 'late') {
    const more = longerTimeout(limitMs);
    const hint = `to allow more time, set keychain-timeout or GWTOKEN_KEYCHAIN_TIMEOUT to ${more}`;
    throw failed(`did not finish within ${duration(limitMs)}`, hint);
  }
  if (end.how !== 'exited' || end.code !== 0) {
    const see = `gwtoken config get credential-command${profileFlag(client.profile)}`;
    throw failed(problemOf(end), `to see the command, run: ${see}`);
  }
  const must = 'it must print only {"client_id":"…","client_secret":"…"} to stdout';
  const bad = (problem: string): GwtokenError => failed(`printed output that ${problem}`, must);
  const text = utf8(end.stdout);
  if (text === undefined) throw bad('is not UTF-8 text');
  if (text.trim() === '') {
    const message = `the credential command returned no credentials for ${clientName(client)}`;
    throw failure('no-credentials', `${message} (from ${source.name})`);
  }
  const { authUrl, ...credentials } = parseCredentials(text, client, bad);
  // Without one of its own the config file's counts: no stray variable or flag sends the secret elsewhere.
  if (authUrl !== undefined || wanted.authUrl.source.kind !== 'config')
    checkBinding('the credential command printed', authUrl, wanted);
  return credentials;
}

function problemOf(end: Exclude<CommandEnd, { how: 'late' }>): string {
  switch (end.how) {
    case 'exited':
      return `exited with code ${end.code}`;
    case 'killed':
      return `was killed by ${end.signal}`;
    case 'not-started':
      return `could not be started (${end.reason})`;
    case 'too-long':
      return `printed more than ${SECRET_LIMIT / 1024} KiB`;
  }
}

/**
 * Returns the caller's environment, since the command may need VAULT_TOKEN, without client credentials, and
 * with variables that name the client.
 */
function commandEnv({ region, environment, profile }: Client, env: Env): Env {
  return {
    ...withoutCredentials(env),
    GWTOKEN_REGION: region,
    GWTOKEN_SANDBOX: environment === 'sandbox' ? '1' : '0',
    GWTOKEN_PROFILE: profile,
  };
}

/** Reasons of a keychain that cannot be used at all. */
const NO_KEYCHAIN: readonly unknown[] = [
  'module-missing',
  'library-missing',
  'not-loadable',
  'no-session',
  'no-provider',
];

export async function fromKeychain(wanted: Wanted, world: LoadWorld): Promise<Credentials> {
  const { client, timeoutMs, signal } = wanted;
  const name = clientName(client);
  const item = await world.keychain.get(name, timeoutMs, signal).catch((error: unknown) => {
    // In a CI job that is the rule, and no reason to install one.
    const isMissing = error instanceof GwtokenError && NO_KEYCHAIN.includes(error.reason);
    if (!isMissing || !isCi(world.env)) throw error;
    world.trace(error.message);
  });
  if (item === undefined) {
    if (world.clients.read()[name]) throw notReturned(client);
    throw failure('no-credentials', `no credentials found for ${name}`);
  }
  const { authUrl, ...credentials } = parseItem(item, client);
  checkBinding(`${name} was stored for`, authUrl, wanted);
  return credentials;
}

/** Throws `usage` of the reason `bound-elsewhere` if the secret is for another auth URL, or for none. */
function checkBinding(bound: string, own = 'no auth URL', { authUrl }: Wanted): void {
  const { value, source } = authUrl;
  if (own === value) return;
  const message = `${bound} ${own}, but ${source.name} says ${value}; nothing was sent`;
  throw new GwtokenError('usage', message, { reason: 'bound-elsewhere' });
}
