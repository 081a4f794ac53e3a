/** Credentials from the user's own command. Its stdout contains the secret and is never shown. */

import { type Client, clientName, isCredentialVariable, profileFlag } from '../client';
import { failure, type GwtokenError } from '../errors';
import type { Setting } from '../settings/table';
import { duration } from '../text';
import { answerWithinMs, hasPerson, longerTimeout } from '../waiting';
import type { CommandEnd, Env } from '../world';
import { type LoadWorld, SECRET_LIMIT, utf8, type Wanted } from './credentials';
import { parseCredentials, type StoredCredentials } from './keychain-item';

/**
 * Runs the command and reads the credentials that it prints.
 *
 * @throws GwtokenError `no-credentials` if it prints nothing; `keychain` if it fails or prints anything else
 */
export async function commandCredentials(
  { value, source }: Setting<string>,
  { client, timeoutMs, signal }: Wanted,
  world: Pick<LoadWorld, 'env' | 'stderr' | 'runCredentialCommand' | 'trace'>,
): Promise<StoredCredentials> {
  const limitMs = timeoutMs ?? answerWithinMs(hasPerson(world));
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
  if (text.trim() !== '') return parseCredentials(text, bad);
  const message = `the credential command returned no credentials for ${clientName(client)}`;
  throw failure('no-credentials', `${message} (from ${source.name})`);
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
export function commandEnv({ region, environment, profile }: Client, env: Env): Env {
  const kept = Object.entries(env).filter(
    ([name]) => !isCredentialVariable(name) && name.toUpperCase() !== 'GWTOKEN_ACCESS_TOKEN',
  );
  return {
    ...Object.fromEntries(kept),
    GWTOKEN_REGION: region,
    GWTOKEN_SANDBOX: environment === 'sandbox' ? '1' : '0',
    GWTOKEN_PROFILE: profile,
  };
}
