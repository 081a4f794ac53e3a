/** What `gwtoken login` does: check what is given, ask for the rest, try the credentials, store them, say what is next. */

import { type Client, clientFlags, clientName } from '../../client';
import { formatItem, limitedKeychain } from '../../credentials/keychain-item';
import { planCredentials } from '../../credentials/plan';
import { attempt, GwtokenError, Interrupted } from '../../errors';
import {
  type FetchSettings,
  gather,
  requireAuthUrl,
  resolveEnvironment,
  resolveFetchSettings,
  resolveProfile,
  resolveRegion,
} from '../../settings/resolve';
import type { FlagValues, Given } from '../../settings/table';
import { oneLine, withTilde } from '../../text';
import { fetchToken } from '../../token/fetch';
import { endpointQuery } from '../../token/query';
import type { ConfigEdit, World } from '../../world';
import { type Answers, askMissing, askSecret } from './answers';
import { checkGiven } from './given';
import { loginEdits, storeClient } from './store';

export async function logIn(flags: FlagValues, world: World): Promise<void> {
  const given = gather(flags, world);
  const known = checkGiven(given, world);
  const settings = resolveFetchSettings(given, known.profile);
  await world.config.checkWritable();
  const keychain = limitedKeychain(given, world);
  await keychain.probe();
  const answers = await unlessCancelled(world, async () => {
    const all = await askMissing(known, given, world);
    itemOf(all);
    return flags['verify'] === false ? all : await verified(all, given, settings, world);
  });
  const { client, authUrl, clientId } = answers;
  const edits = loginEdits(given, client, authUrl);
  const entry = { clientId, authUrl: authUrl.value };
  const replaced = await storeClient(client, itemOf(answers), entry, edits, { ...world, keychain });
  // A token for the old credentials must not be served any more.
  for (const left of await world.tokens.renew(client))
    world.warn(`could not remove a cached token of the old credentials: ${left}`);
  const how = flags['verify'] === false ? '' : 'verified and ';
  const before = replaced ? ', replacing the previous ones' : '';
  const stored = `Credentials ${how}stored in the keychain as ${clientName(client)}${before}`;
  world.stderr.write(`${stored}\n`);
  tell(answers, given, edits, world);
}

/** @throws GwtokenError `usage` for credentials that no keychain item can have */
function itemOf({ clientId, clientSecret, authUrl }: Answers): string {
  return formatItem({ clientId, clientSecret, authUrl: authUrl.value });
}

/** Says that nothing was stored where the person leaves a prompt. */
async function unlessCancelled<T>(
  { terminal, stderr }: Pick<World, 'terminal' | 'stderr'>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Interrupted)
      stderr.write(`${terminal.hasUnicode() ? '└  ' : ''}Cancelled. Nothing was stored.\n`);
    throw error;
  }
}

/** How often a secret is asked for. */
const SECRETS = 3;

/** Fetches a token; a secret that was typed and is refused is asked for again. Gives the answers that are right. */
async function verified(
  answers: Answers,
  given: Given,
  settings: FetchSettings,
  world: World,
): Promise<Answers> {
  const isTyped = given.flags['secret-stdin'] !== true;
  for (let left = isTyped ? SECRETS - 1 : 0, tried = answers; ; left--) {
    try {
      await verify(tried, given, settings, world);
      return tried;
    } catch (error) {
      if (!(error instanceof GwtokenError)) throw error;
      if (error.kind !== 'refused' || left === 0) throw nothingStored(error);
      world.stderr.write(`${error.message}. Check the client ID and enter the secret again.\n`);
      tried = { ...answers, clientSecret: await askSecret(answers.authUrl, world) };
    }
  }
}

async function verify(
  { client, authUrl, clientId, clientSecret }: Answers,
  given: Given,
  settings: FetchSettings,
  world: World,
): Promise<void> {
  const query = endpointQuery({ given, client, authUrl, settings }, world);
  await world.terminal.spin('verifying the credentials', () =>
    fetchToken(query, { clientId, clientSecret }, world),
  );
}

/** What failed, and that nothing is stored; without a verdict of the endpoint that can be overruled. */
function nothingStored(error: GwtokenError): GwtokenError {
  const unknown = error.kind === 'unreached' || error.kind === 'bad-reply';
  return error.withHints([
    'nothing was stored',
    ...(unknown ? ['to store them unverified, add --no-verify'] : []),
  ]);
}

/** Says which settings were written, what will be used instead of it, and what to try next. */
function tell({ client, authUrl }: Answers, before: Given, edits: readonly ConfigEdit[], world: World): void {
  const say = (line: string): void => world.stderr.write(`${oneLine(withTilde(line, world))}\n`);
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
  const plan = attempt(() =>
    planCredentials(after, { client, skipVariables: resolveProfile(before).source.kind === 'flag' }, world),
  );
  if (plan instanceof GwtokenError) world.warn(plan.message);
  else if (plan.kind === 'command') world.warn(`${plan.name} overrides the stored credentials`);
  else if (plan.kind === 'variables') {
    for (const variable of plan.variables)
      world.warn(`${variable} is set and overrides the stored credentials`);
  }
  try {
    const { value, source } = requireAuthUrl(after, client);
    if (value !== authUrl.value)
      world.warn(`${source.name} sets another auth URL; gwtoken will not send the stored credentials there`);
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
