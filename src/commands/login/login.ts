/** The command `gwtoken login`: look at the keychain, prompt for what is missing, fetch a token, store. */

import { type Client, clientFlags, clientName, DEFAULT_PROFILE } from '../../client';
import { withMistakes } from '../../credentials/copy-mistakes';
import { formatItem } from '../../credentials/keychain-item';
import { overrideText, sourceOf } from '../../credentials/sources';
import { GwtokenError, orUndefined, valueOrError } from '../../errors';
import { evaluatingLine } from '../../formats/env-formats';
import { hintsFor } from '../../hints';
import { gather, onlyFrom, resolve, resolveClient } from '../../settings/resolve';
import { type FlagValues, SETTINGS, type SettingSources } from '../../settings/table';
import { oneLine, shellWord, warn } from '../../text';
import { fetchToken } from '../../token/fetch';
import { type RequestSettings, requestSettings } from '../../token/query';
import { refusesCredentials } from '../../token/reply';
import { untilSignal } from '../../waiting';
import type { ConfigEdit, World } from '../../world';
import { hintLine, sayIfCancelled } from '../report';
import { replySteps } from '../selected-token';
import { type Answers, askAgain, askMissing, checkGiven, loginLine, readAnswers } from './answers';

export async function logIn(flags: FlagValues, world: World): Promise<void> {
  const sources = gather(flags, world);
  const given = checkGiven(sources, world);
  const limits = requestSettings(sources, given);
  const keychainTimeoutMs = resolve(SETTINGS.keychainTimeoutMs, sources)?.value;
  const promptProblem = world.terminal.promptProblem();
  // People type ahead while the keychain is checked.
  if (promptProblem === undefined) await world.terminal.hideTyping();
  await world.config.checkWritable();
  await checkKeychain(keychainTimeoutMs, world);
  const unattended =
    promptProblem === undefined ? undefined : await readAnswers(given, sources, promptProblem, world);

  const isVerified = flags.verify ?? true;
  const answers = await sayIfCancelled('stored', world, async () => {
    const first = unattended ?? (await askMissing(given, sources, world));
    return isVerified ? await verified(first, unattended === undefined, limits, world) : first;
  });

  const { client } = answers;
  const edits = loginEdits(answers, sources);
  const isReplaced = await untilSignal(world.onSignals, (signal) =>
    world.clients.withLock(clientName(client), signal, () => store(answers, edits, keychainTimeoutMs, world)),
  );
  // A token for the old credentials must not be served any more.
  for (const kept of await world.tokens.remove((other) => clientName(other) === clientName(client)))
    warn(world, `could not remove a cached token: ${kept}`);
  const how = isVerified ? 'verified and ' : '';
  const ending = isReplaced ? ', replacing the previous ones' : '';
  const lines = [
    `Credentials ${how}stored in the keychain as ${clientName(client)}${ending}`,
    ...edits.map((edit) => editText(edit, sources)),
    ...nextSteps(client, sources.flags['ca-file'], world),
  ];
  for (const line of lines) world.stderr.write(`${oneLine(line)}\n`);
  warnOfOthers(answers, sources, world);
}

/** Throws the keychain's error if it does not work, with a hint at variables. */
async function checkKeychain(keychainTimeoutMs: number | undefined, { keychain }: World): Promise<void> {
  try {
    await keychain.probe(keychainTimeoutMs);
  } catch (error) {
    const without = 'set GWTOKEN_CLIENT_ID and GWTOKEN_CLIENT_SECRET (gwtoken help keychain)';
    throw error instanceof GwtokenError ? error.withHints([without]) : error;
  }
}

/** Number of prompts for an ID and a secret. */
const TRIES = 3;

/** Fetches a token; prompts again for typed credentials that are refused. Returns the accepted ones. */
async function verified(
  first: Answers,
  isTyped: boolean,
  limits: RequestSettings,
  world: World,
): Promise<Answers> {
  const tries = isTyped ? TRIES : 1;
  let answers = first;
  for (let n = 1; ; n++) {
    const query = { ...limits, authUrl: { value: answers.authUrl } };
    // Credentials that no item can hold are refused before they are sent.
    formatItem(answers);
    try {
      await world.terminal.spin('verifying the credentials', () => fetchToken(query, answers, world));
      return answers;
    } catch (thrown) {
      const error = withMistakes(thrown, answers, world);
      if (!(error instanceof GwtokenError)) throw error;
      if (!refusesCredentials(error) || n === tries) throw notVerified(error, answers, isTyped);
      const again = suspectsUrl(error)
        ? 'The auth URL may be wrong: press Ctrl-C and check it, or enter them again.'
        : 'Enter them again, or press Ctrl-C and check --region, --sandbox and --auth-url.';
      const paint = await world.terminal.paint('stderr');
      const lines = [
        oneLine(error.message),
        ...hintsFor(error, world).map((hint) => hintLine(hint, paint)),
        again,
      ];
      world.stderr.write(`${lines.join('\n')}\n`);
      answers = await askAgain(answers, world);
    }
  }
}

/** Returns whether the reply has no OAuth error: it may come from another server. */
function suspectsUrl({ reason }: GwtokenError): boolean {
  return reason === 'no-oauth-error';
}

