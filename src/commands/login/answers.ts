/** Collects the answers that login needs: from flags, settings and stdin, or from prompts. */

import {
  type Client,
  clientFlags,
  clientName,
  DEFAULT_PROFILE,
  isRegion,
  parseClientName,
  REGIONS,
} from '../../client';
import {
  type Credentials,
  clientIdProblem,
  SECRET_LIMIT,
  secretFromBytes,
  secretProblem,
} from '../../credentials/credentials';
import { hideSecrets } from '../../credentials/variables';
import { GwtokenError, messageOf, orUndefined, usage, valueOrError } from '../../errors';
import { hintsFor } from '../../hints';
import { clientParts, onlyFrom, resolve } from '../../settings/resolve';
import { SETTINGS, type SettingSources } from '../../settings/table';
import { parseAuthUrl, parseRegion } from '../../settings/values';
import { quoted, shellWord, warn } from '../../text';
import type { World } from '../../world';
import { hintLine } from '../report';

export interface Answers extends Credentials {
  readonly client: Client;
  readonly authUrl: string;
}

/** The client as flags and settings give it. */
type Given = ReturnType<typeof checkGiven>;

/** Checks flags and settings first, before login prompts or reads. Throws `usage`. */
export function checkGiven(sources: SettingSources, { stdin }: World) {
  const { flags } = sources;
  const { profile, environment, region } = clientParts(sources);
  // Only a flag's URL is checked this early: a variable may be for another region.
  if (flags['auth-url'] !== undefined) resolve(SETTINGS.authUrl, sources, { profile, region: REGIONS[0] });
  const clientId = flags['client-id'];
  const problem = clientId === undefined ? undefined : clientIdProblem(clientId);
  if (problem !== undefined)
    throw usage(`client ID ${quoted(clientId!)} (from --client-id) ${problem}`, 'pass only the client ID');
  if (flags['secret-stdin'] && stdin.isTTY())
    throw usage(
      '--secret-stdin needs the client secret on stdin, but stdin is a terminal',
      'pipe the secret in, or omit --secret-stdin to be prompted',
    );
  return { profile, environment, region, clientId };
}

/**
 * Takes all answers from flags and settings, and the secret from stdin.
 *
 * @param promptProblem reason why login cannot prompt
 * @throws GwtokenError `usage` that names everything that is missing
 */
export async function readAnswers(
  { region, clientId, ...given }: Given,
  sources: SettingSources,
  promptProblem: string,
  world: World,
): Promise<Answers> {
  // Without a region, the example in the error names the first one.
  const client: Client = { ...given, region: region?.value ?? REGIONS[0] };
  const authUrl = resolve(SETTINGS.authUrl, sources, client)?.value;
  const isPiped = sources.flags['secret-stdin'] ?? false;
  if (region && authUrl !== undefined && clientId !== undefined && isPiped) {
    await warnOfOtherUrls(client, authUrl, world);
    return { client, authUrl, clientId, clientSecret: await readSecret(world) };
  }
  const needed = [
    ...(region ? [] : ['--region']),
    ...(authUrl === undefined ? ['--auth-url'] : []),
    ...(clientId === undefined ? ['--client-id'] : []),
    ...(isPiped ? [] : ['--secret-stdin']),
  ];
  const line = loginLine(client, authUrl ?? 'https://YOUR-AUTH-URL', clientId ?? 'ID');
  throw usage(
    `login needs ${needed.join(', ')} (cannot prompt: ${promptProblem})`,
    `example: printf %s "$SECRET" | ${line} --secret-stdin`,
    ...(authUrl === undefined ? [ABOUT_AUTH_URL] : []),
  );
}

/** Returns the line that logs this client in. */
export function loginLine(client: Client, authUrl: string, clientId: string): string {
  const id = shellWord(clientId);
  return `gwtoken login ${clientFlags(client)} --auth-url ${shellWord(authUrl)} --client-id ${id}`;
}

/** Fits in 79 columns. Nothing follows the URL, so that it can be copied. */
const ABOUT_AUTH_URL = 'the auth URL is the token endpoint before /oauth2/token: https://id.example.com';

async function readSecret({ stdin }: World): Promise<string> {
  try {
    return secretFromBytes(await stdin.read(SECRET_LIMIT), 'stdin');
  } catch (error) {
    if (error instanceof GwtokenError) throw error;
    const message = `the client secret from stdin cannot be read (${messageOf(error)})`;
    throw usage(message, 'pipe in only the secret');
  }
}

