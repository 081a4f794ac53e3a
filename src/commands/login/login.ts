/** The command `gwtoken login`: look at the keychain, prompt for what is missing, fetch a token, store. */
import { type Client, clientFlags, clientName, DEFAULT_PROFILE, parseClientName } from '../../client';
import { formatItem } from '../../credentials/keychain';
import { sourceOf } from '../../credentials/sources';
import { GwtokenError, orUndefined, valueOrError } from '../../errors';
import { evaluatingLine } from '../../formats/env-formats';
import { useVariables } from '../../hints/steps';
import { warn } from '../../note';
import { gather, selecting } from '../../settings/resolve';
import { type FlagValues, type Settings, undoStep } from '../../settings/table';
import { Interrupted, untilSignal } from '../../signals';
import { oneLine, shellWord } from '../../text';
import { requestSettings } from '../../token/query';
import type { Config, World } from '../../world';
import { readSettings } from '../selected-token';
import { type Answers, askMissing, checkGiven, readAnswers, withRegion } from './answers';
import { verified } from './verify';

export async function logIn(flags: FlagValues, world: World): Promise<void> {
  const settings = readSettings(flags, world);
  checkGiven(settings, world);
  const forRequest = requestSettings(settings);
  const promptProblem = world.terminal.promptProblem();
  const isTyped = promptProblem === undefined;
  // A person may type ahead while the keychain is checked.
  if (isTyped) await world.terminal.hideTyping();
  await checkKeychain(settings, world);
  await world.config.checkWritable();
  if (forRequest.caFile) await world.checkCaFile(forRequest.caFile.value);

  const isVerified = flags.verify ?? true;
  const getAnswers = async (): Promise<Answers> => {
    const first = isTyped
      ? await askMissing(settings, world)
      : await readAnswers(settings, promptProblem, world);
    return isVerified ? await verified(first, isTyped, forRequest, world) : first;
  };
  const answers = await getAnswers().catch((error: unknown) => {
    if (error instanceof Interrupted) world.stderr.write('Cancelled. Nothing was stored.\n');
    throw error;
  });

  const { client } = answers;
  const isReplaced = await store(answers, settings, world);
  // A token for the old credentials must not be served any more.
  for (const kept of await world.tokens.remove((other) => clientName(other) === clientName(client)))
    warn(world, `could not remove a cached token: ${kept}`);
  const how = isVerified ? 'verified and ' : '';
  const ending = isReplaced ? ', replacing the previous ones' : '';
  const lines = [
    `Credentials ${how}stored in the keychain as ${clientName(client)}${ending}`,
    ...(await setRegion(client, settings.config, world)),
    ...nextSteps(answers, world),
  ];
  for (const line of lines) world.stderr.write(`${oneLine(line)}\n`);
  const obstacle = obstacleTo(answers, world);
  if (obstacle !== undefined) warn(world, obstacle);
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
async function setRegion(
  { profile, region }: Client,
  { general, profiles, path }: Config,
  world: World,
): Promise<readonly string[]> {
  const isDefault = profile === DEFAULT_PROFILE;
  const values = { ...(isDefault && general), ...profiles[profile] };
  // A region may be in capitals.
  const current = String(values['region']).toLowerCase();
  const stored = Object.keys(world.clients.read()).flatMap((name) => parseClientName(name) ?? []);
  if (stored.some((other) => other.profile === profile && other.region === current)) return [];
  try {
    await world.config.edit({ profile: isDefault ? undefined : profile, key: 'region', value: region });
    return [`Set region = ${region}${isDefault ? '' : ` for profile ${profile}`} in ${path}`];
  } catch (error) {
    if (!(error instanceof GwtokenError)) throw error;
    const problem = `region ${region} is not the default: ${error.message}`;
    warn(world, `${problem}; use --region or export GWTOKEN_REGION`);
    return [];
  }
}

function nextSteps({ client, flags: given }: Answers, world: World): string[] {
  const selected = orUndefined(() => gather({}, world).client);
  const isSelected = selected && clientName(selected) === clientName(client);
  const ofClient = isSelected ? '' : ` ${clientFlags(client, given)}`;
  const ofCaFile = given['ca-file'] === undefined ? '' : ` --ca-file ${shellWord(given['ca-file'])}`;
  const flags = ofClient + ofCaFile;
  const shell = world.platform === 'win32' ? undefined : evaluatingLine(`gwtoken env${flags}`, world.env);
  return [`Next: gwtoken get${flags}`, `or:   ${shell ?? 'gwtoken help shells'}`];
}

/** Returns why later commands will not use the stored credentials; undefined if they will. */
function obstacleTo({ client, authUrl }: Answers, world: World): string | undefined {
  // An invalid setting is only a warning here: the credentials are stored.
  const found = valueOrError(() => {
    const settings = selecting(client, gather({}, world));
    const source = sourceOf(settings, world);
    if (source.kind !== 'keychain') return `credentials from ${source.name} override the stored ones`;
    if (!settings.authUrl || settings.authUrl.value === authUrl) return undefined;
    const { source: other } = settings.authUrl;
    return `${other.name} sets another auth URL; to use the stored credentials, ${undoStep(other)}`;
  });
  return found instanceof GwtokenError ? found.message : found;
}
