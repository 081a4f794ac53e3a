/**
 * Loads credentials from the user's command or from the keychain. They are sent only to their own auth URL.
 */

import type { Cause } from '../causes';
import { type Client, clientName, withoutCredentials } from '../client';
import { failure, usage } from '../errors';
import type { Setting } from '../settings/table';
import { duration } from '../text';
import { ANSWER_WITHIN_MS, hasPerson, isCi } from '../waiting';
import type { CommandEnd, Env } from '../world';
import { commandUrlHints, itemUrlHints } from './auth-url';
import { type Credentials, type LoadWorld, SECRET_LIMIT, type Wanted } from './credentials';
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
  wanted: Wanted,
  timeoutMs: number | undefined,
  world: LoadWorld,
): Promise<Credentials> {
  const limitMs = timeoutMs ?? ANSWER_WITHIN_MS[hasPerson(world) ? 'person' : 'nobody'];
  const printed = await runCommand(command, wanted, limitMs, world);
  const credentials = readPrinted(printed, command.source.name, wanted.client);
  // If the command prints no auth_url, a stray variable or flag must not redirect the secret.
  const isStray = ['flag', 'variable'].includes(wanted.authUrl.source.kind);
  if (credentials.authUrl !== undefined || isStray) checkBinding('command', credentials, wanted);
  return credentials;
}

/** Returns the output of the command, which is never shown. Throws if the command fails. */
async function runCommand(
  { value, source: { name } }: Setting<string>,
  { client, signal }: Wanted,
  timeoutMs: number,
  world: LoadWorld,
): Promise<string> {
  world.trace(`running the credential command (${name}), with a timeout of ${duration(timeoutMs)}`);
  const env = commandEnv(client, world.env);
  const end = await world.runCredentialCommand(value, { env, timeoutMs, maxBytes: SECRET_LIMIT, signal });
  if (end.how === 'exited' && end.code === 0) return new TextDecoder().decode(end.stdout);
  const cause: Cause =
    end.how === 'late'
      ? { reason: 'timed-out', limitMs: timeoutMs }
      : { reason: 'command-failed', profile: client.profile };
  throw failure('keychain', `the credential command ${problemOf(end, timeoutMs)} (from ${name})`, cause);
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
    throw failure('no-credentials', `${message} (from ${name})`);
  }
  const parsed = parseCredentials(text, client);
  if (typeof parsed !== 'string') return parsed;
  const problem = `the credential command printed output that ${parsed}`;
  throw failure('keychain', `${problem} (from ${name})`, { reason: 'command-output' });
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
  wanted: Wanted,
  timeoutMs: number | undefined,
  world: LoadWorld,
): Promise<Credentials> {
  const { client, signal } = wanted;
  const name = clientName(client);
  const isStored = (): boolean => world.clients.read()[name] !== undefined;
  const item = await world.keychain.get(name, timeoutMs, signal).catch((error: unknown) => {
    // A CI job usually has no keychain, and needs none unless the client was stored there.
    if (!saysNoKeychain(error) || !isCi(world.env) || isStored()) throw error;
    world.trace(error.message);
  });
  if (item === undefined) {
    if (isStored()) throw notReturned(client);
    throw failure('no-credentials', `no credentials found for ${name}`);
  }
  const stored = parseItem(item, client);
  checkBinding('keychain', stored, wanted);
  return stored;
}

/** Throws `usage` if the secret is for another auth URL, or for none. */
function checkBinding(
  kind: 'keychain' | 'command',
  { authUrl: own }: BoundCredentials,
  { client, authUrl }: Wanted,
): void {
  const { value, source } = authUrl;
  if (own === value) return;
  const bound =
    kind === 'keychain' ? `${clientName(client)} was stored for` : 'the credential command printed';
  const message = `${bound} ${own ?? 'no auth URL'}, but ${source.name} says ${value}; nothing was sent`;
  const hints = (kind === 'keychain' ? itemUrlHints : commandUrlHints)(own, client, authUrl);
  throw usage(message, ...hints);
}
