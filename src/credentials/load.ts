/**
 * Loads credentials from the user's command or from the keychain. They are sent only to their own auth URL.
 */

import type { Cause, OtherUrl } from '../causes';
import { type Client, clientName, profileFlag, withoutCredentials } from '../client';
import { GwtokenError, usage } from '../errors';
import { isForThisRun, type Setting } from '../settings/table';
import { ANSWER_WITHIN_MS, hasPerson, isCi } from '../surroundings';
import { duration } from '../text';
import type { CommandEnd, Env } from '../world';
import { type Loaded, type LoadOptions, type LoadWorld, SECRET_LIMIT } from './credentials';
import {
  type BoundCredentials,
  notReturned,
  parseCredentials,
  parseItem,
  saysNoKeychain,
} from './keychain-item';

/** Runs the command and reads the credentials that it prints. */
export async function fromCommand(
  command: Setting<string>,
  client: Client,
  timeoutMs: number | undefined,
  { authUrl: setting, signal }: LoadOptions,
  world: LoadWorld,
): Promise<Loaded> {
  const limitMs = timeoutMs ?? ANSWER_WITHIN_MS[hasPerson(world) ? 'person' : 'nobody'];
  const printed = await runCommand(command, client, limitMs, signal, world);
  const { authUrl: own, ...credentials } = readPrinted(printed, command.source.name, client);
  // If the command prints no auth_url, a stray variable or flag must not redirect the secret.
  const authUrl = own ?? (setting && !isForThisRun(setting) ? setting.value : undefined);
  const cause: OtherUrl = { reason: 'command-for-other-url', own, client, setting };
  return bind({ ...credentials, authUrl }, setting, 'the credential command printed', cause);
}

/** Returns the output of the command, which is never shown. Throws if the command fails. */
async function runCommand(
  { value, source: { name } }: Setting<string>,
  client: Client,
  timeoutMs: number,
  signal: AbortSignal | undefined,
  world: LoadWorld,
): Promise<string> {
  world.trace(`running the credential command (${name}), with a timeout of ${duration(timeoutMs)}`);
  const env = commandEnv(client, world.env);
  const end = await world.runCredentialCommand(value, { env, timeoutMs, maxBytes: SECRET_LIMIT, signal });
  if (end.how === 'exited' && end.code === 0) return new TextDecoder().decode(end.stdout);
  const config = `gwtoken config get credential-command${profileFlag(client.profile)}`;
  const cause: Cause = end.how === 'late' ? { reason: 'timed-out' } : [`to see the command, run: ${config}`];
  throw new GwtokenError(
    'keychain',
    `the credential command ${problemOf(end, timeoutMs)} (from ${name})`,
    cause,
  );
}

function problemOf(end: CommandEnd, timeoutMs: number): string {
  switch (end.how) {
    case 'exited':
      return `exited with code ${end.code}`;
    case 'killed':
      return `was killed by ${end.signal}`;
    case 'not-started':
      return `could not be started (${end.reason})`;
    case 'late':
      return `did not finish within ${duration(timeoutMs)}`;
    case 'too-long':
      return `printed more than ${SECRET_LIMIT / 1024} KiB`;
  }
}

function readPrinted(text: string, name: string, client: Client): BoundCredentials {
  if (text.trim() === '') {
    const message = `the credential command returned no credentials for ${clientName(client)}`;
    throw new GwtokenError('no-credentials', `${message} (from ${name})`, { reason: 'no-credentials' });
  }
  const parsed = parseCredentials(text, client);
  if (typeof parsed !== 'string') return parsed;
  const problem = `the credential command printed output that ${parsed}`;
  throw new GwtokenError('keychain', `${problem} (from ${name})`, [
    'it must print only {"client_id":"…","client_secret":"…"} to stdout',
  ]);
}

/**
 * Returns the caller's environment without client credentials and with variables that name the client. The
 * command may need other variables, such as VAULT_TOKEN.
 */
function commandEnv({ region, environment, profile }: Client, env: Env): Env {
  return {
    ...withoutCredentials(env),
    GWTOKEN_REGION: region,
    GWTOKEN_SANDBOX: environment === 'sandbox' ? '1' : '0',
    GWTOKEN_PROFILE: profile,
  };
}

export async function fromKeychain(
  client: Client,
  timeoutMs: number | undefined,
  { authUrl: setting, signal }: LoadOptions,
  world: LoadWorld,
): Promise<Loaded> {
  const name = clientName(client);
  const isStored = (): boolean => world.clients.read()[name] !== undefined;
  const item = await world.keychain.get(name, timeoutMs, signal).catch((error: unknown) => {
    // A CI job usually has no keychain, and needs none unless the client was stored there.
    if (!saysNoKeychain(error) || !isCi(world.env) || isStored()) throw error;
    world.trace(error.message);
  });
  if (item === undefined) {
    if (isStored()) throw notReturned(client);
    throw new GwtokenError('no-credentials', `no credentials found for ${name}`, {
      reason: 'no-credentials',
    });
  }
  const credentials = parseItem(item, client);
  const cause: OtherUrl = { reason: 'item-for-other-url', own: credentials.authUrl, client, setting };
  // A login writes the list of stored clients after the item: if they differ, the item is right.
  const other = setting?.source.kind === 'stored' ? undefined : setting;
  return bind(credentials, other, `${name} was stored for`, cause);
}

/** Returns credentials with an auth URL. Throws `usage` if they have none, or if the setting is another. */
function bind(
  { authUrl, ...credentials }: BoundCredentials,
  setting: Setting<string> | undefined,
  origin: string,
  cause: OtherUrl,
): Loaded {
  const other = setting?.value === authUrl ? undefined : setting;
  if (authUrl !== undefined && !other) return { ...credentials, authUrl };
  const but = other ? `, but ${other.source.name} says ${other.value}` : '';
  throw usage(`${origin} ${cause.own ?? 'no auth URL'}${but}; nothing was sent`, cause);
}
