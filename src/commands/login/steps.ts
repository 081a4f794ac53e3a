/** Steps of `gwtoken login`: check what is given, prompt for the rest, verify the credentials, store them. */

import { type Client, clientFlags, clientName } from '../../client';
import { formatItem } from '../../credentials/keychain-item';
import { overriding, sourceOf } from '../../credentials/sources';
import { GwtokenError, Interrupted, valueOrError } from '../../errors';
import { gather, resolve, resolveClient } from '../../settings/resolve';
import { type FlagValues, SETTINGS, type SettingSources } from '../../settings/table';
import { oneLine, shellWord } from '../../text';
import { formatEntry } from '../../token/cache';
import { fetchToken } from '../../token/fetch';
import { type Limits, limitsOf } from '../../token/query';
import type { Token } from '../../token/token';
import type { ConfigEdit, World } from '../../world';
import { refusalSteps } from '../hints';
import { type Answers, askAgain, askMissing, checkGiven } from './answers';
import { loginEdits, storeClient } from './store';

export async function logIn(flags: FlagValues, world: World): Promise<void> {
  const sources = gather(flags, world);
  const known = checkGiven(sources, world);
  const limits = limitsOf(sources, known);
  const useCache = resolve(SETTINGS.cache, sources).value;
  const limitMs = resolve(SETTINGS.keychainTimeoutMs, sources)?.value;
  await world.config.checkWritable();
  await checkKeychain(limitMs, world);
  const isVerified = flags['verify'] !== false;
  const { answers, token } = await unlessCancelled(world, async () => {
    const all = await askMissing(known, sources, world);
    // Credentials that no item can hold are refused before they are sent.
    itemOf(all);
    if (!isVerified) return { answers: all, token: undefined };
    return verified(all, known.secretPiped ? 1 : TRIES, limits, world);
  });
  const { client, authUrl, clientId } = answers;
  const edits = loginEdits(sources, client, authUrl);
  const entry = { clientId, authUrl: authUrl.value };
  // A request that has the old credentials now brings a token of a past generation, which nobody will use.
  await world.tokens.invalidate(client);
  const replaced = await storeClient({ client, item: itemOf(answers), entry, edits }, limitMs, world);
  // A token for the old credentials must not be served any more.
  for (const left of await world.tokens.invalidate(client))
    world.warn(`could not remove a cached token of the old credentials: ${left}`);
  if (token && useCache) await cacheToken(token, answers, world);
  const how = isVerified ? 'verified and ' : '';
  const ending = replaced ? ', replacing the previous ones' : '';
  const lines = [
    `Credentials ${how}stored in the keychain as ${clientName(client)}${ending}`,
    ...edits.map((edit) => editText(edit, sources)),
    ...nextSteps(client, world),
  ];
  for (const line of lines) world.stderr.write(`${oneLine(line)}\n`);
  warnOfOthers(answers, sources, world);
}

const WITHOUT_KEYCHAIN =
  'without a keychain, set GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET (gwtoken help keychain)';

/** Throws the keychain's error if it does not work, with the way without one. */
async function checkKeychain(
  limitMs: number | undefined,
  { keychain }: Pick<World, 'keychain'>,
): Promise<void> {
  try {
    await keychain.probe(limitMs);
  } catch (error) {
    throw error instanceof GwtokenError ? error.withHints([WITHOUT_KEYCHAIN]) : error;
  }
}

/** Returns the keychain item. Throws a `usage` error for credentials that no item can hold. */
function itemOf({ clientId, clientSecret, authUrl }: Answers): string {
  return formatItem({ clientId, clientSecret, authUrl: authUrl.value });
}

/** Does the work; reports that nothing was stored if the person leaves a prompt. */
async function unlessCancelled<T>({ stderr }: Pick<World, 'stderr'>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Interrupted) stderr.write('Cancelled. Nothing was stored.\n');
    throw error;
  }
}

/** Number of times that an ID and a secret are prompted for. */
const TRIES = 3;

