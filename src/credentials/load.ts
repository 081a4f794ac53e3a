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
import { type Credentials, type LoadWorld, SECRET_LIMIT, type Wanted } from './credentials';
import { notReturned, parseCredentials, parseItem } from './keychain-item';

/** Runs the command and reads the credentials that it prints. Its stdout is never shown. */
export async function fromCommand(
  command: Setting<string>,
  wanted: Wanted,
  timeoutMs: number | undefined,
  world: LoadWorld,
): Promise<Credentials> {
  const { client, authUrl, signal } = wanted;
  const { name } = command.source;
  const limitMs = timeoutMs ?? answerWithinMs(hasPerson(world));
  world.trace(`running the credential command (${name}), with a timeout of ${duration(limitMs)}`);
  const options = { env: commandEnv(client, world.env), timeoutMs: limitMs, limit: SECRET_LIMIT, signal };
  const end = await world.runCredentialCommand(command.value, options);
  const failed = (what: string, hint: string): GwtokenError =>
    failure('keychain', `the credential command ${what} (from ${name})`, hint);
  if (end.how === 'late') {
    const setting = `keychain-timeout or GWTOKEN_KEYCHAIN_TIMEOUT to ${longerTimeout(limitMs)}`;
    throw failed(`did not finish within ${duration(limitMs)}`, `to allow more time, set ${setting}`);
  }
  if (end.how !== 'exited' || end.code !== 0) {
    const see = `gwtoken config get credential-command${profileFlag(client.profile)}`;
    throw failed(problemOf(end), `to see the command, run: ${see}`);
  }
  const text = new TextDecoder().decode(end.stdout);
  if (text.trim() === '') {
    const message = `the credential command returned no credentials for ${clientName(client)}`;
    throw failure('no-credentials', `${message} (from ${name})`);
  }
  const stored = parseCredentials(text, client);
  if (typeof stored === 'string') {
    const must = 'it must print only {"client_id":"…","client_secret":"…"} to stdout';
    throw failed(`printed output that ${stored}`, must);
  }
  // Without one of its own the config file's counts: no stray variable or flag sends the secret elsewhere.
  if (stored.authUrl !== undefined || authUrl.source.kind !== 'config')
    checkBinding('the credential command printed', stored.authUrl, wanted);
  return stored;
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
const NO_KEYCHAIN = ['module-missing', 'library-missing', 'not-loadable', 'no-session', 'no-provider'];

export async function fromKeychain(
  wanted: Wanted,
  timeoutMs: number | undefined,
  world: LoadWorld,
): Promise<Credentials> {
  const { client, signal } = wanted;
  const name = clientName(client);
  const item = await world.keychain.get(name, timeoutMs, signal).catch((error: unknown) => {
    const isMissing = error instanceof GwtokenError && NO_KEYCHAIN.includes(error.reason ?? '');
    // In a CI job that is the rule, and no reason to install one.
    if (!isMissing || !isCi(world.env)) throw error;
    world.trace(error.message);
  });
  if (item === undefined) {
    if (world.clients.read()[name]) throw notReturned(client);
    throw failure('no-credentials', `no credentials found for ${name}`);
  }
  const stored = parseItem(item, client);
  checkBinding(`${name} was stored for`, stored.authUrl, wanted);
  return stored;
}

/** Throws `usage` of the reason `bound-elsewhere` if the secret is for another auth URL, or for none. */
function checkBinding(bound: string, own = 'no auth URL', { authUrl }: Wanted): void {
  const { value, source } = authUrl;
  if (own === value) return;
  const message = `${bound} ${own}, but ${source.name} says ${value}; nothing was sent`;
  throw new GwtokenError('usage', message, { reason: 'bound-elsewhere' });
}
