/** The command `gwtoken login`: look at the keychain, prompt for what is missing, fetch a token, store. */
import { type Client, clientFlags, clientName, DEFAULT_PROFILE, parseClientName } from '../../client';
import { formatItem } from '../../credentials/keychain';
import { sourceOf } from '../../credentials/sources';
import { GwtokenError, orUndefined, valueOrError } from '../../errors';
import { evaluatingLine } from '../../formats/env-formats';
import { useVariables } from '../../hints/steps';
import { warn } from '../../note';
import { once } from '../../once';
import { findInConfig, gather, selecting } from '../../settings/resolve';
import { type FlagValues, type Settings, undoStep } from '../../settings/table';
import { Interrupted, untilSignal } from '../../signals';
import { oneLine, shellWord } from '../../text';
import { type RequestSettings, requestSettings } from '../../token/query';
import type { Config, World } from '../../world';
import { readSettings } from '../selected-token';
import { type Answers, askMissing, checkGiven, readAnswers, withRegion } from './answers';
import { verified } from './verify';

export async function logIn(flags: FlagValues, world: World): Promise<void> {
  const settings = readSettings(flags, world);
  checkGiven(settings, world);
  const forRequest = requestSettings(settings);
  const promptProblem = world.terminal.promptProblem();
  // A person may type ahead while the keychain is checked.
  if (promptProblem === undefined) await world.terminal.hideTyping();
  await checkKeychain(settings, world);
  await world.config.checkWritable();
  if (forRequest.caFile) await world.checkCaFile(forRequest.caFile.value);

  const answers = await acceptedAnswers(settings, forRequest, promptProblem, world);
  const { client } = answers;
  const isReplaced = await store(answers, settings, world);
  // A token for the old credentials must not be served any more.
  for (const kept of await world.tokens.remove((other) => clientName(other) === clientName(client)))
    warn(world, `could not remove a cached token: ${kept}`);
  const aboutRegion = await setRegion(client, settings.config, world);
  reportLogin(answers, isReplaced, aboutRegion, world);
}

/** Returns the answers of a person or a script. With --no-verify, they are not verified. */
async function acceptedAnswers(
  settings: Settings,
  forRequest: RequestSettings,
  promptProblem: string | undefined,
  world: World,
): Promise<Answers> {
  const canPrompt = promptProblem === undefined;
  try {
    const first = canPrompt
      ? await askMissing(settings, world)
      : await readAnswers(settings, promptProblem, world);
    if (settings.flags.verify === false) return first;
    return await verified(first, canPrompt, forRequest, world);
  } catch (error) {
    if (error instanceof Interrupted) world.stderr.write('Cancelled. Nothing was stored.\n');
    throw error;
  }
}

/** Throws the keychain's error if it does not work, with a hint at variables. */
async function checkKeychain(settings: Settings, world: World): Promise<void> {
  try {
    await world.keychain.probe(settings.keychainTimeoutMs?.value);
  } catch (error) {
    if (!(error instanceof GwtokenError)) throw error;
    const source = orUndefined(() => sourceOf(withRegion(settings), world));
    const isNeedless = source && source.kind !== 'keychain';
    const [lastStep] = isNeedless ? [`no login is needed with ${source.name}`] : useVariables(settings);
    throw error.with({ lastStep });
  }
}

/**
 * Stores the keychain item, then the entry in the list of stored clients. If the item cannot be stored, the
 * client works as before. Returns true if it replaces credentials that were stored before.
 */
async function store(
  answers: Answers,
  { keychainTimeoutMs }: Settings,
  { keychain, clients, onSignals, stderr, uniqueName }: World,
): Promise<boolean> {
  const { client, flags, clientId, authUrl } = answers;
  const name = clientName(client);
  const undo = `gwtoken logout ${clientFlags(client, flags)}`;
  const lastStep = `the credentials may be stored; to remove them, run: ${undo}`;
  const item = formatItem(answers);
  try {
    return await untilSignal(onSignals, async () => {
      const isReplaced = await keychain.set(name, item, keychainTimeoutMs?.value);
      await clients.add(name, { clientId, authUrl, loginId: uniqueName() });
      return isReplaced;
    });
  } catch (error) {
    if (error instanceof Interrupted) stderr.write(`Cancelled, but ${lastStep}\n`);
    throw error instanceof GwtokenError ? error.with({ lastStep }) : error;
  }
}

/**
 * Sets the profile's region if none is set, or if no client of that region is stored in the profile. Returns
 * a line about it. Only warns if that fails.
 */
async function setRegion({ profile, region }: Client, config: Config, world: World): Promise<string[]> {
  const isDefault = profile === DEFAULT_PROFILE;
  // The general region is only the default profile's own. An invalid one is replaced.
  const own = isDefault ? config : { ...config, general: {} };
  const current = orUndefined(() => findInConfig(['region'], own, profile))?.text.toLowerCase();
  const stored = Object.keys(world.clients.read()).flatMap((name) => parseClientName(name) ?? []);
  if (stored.some((other) => other.profile === profile && other.region === current)) return [];
  try {
    await world.config.edit({ profile: isDefault ? undefined : profile, key: 'region', value: region });
    return [`Set region = ${region}${isDefault ? '' : ` for profile ${profile}`} in ${config.path}`];
  } catch (error) {
    if (!(error instanceof GwtokenError)) throw error;
    const problem = `region ${region} is not the default: ${error.message}`;
    warn(world, `${problem}; use --region or export GWTOKEN_REGION`);
    return [];
  }
}

function reportLogin(answers: Answers, isReplaced: boolean, aboutRegion: string[], world: World): void {
  const how = answers.flags.verify === false ? '' : 'verified and ';
  const ending = isReplaced ? ', replacing the previous ones' : '';
  /** Returns the settings of later commands without flags. */
  const later = once(() => gather({}, world));
  const lines = [
    `Credentials ${how}stored in the keychain as ${clientName(answers.client)}${ending}`,
    ...aboutRegion,
    ...nextSteps(answers, later, world),
  ];
  for (const line of lines) world.stderr.write(`${oneLine(line)}\n`);
  const obstacle = obstacleTo(answers, later, world);
  if (obstacle !== undefined) warn(world, obstacle);
}

function nextSteps({ client, flags: given }: Answers, later: () => Settings, world: World): string[] {
  const selected = orUndefined(() => later().client);
  const isSelected = selected && clientName(selected) === clientName(client);
  const ofClient = isSelected ? '' : ` ${clientFlags(client, given)}`;
  const ofCaFile = given['ca-file'] === undefined ? '' : ` --ca-file ${shellWord(given['ca-file'])}`;
  const flags = ofClient + ofCaFile;
  const shell = world.platform === 'win32' ? undefined : evaluatingLine(`gwtoken env${flags}`, world.env);
  return [`Next: gwtoken get${flags}`, `or:   ${shell ?? 'gwtoken help shells'}`];
}

/** Returns why later commands will not use the stored credentials; undefined if they will. */
function obstacleTo({ client, authUrl }: Answers, later: () => Settings, world: World): string | undefined {
  // An invalid setting is only a warning here: the credentials are stored.
  const found = valueOrError(() => {
    const settings = selecting(client, later());
    const source = sourceOf(settings, world);
    if (source.kind !== 'keychain') return `credentials from ${source.name} override the stored ones`;
    if (!settings.authUrl || settings.authUrl.value === authUrl) return undefined;
    const { source: other } = settings.authUrl;
    return `${other.name} sets another auth URL; to use the stored credentials, ${undoStep(other)}`;
  });
  return found instanceof GwtokenError ? found.message : found;
}