/** Adds to the error that nothing was stored, and hints on how to continue. */
function notVerified(error: GwtokenError, { client, authUrl, clientId }: Answers, isTyped: boolean): Error {
  const { kind, message, hints } = error;
  const mayRestart = isTyped && !suspectsUrl(error);
  const again = mayRestart ? [`to start again, run: ${loginLine(client, authUrl, clientId)}`] : [];
  const steps = replySteps(error, { client });
  // A person who typed ID and secret three times has checked them, so the hint to check them is dropped.
  const afterRefusal = mayRestart ? steps.slice(1) : steps;
  // An error shows two hints: one of its own, and one of login's.
  const cause = { ...error, hints: hints.slice(0, 1) };
  return new GwtokenError(kind, `${message}; nothing was stored`, cause).withHints([
    ...(refusesCredentials(error) ? afterRefusal : steps.slice(0, 1)),
    ...again,
    ...(kind === 'unreached' && !isTyped ? ['to store them unverified, add --no-verify'] : []),
  ]);
}

/** Returns the settings that a login changes: the auth URL, and the profile's region if it has none. */
function loginEdits({ client, authUrl }: Answers, sources: SettingSources): ConfigEdit[] {
  const { general, profiles, path } = sources.config;
  // The default profile uses the general values, unless it has its own.
  const usesGeneral = client.profile === DEFAULT_PROFILE && !profiles[DEFAULT_PROFILE];
  const profile = usesGeneral ? undefined : client.profile;
  const values = (usesGeneral ? general : profiles[client.profile]) ?? {};
  // Compare only with the profile's own URL: a login of another profile may change the general one. An
  // invalid URL is replaced.
  const own = onlyFrom(['config'], { ...sources, config: { path, general: values, profiles: {} } });
  const current = orUndefined(() => resolve(SETTINGS.authUrl, own, client));
  const isSet = current?.value === authUrl;
  return [
    ...(isSet ? [] : [{ profile, key: `auth-url.${client.region}`, value: authUrl }]),
    ...(values['region'] === undefined ? [{ profile, key: 'region', value: client.region }] : []),
  ];
}

/**
 * Stores the keychain item, then the entry in the list of stored clients, then the settings: if the keychain
 * fails, the client works as before, and if a file cannot be written, the next login completes it.
 *
 * @returns true if it replaces credentials that were stored before
 */
async function store(
  answers: Answers,
  edits: readonly ConfigEdit[],
  keychainTimeoutMs: number | undefined,
  { keychain, clients, config, salt }: World,
): Promise<boolean> {
  const { client, clientId, authUrl } = answers;
  const name = clientName(client);
  const isReplaced = await keychain.set(name, formatItem(answers), keychainTimeoutMs);
  await clients.add(name, { clientId, authUrl, loginId: salt() });
  if (edits.length > 0) await config.edit(edits);
  return isReplaced;
}

function editText({ profile, key, value }: ConfigEdit, { config }: SettingSources): string {
  const ofProfile = profile === undefined ? '' : ` for profile ${profile}`;
  return `Set ${key} = ${value}${ofProfile} in ${config.path}`;
}

/**
 * Returns the commands to try next, in the user's shell.
 *
 * @param caFile the flag's CA file, which later commands use only if it is in the config file
 */
function nextSteps(client: Client, caFile: string | undefined, world: World): string[] {
  const { env, platform } = world;
  const flags = flagsToSelect(client, world);
  const shell = platform === 'win32' ? undefined : evaluatingLine(`gwtoken env${flags}`, env);
  const keep = caFile === undefined ? [] : [`gwtoken config set ca-file ${shellWord(caFile)}`];
  const [first = '', ...others] = [...keep, `gwtoken get${flags}`];
  return [
    `Next: ${first}`,
    ...others.map((line) => `then: ${line}`),
    `or:   ${shell ?? 'gwtoken help shells'}`,
  ];
}

/** Returns the flags without which another client would be selected, such as ` --sandbox`. */
function flagsToSelect(client: Client, world: World): string {
  const isSelected = (flags: FlagValues): boolean => {
    const selected = valueOrError(() => resolveClient(gather(flags, world)));
    return !(selected instanceof GwtokenError) && clientName(selected) === clientName(client);
  };
  if (isSelected({})) return '';
  const { profile, environment } = client;
  const all = ` ${clientFlags(client)}`;
  const withoutRegion = {
    sandbox: environment === 'sandbox',
    ...(profile !== DEFAULT_PROFILE && { profile }),
  };
  return isSelected(withoutRegion) ? all.replace(/ --region \w+/, '') : all;
}

/** Warns if other credentials or another auth URL will be used instead of the stored ones. */
function warnOfOthers({ client, authUrl }: Answers, before: SettingSources, world: World): void {
  const { profile } = before.flags;
  const flags = profile === undefined ? {} : { profile };
  const after = gather(flags, world);
  // A bad variable is only a warning here: the credentials are stored.
  const source = valueOrError(() => sourceOf(after, client, world));
  const next = valueOrError(() => resolve(SETTINGS.authUrl, after, client));
  const overridden = source instanceof GwtokenError ? source.message : overrideText(source);
  if (overridden !== undefined) warn(world, overridden);
  if (next && !(next instanceof GwtokenError) && next.value !== authUrl)
    warn(
      world,
      `${next.source.name} sets another auth URL; gwtoken will not send the stored credentials there`,
    );
}
