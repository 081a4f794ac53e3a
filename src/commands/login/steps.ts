/** What `gwtoken login` does: check what is given, ask for the rest, try the credentials, store them, say what is next. */

import { type Client, clientFlags, clientName } from '../../client';
import { formatItem, limitedKeychain } from '../../credentials/keychain-item';
import { planCredentials } from '../../credentials/plan';
import { attempt, GwtokenError } from '../../errors';
import {
  type FetchSettings,
  gather,
  resolveAuthUrl,
  resolveEnvironment,
  resolveFetchSettings,
  resolveProfile,
  resolveRegion,
} from '../../settings/resolve';
import type { FlagValues, Given } from '../../settings/setting';
import { withTilde } from '../../text';
import { fetchToken } from '../../token/fetch';
import { endpointQuery } from '../../token/query';
import type { ConfigEdit } from '../../world/files';
import type { World } from '../../world/world';
import { type Answers, askMissing } from './answers';
import { checkGiven } from './given';
import { loginEdits, storeClient } from './store';

export async function logIn(flags: FlagValues, world: World): Promise<void> {
  const given = gather(flags, world);
  const known = checkGiven(given, world);
  const settings = resolveFetchSettings(given, known.profile);
  await world.config.checkWritable();
  const keychain = limitedKeychain(given, world);
  await keychain.probe();
  const answers = await askMissing(known, given, world);
  const { client, authUrl, clientId, clientSecret } = answers;
  const item = formatItem({ clientId, clientSecret, authUrl: authUrl.value });
  if (flags['verify'] !== false) await verify(answers, given, settings, world);
  const edits = loginEdits(given, client, authUrl);
  const entry = { clientId, authUrl: authUrl.value };
  const replaced = await storeClient(client, item, entry, edits, { ...world, keychain });
  // A token for the old credentials must not be served any more.
  for (const left of await world.tokens.renew(client))
    world.warn(`could not remove a cached token of the old credentials: ${left}`);
  const verified = flags['verify'] === false ? '' : 'verified and ';
  const before = replaced ? ', replacing the previous ones' : '';
  const stored = `Credentials ${verified}stored in the keychain as ${clientName(client)}${before}`;
  world.stderr.write(`${stored}\n`);
  tell(answers, given, edits, world);
}

/** Fetches a token; if there is none, nothing is stored, and without a verdict of the endpoint that can be overruled. */
async function verify(
  { client, authUrl, clientId, clientSecret }: Answers,
  given: Given,
  settings: FetchSettings,
  world: World,
): Promise<void> {
  const query = endpointQuery({ given, client, authUrl, settings }, world);
  try {
    await world.terminal.spin(`verifying the credentials at ${authUrl.value}`, () =>
      fetchToken(query, { clientId, clientSecret }, world),
    );
  } catch (error) {
    if (!(error instanceof GwtokenError)) throw error;
    const hints = ['nothing was stored'];
    if (error.kind === 'unreached' || error.kind === 'bad-reply')
      hints.push('to store them unverified, add --no-verify');
    throw error.withHints(hints);
  }
}

/** Says which settings were written, what will be used instead of it, and what to try next. */
function tell({ client, authUrl }: Answers, before: Given, edits: readonly ConfigEdit[], world: World): void {
  const say = (line: string): void => world.stderr.write(`${withTilde(line, world)}\n`);
  for (const { profile, key, value } of edits) {
    const whose = profile === undefined ? '' : ` for profile ${profile}`;
    say(
      value === undefined
        ? `Removed ${key}${whose} from ${before.config.path} (it would override the new value)`
        : `Set ${key} = ${value}${whose} in ${before.config.path}`,
    );
  }
  const after: Given = { flags: {}, env: world.env, config: world.config.read() };
  // The credentials are stored: a bad variable, which a flag overruled this time, is no error any more.
  const plan = attempt(() => planCredentials(after, { client, profile: resolveProfile(before) }, world));
  if (plan instanceof GwtokenError) world.warn(plan.message);
  else if (plan.kind === 'command') world.warn(`${plan.name} overrides the stored credentials`);
  else if (plan.kind === 'variables') {
    for (const variable of plan.variables)
      world.warn(`${variable} is set and overrides the stored credentials`);
  }
  try {
    const next = resolveAuthUrl(after, client);
    if (next?.value !== authUrl.value) {
      const source = next?.source.name ?? 'nothing';
      world.warn(`${source} sets another auth URL; gwtoken will not send the stored credentials there`);
    }
    const flags = needed(client, after);
    say(`Next: gwtoken get${flags}`);
    say(`or:   ${world.platform === 'win32' ? 'gwtoken help shells' : `eval $(gwtoken env${flags})`}`);
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
