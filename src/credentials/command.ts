/** Credentials from the user's own command. Its stdout contains the secret and is never shown. */

import { type Client, clientName, isCredentialVariable, profileFlag } from '../client';
import { failure, GwtokenError } from '../errors';
import { answerWithinMs, hasPerson, isCi, longerTimeout } from '../patience';
import type { Setting } from '../settings/table';
import { duration } from '../text';
import type { CommandEnd, Env, World } from '../world';
import { SECRET_LIMIT, utf8 } from './credentials';
import { parseCredentials, type StoredCredentials } from './keychain-item';
import type { CredentialQuery } from './plan';

/** Variable with the clients whose command is running: calling gwtoken for one of them would never end. */
const RUNNING_FOR = 'GWTOKEN_COMMAND_RUNNING_FOR';

/**
 * Runs the command and reads the credentials that it prints.
 *
 * @throws GwtokenError `no-credentials` if it prints nothing; `keychain` if it fails or prints anything else
 */
export async function commandCredentials(
  command: Setting<string>,
  { client, settings, signal }: Pick<CredentialQuery, 'client' | 'settings' | 'signal'>,
  world: Pick<World, 'env' | 'stderr' | 'runCredentialCommand' | 'trace'>,
): Promise<StoredCredentials> {
  const { env } = world;
  const where = command.source.name;
  const name = clientName(client);
  if (env[RUNNING_FOR]?.split(' ').includes(name)) {
    const message = `the credential command for ${name} calls gwtoken for the same client (an endless loop)`;
    const hints = [`change the command (${where})`];
    throw new GwtokenError('usage', message, { reason: 'endless-loop', hints });
  }
  const timeoutMs = settings.keychainTimeoutMs?.value ?? answerWithinMs(hasPerson(world));
  world.trace(`running the credential command (${where}), with a timeout of ${duration(timeoutMs)}`);
  const options = { env: commandEnv(client, env), timeoutMs, limit: SECRET_LIMIT, signal };
  const end = await world.runCredentialCommand(command.value, options);
  const failed = (what: string, ...hints: string[]): GwtokenError =>
    failure('keychain', `the credential command ${what} (from ${where})`, ...hints);
  if (end.how === 'late') {
    const more = longerTimeout(timeoutMs);
    const set = isCi(env) ? '' : `run: gwtoken config set keychain-timeout ${more}, or `;
    const hint = `to allow more time, ${set}set GWTOKEN_KEYCHAIN_TIMEOUT=${more}`;
    throw failed(`did not finish within ${duration(timeoutMs)}`, hint);
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
  const message = `the credential command returned no credentials for ${name} (from ${where})`;
  throw failure('no-credentials', message);
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
export function commandEnv(client: Client, env: Env): Env {
  const kept = Object.entries(env).filter(
    ([name]) => !isCredentialVariable(name) && name.toUpperCase() !== 'GWTOKEN_ACCESS_TOKEN',
  );
  return {
    ...Object.fromEntries(kept),
    GWTOKEN_REGION: client.region,
    GWTOKEN_SANDBOX: client.environment === 'sandbox' ? '1' : '0',
    GWTOKEN_PROFILE: client.profile,
    [RUNNING_FOR]: [env[RUNNING_FOR], clientName(client)].filter(Boolean).join(' '),
  };
}