/**
 * Prompts for what no flag or variable gives, in the order region, auth URL, client ID, secret. A stored
 * value or one from the config file is the answer that the prompt suggests.
 */
export async function askMissing(
  { region: setting, clientId: givenId, ...given }: Given,
  sources: SettingSources,
  world: World,
): Promise<Answers> {
  const isGiven = setting && setting.source.kind !== 'config';
  const region = isGiven ? setting.value : await askRegion(setting?.value, world);
  const client: Client = { ...given, region };
  const givenUrl = resolve(SETTINGS.authUrl, onlyFrom(['flag', 'variable'], sources), client)?.value;
  // An invalid URL in the config file is replaced.
  const suggested = orUndefined(
    () => resolve(SETTINGS.authUrl, onlyFrom(['config'], sources), client)?.value,
  );
  const authUrl = givenUrl ?? (await askAuthUrl(client, suggested, world));
  await warnOfOtherUrls(client, authUrl, world);
  const stored = world.clients.read()[clientName(client)]?.clientId;
  const clientId = givenId ?? (await askClientId(client, stored, world));
  return { client, authUrl, clientId, clientSecret: await askSecret(authUrl, world) };
}

/** Prompts for ID and secret again after a refusal. */
export async function askAgain(answers: Answers, world: World): Promise<Answers> {
  const clientId = await askClientId(answers.client, answers.clientId, world);
  return { ...answers, clientId, clientSecret: await askSecret(answers.authUrl, world) };
}

/** Warns of stored clients that will stop working, as the profile has one auth URL for each region. */
async function warnOfOtherUrls(client: Client, authUrl: string, world: World): Promise<void> {
  const { profile, region } = client;
  for (const [name, stored] of Object.entries(world.clients.read())) {
    const other = parseClientName(name);
    const sharesUrl = other?.profile === profile && other.region === region && name !== clientName(client);
    if (!sharesUrl || stored.authUrl === authUrl) continue;
    warn(world, `${name} is stored for ${stored.authUrl}; it will not work with this auth URL`);
    const hint = 'to keep both, log in with --profile NAME instead';
    world.stderr.write(`${hintLine(hint, await world.terminal.paint('stderr'))}\n`);
  }
}

const SOURCE = 'the prompt';
const REQUIRED = 'Required';

async function askRegion(suggested: string | undefined, { terminal }: World): Promise<Client['region']> {
  const choice = REGIONS.join(' or ');
  const check = (answer: string) => (isRegion(answer.toLowerCase()) ? undefined : `Type ${choice}`);
  return parseRegion(await terminal.ask(`Region (${choice})`, check, suggested), SOURCE);
}

async function askAuthUrl({ region }: Client, suggested: string | undefined, world: World): Promise<string> {
  const { terminal, stderr, env } = world;
  const parse = (answer: string): string => parseAuthUrl(answer, SOURCE, region);
  const check = (answer: string): string | undefined => {
    if (answer === '') return REQUIRED;
    const error = valueOrError(() => parse(answer));
    if (!(error instanceof GwtokenError)) return undefined;
    return hideSecrets([error.message, ...hintsFor(error, world)].map(capitalized).join('. '), env);
  };
  if (suggested === undefined) stderr.write(`${capitalized(ABOUT_AUTH_URL)}\n`);
  return parse(await terminal.ask(`Auth URL for ${region}`, check, suggested));
}

async function askClientId(
  { profile, environment, region }: Client,
  stored: string | undefined,
  { terminal }: World,
): Promise<string> {
  const which = [region, environment, ...(profile === DEFAULT_PROFILE ? [] : [`profile ${profile}`])];
  const check = (answer: string) => asSentence(answer, typedIdProblem(answer));
  return await terminal.ask(`Client ID (${which.join(', ')})`, check, stored);
}

/** Returns the fault of a typed client ID. With a space, it may be an ID and a secret pasted together. */
function typedIdProblem(answer: string): string | undefined {
  return /\s/.test(answer) ? 'contains a space; paste only the ID' : clientIdProblem(answer);
}

/** Prompts for the secret and shows its destination, so that a stray auth URL is noticed in time. */
async function askSecret(authUrl: string, { terminal }: World): Promise<string> {
  return await terminal.askSecret(`Client secret (sent to ${authUrl})`, (answer) =>
    asSentence(answer, secretProblem(answer)),
  );
}

function capitalized(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

function asSentence(answer: string, problem: string | undefined): string | undefined {
  return answer === '' ? REQUIRED : problem && `It ${problem}`;
}
