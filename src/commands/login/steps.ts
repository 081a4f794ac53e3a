/** What `gwtoken login` does: check what is given, ask for the rest, try the credentials, store them, say what is next. */

import { type Client, clientFlags, clientName } from '../../client';
import { variablePairs } from '../../credentials/from-variables';
import { formatItem } from '../../credentials/keychain-item';
import { limitedKeychain } from '../../credentials/limited-keychain';
import { GwtokenError } from '../../errors';
import {
  gather,
  resolveAuthUrl,
  resolveEnvironment,
  resolveFetchSettings,
  resolveProfile,
  resolveRegion,
} from '../../settings/resolve';
import type { FlagValues, Given } from '../../settings/setting';
import { fetchToken } from '../../token/fetch';
import { endpointQuery } from '../../token/query';
import type { World } from '../../world/world';
import { askMissing, checkGiven } from './answers';
import { loginEdits } from './edits';
import { storeClient } from './store';

export async function logIn(flags: FlagValues, world: World): Promise<void> {
  const given = gather(flags, world);
  const known = checkGiven(given, world);
  const settings = resolveFetchSettings(given, known.profile);
  await world.config.checkWritable();
  const keychain = limitedKeychain(given, world);
  await keychain.probe();
  const { client, authUrl, clientId, clientSecret } = await askMissing(known, given, world);
  const credentials = { clientId, clientSecret, source: { kind: 'login' as const, name: 'this login' } };
  const item = formatItem({ clientId, clientSecret, authUrl: authUrl.value });
  if (flags['no-verify'] !== true) {
    const query = endpointQuery({ given, client, authUrl, settings }, world);
    try {
      await world.terminal.spin(`asking ${authUrl.value} for a token`, () =>
        fetchToken(query, credentials, world),
      );
    } catch (error) {
      throw notVerified(error);
    }
  }
  const edits = loginEdits(given, client, authUrl);
  await storeClient(client, item, { clientId, authUrl: authUrl.value }, edits, { ...world, keychain });
  // A token of the credentials before must not be served any more.
  await world.tokens.remove((each) => clientName(each) === clientName(client));
  tell(client, given, edits, world);
}

/** Nothing is stored; where the endpoint gave no verdict, the person may store without one. */
function notVerified(error: unknown): unknown {
  if (!(error instanceof GwtokenError)) return error;
  const hints = ['nothing was stored'];
  if (error.kind === 'unreached' || error.kind === 'bad-reply')
    hints.push('add --no-verify to store the credentials without fetching a token');
  return error.withHints(hints);
}

/** Says what went where, what will hide it, and what to try next. */
function tell(client: Client, before: Given, edits: ReturnType<typeof loginEdits>, world: World): void {
  const name = clientName(client);
  const say = (line: string): void => world.stderr.write(`${line}\n`);
  say(`Stored the credentials of ${name} in the keychain (service gwtoken, account ${name})`);
  for (const { profile, key, value } of edits) {
    const whose = profile === undefined ? '' : ` for profile ${profile}`;
    say(
      value === undefined
        ? `Removed ${key}${whose} from ${before.config.path}, where it would hide the above`
        : `Set ${key} = ${value}${whose} in ${before.config.path}`,
    );
  }
  const after: Given = { flags: {}, env: world.env, config: world.config.read() };
  const shadows =
    before.flags['profile'] === undefined
      ? variablePairs(client).flatMap(({ id, secret, secretFile }) => [id, secret, secretFile])
      : [];
  for (const variable of shadows.filter((each) => world.env[each])) {
    world.warn(`${variable} is set, so variables are used instead of what was stored`);
  }
  // What is stored is stored: a variable that is wrong, and was overruled by a flag this time, is a warning.
  try {
    const command = resolveFetchSettings(after, client.profile).credentialCommand;
    if (command) world.warn(`${command.source.name} is used instead of what was stored`);
    const next = resolveAuthUrl(after, client);
    const stored = world.clients.read()[name]?.authUrl;
    if (next?.value !== stored) {
      const source = next?.source.name ?? 'nothing';
      world.warn(`${source} gives another auth URL, which the stored client is not used for`);
    }
    const flags = needed(client, after);
    say(`Try next: gwtoken get${flags}`);
    say(`      or: eval $(gwtoken env${flags})`);
  } catch (error) {
    if (!(error instanceof GwtokenError)) throw error;
    world.warn(error.message);
  }
}

/** The flags that name the client, where the settings alone name another. */
function needed(client: Client, given: Given): string {
  const profile = resolveProfile(given).value;
  const region = resolveRegion(given, profile)?.value;
  const environment = resolveEnvironment(given, profile).value;
  const same = profile === client.profile && region === client.region && environment === client.environment;
  return same ? '' : ` ${clientFlags(client)}`;
}