/** Fetches a token; prompts again for typed credentials that are refused. Returns the accepted ones. */
async function verified(
  answers: Answers,
  tries: number,
  limits: Limits,
  world: World,
): Promise<{ readonly answers: Answers; readonly token: Token }> {
  for (let left = tries - 1, tried = answers; ; left--) {
    try {
      const token = await world.terminal.spin('verifying the credentials', () =>
        fetchToken({ ...limits, authUrl: tried.authUrl }, tried, world),
      );
      return { answers: tried, token };
    } catch (error) {
      if (!(error instanceof GwtokenError)) throw error;
      if (error.kind !== 'refused' || left === 0) throw nothingStored(error, tried, tries > 1);
      const again = 'Enter them again, or press Ctrl-C and check --region, --sandbox and --auth-url.';
      world.stderr.write(`${error.message}\n${again}\n`);
      tried = await askAgain(tried, world);
    }
  }
}

/** Adds that nothing is stored, and how to go on: with the typed answers, or without verifying them. */
function nothingStored(
  error: GwtokenError,
  { client, authUrl, clientId }: Answers,
  isTyped: boolean,
): GwtokenError {
  const words = `--auth-url ${shellWord(authUrl.text)} --client-id ${shellWord(clientId)}`;
  return error.withHints([
    ...(error.kind === 'refused' ? refusalSteps(error, { client }) : []),
    'nothing was stored',
    ...(isTyped ? [`to start again, run: gwtoken login ${clientFlags(client)} ${words}`] : []),
    ...(error.kind === 'unreached' ? ['to store them unverified, add --no-verify'] : []),
  ]);
}

/** Caches the token of the verification. If that fails, the next command fetches another. */
async function cacheToken(
  { lifetimeS, ...token }: Token,
  { client, clientId, authUrl }: Answers,
  { tokens }: Pick<World, 'tokens'>,
): Promise<void> {
  if (lifetimeS === undefined) return;
  const { generation = '' } = tokens.read(client);
  const owner = { authUrl: authUrl.value, kind: 'keychain', salt: '', hmac: '', generation };
  await tokens.write(client, formatEntry({ ...owner, clientId, token: { ...token, lifetimeS } }));
}

function editText({ profile, key, value }: ConfigEdit, { config }: SettingSources): string {
  const whose = profile === undefined ? '' : ` for profile ${profile}`;
  return value === undefined
    ? `Removed ${key}${whose} from ${config.path} (it would override the new value)`
    : `Set ${key} = ${value}${whose} in ${config.path}`;
}

/** Returns the commands to try next, in the user's shell. */
function nextSteps(client: Client, { env, config, platform }: World): string[] {
  const selected = valueOrError(() => resolveClient({ flags: {}, env, config: config.read() }));
  const isSelected = !(selected instanceof GwtokenError) && clientName(selected) === clientName(client);
  const flags = isSelected ? '' : ` ${clientFlags(client)}`;
  const fish = /\bfish$/.test(env['SHELL'] ?? '');
  const shell = fish ? `gwtoken env${flags} --format fish | source` : `eval $(gwtoken env${flags})`;
  return [`Next: gwtoken get${flags}`, `or:   ${platform === 'win32' ? 'gwtoken help shells' : shell}`];
}

/** Warns if other credentials or another auth URL will be used instead of the stored ones. */
function warnOfOthers({ client, authUrl }: Answers, before: SettingSources, world: World): void {
  const flags = { profile: before.flags['profile'] };
  const after: SettingSources = { flags, env: world.env, config: world.config.read() };
  // A bad variable is only a warning here: the credentials are stored.
  const source = valueOrError(() => sourceOf(after, client, world));
  const next = valueOrError(() => resolve(SETTINGS.authUrl, after, client));
  const overridden = source instanceof GwtokenError ? source.message : overriding(source);
  if (overridden !== undefined) world.warn(overridden);
  if (next && !(next instanceof GwtokenError) && next.value !== authUrl.value)
    world.warn(
      `${next.source.name} sets another auth URL; gwtoken will not send the stored credentials there`,
    );
}
