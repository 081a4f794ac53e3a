/** Collects the answers that login needs: from flags, settings and stored clients, or by prompts. */
import { type Client, clientName, DEFAULT_PROFILE, isRegion, loginCommand, REGIONS } from '../../client';
import {
  type Credentials,
  clientIdProblem,
  ONLY_CLIENT_ID,
  ONLY_SECRET,
  SECRET_LIMIT,
  secretFromBytes,
  secretProblem,
} from '../../credentials/credentials';
import { GwtokenError, messageOf, usage, valueOrError } from '../../errors';
import { withFlags } from '../../settings/resolve';
import { type FlagValues, isForThisRun, type Settings } from '../../settings/table';
import { parseAuthUrl, parseRegion } from '../../settings/values';
import { capitalized, listOf, oneLine, quoted, shellWord } from '../../text';
import type { StoredClient, World } from '../../world';

const ABOUT_AUTH_URL = 'the auth URL is the token endpoint before /oauth2/token';

export interface Answers extends Credentials {
  readonly client: Client;
  readonly flags: FlagValues;
  readonly authUrl: string;
}

/** Returns the settings with a region. Without one, the first one stands for it in checks and examples. */
export function withRegion(settings: Settings, region = settings.region?.value ?? REGIONS[0]): Settings {
  return withFlags(settings, { region });
}

/** Throws `usage` if a flag is wrong, or what selects the client, before login prompts or reads. */
export function checkGiven(settings: Settings, { stdin }: World): void {
  const { flags, client } = withRegion(settings);
  const { 'client-id': clientId, 'auth-url': authUrl } = flags;
  // Only the flag's URL is sure to be used, whatever the region will be.
  if (authUrl !== undefined) parseAuthUrl(authUrl, '--auth-url', client.region);
  const problem = clientId !== undefined && clientIdProblem(clientId);
  if (problem) throw usage(`client ID ${quoted(clientId)} (from --client-id) ${problem}`, [ONLY_CLIENT_ID]);
  if (flags['secret-stdin'] && stdin.isTTY())
    throw usage('--secret-stdin needs the client secret on stdin, but stdin is a terminal', [
      'pipe the secret in, or omit --secret-stdin to be prompted',
    ]);
}

/** Returns what the list of stored clients says about the client of the settings. */
function storedOf({ client, stored }: Settings): StoredClient | undefined {
  return stored()[clientName(client)];
}

function knownClientId(settings: Settings): string | undefined {
  return settings.flags['client-id'] ?? storedOf(settings)?.clientId;
}

/** Returns the auth URL of the settings, or else of the profile's other client in the region. */
function likelyAuthUrl({ client, authUrl, stored }: Settings): string | undefined {
  const environment = client.environment === 'sandbox' ? 'production' : 'sandbox';
  return authUrl?.value ?? stored()[clientName({ ...client, environment })]?.authUrl;
}

/**
 * Takes all answers from flags, settings and the stored client, and the secret from stdin. Throws `usage`
 * that names everything that is missing.
 */
export async function readAnswers(given: Settings, promptProblem: string, world: World): Promise<Answers> {
  const settings = withRegion(given);
  const { client, flags, authUrl } = settings;
  const clientId = knownClientId(settings);
  if (given.region && authUrl && clientId !== undefined && flags['secret-stdin'])
    return { client, flags, authUrl: authUrl.value, clientId, clientSecret: await readSecret(world) };
  const missing = [
    ...(given.region ? [] : ['--region']),
    ...(authUrl ? [] : ['--auth-url']),
    ...(clientId === undefined ? ['--client-id'] : []),
    ...(flags['secret-stdin'] ? [] : ['--secret-stdin']),
  ];
  const exampleUrl = likelyAuthUrl(settings) ?? 'https://YOUR-AUTH-URL';
  const line = loginLine({ client, flags, authUrl: exampleUrl, clientId: clientId ?? 'ID' });
  throw usage(`login needs ${missing.join(', ')} (cannot prompt: ${promptProblem})`, [
    `example: printf %s "$SECRET" | ${line} --secret-stdin`,
    ...(authUrl ? [] : [ABOUT_AUTH_URL]),
  ]);
}

export function loginLine({ client, flags, authUrl, clientId }: Omit<Answers, 'clientSecret'>): string {
  return `${loginCommand(client, flags)} --auth-url ${shellWord(authUrl)} --client-id ${shellWord(clientId)}`;
}

async function readSecret({ stdin }: World): Promise<string> {
  const bytes = await stdin.read(SECRET_LIMIT).catch((error: unknown) => {
    throw usage(`the client secret from stdin cannot be read (${messageOf(error)})`, [ONLY_SECRET]);
  });
  return secretFromBytes(bytes, 'stdin');
}

/**
 * Prompts for what is missing, in the order region, auth URL, client ID, secret. Values of the config file
 * are only suggested, unless the client is stored: then only its secret is missing.
 */
export async function askMissing(given: Settings, world: World): Promise<Answers> {
  const { region } = given;
  const isRegionSure = region && (isForThisRun(region) || storedOf(given));
  const settings = withRegion(given, isRegionSure ? region.value : await askRegion(region?.value, world));
  const { client, flags, authUrl: setting } = settings;
  const isStored = storedOf(settings) !== undefined;
  const isUrlSure = setting && (isForThisRun(setting) || isStored);
  const authUrl = isUrlSure ? setting.value : await askAuthUrl(settings, world);
  const clientId = knownClientId(settings) ?? (await askClientId(client, undefined, world));
  if (isStored) {
    const line = `New secret for client ID ${clientId} (${clientName(client)}, ${authUrl})`;
    const change = 'To change this, press Ctrl-C and add --client-id, --auth-url or --region.';
    world.stderr.write(`${oneLine(line)}\n${change}\n`);
  }
  return { client, flags, authUrl, clientId, clientSecret: await askSecret(authUrl, world) };
}

export async function askAgain(answers: Answers, world: World): Promise<Answers> {
  const clientId = await askClientId(answers.client, answers.clientId, world);
  return { ...answers, clientId, clientSecret: await askSecret(answers.authUrl, world) };
}

const SOURCE = 'the prompt';

async function askRegion(suggested: string | undefined, { terminal }: World): Promise<Client['region']> {
  const choice = listOf(REGIONS);
  const check = (answer: string) => (isRegion(answer.toLowerCase()) ? undefined : `Type ${choice}`);
  return parseRegion(await terminal.ask(`Region (${choice})`, check, { suggested }), SOURCE);
}

async function askAuthUrl(settings: Settings, world: World): Promise<string> {
  const { region } = settings.client;
  const suggested = likelyAuthUrl(settings);
  const parse = (answer: string): string => parseAuthUrl(answer, SOURCE, region);
  const check = (answer: string): string | undefined => {
    // It may be a secret, so it is not repeated.
    if (!/[:.]/.test(answer)) return 'Type a URL such as https://id.example.com';
    const error = valueOrError(() => parse(answer));
    if (!(error instanceof GwtokenError)) return undefined;
    return [error.message, ...error.hints].map(capitalized).join('\n');
  };
  if (suggested === undefined) world.stderr.write(`${capitalized(ABOUT_AUTH_URL)}: https://id.example.com\n`);
  return parse(await world.terminal.ask(`Auth URL for ${region}`, check, { suggested }));
}

async function askClientId(
  { profile, environment, region }: Client,
  suggested: string | undefined,
  { terminal }: World,
): Promise<string> {
  const which = [region, environment, ...(profile === DEFAULT_PROFILE ? [] : [`profile ${profile}`])];
  // An answer with a space may be an ID and a secret pasted together.
  const check = (answer: string) =>
    asSentence(/\s/.test(answer) ? 'contains a space; paste only the ID' : clientIdProblem(answer));
  return await terminal.ask(`Client ID (${which.join(', ')})`, check, { suggested });
}

/** Prompts for the secret and shows its destination, so that a stray auth URL is noticed in time. */
async function askSecret(authUrl: string, { terminal }: World): Promise<string> {
  const check = (answer: string) => asSentence(secretProblem(answer));
  return await terminal.ask(`Client secret (sent to ${authUrl})`, check, { isSecret: true });
}

function asSentence(problem: string | undefined): string | undefined {
  return problem && `It ${problem}`;
}
