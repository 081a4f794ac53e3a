/** Collects the answers that login needs: from flags, settings and stored clients, or by prompts. */
import { type Client, clientFlags, clientName, DEFAULT_PROFILE, isRegion, REGIONS } from '../../client';
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
import { ABOUT_AUTH_URL } from '../../hints/steps';
import { withFlags } from '../../settings/resolve';
import { type FlagValues, isForThisRun, type Settings } from '../../settings/table';
import { parseAuthUrl, parseRegion } from '../../settings/values';
import { capitalized, listOf, oneLine, quoted, shellWord } from '../../text';
import type { World } from '../../world';

export interface Answers extends Credentials {
  readonly client: Client;
  readonly flags: FlagValues;
  readonly authUrl: string;
}

/** Returns the settings with a region. Without one, the first one stands for it in checks and examples. */
export function withRegion(settings: Settings, region = settings.region?.value ?? REGIONS[0]): Settings {
  return withFlags(settings, { region });
}

/** Throws `usage` if a flag or setting is wrong, before login prompts or reads. */
export function checkGiven(settings: Settings, { stdin }: World): void {
  const { flags } = settings;
  const { region } = withRegion(settings).client;
  // Only the flag's URL is sure to be used, whatever the region will be.
  if (flags['auth-url'] !== undefined) parseAuthUrl(flags['auth-url'], '--auth-url', region);
  const clientId = flags['client-id'];
  const problem = clientId === undefined ? undefined : clientIdProblem(clientId);
  if (problem !== undefined)
    throw usage(`client ID ${quoted(clientId!)} (from --client-id) ${problem}`, [ONLY_CLIENT_ID]);
  if (flags['secret-stdin'] && stdin.isTTY())
    throw usage('--secret-stdin needs the client secret on stdin, but stdin is a terminal', [
      'pipe the secret in, or omit --secret-stdin to be prompted',
    ]);
}

/**
 * Takes all answers from flags, settings and the stored client, and the secret from stdin. Throws `usage`
 * that names everything that is missing.
 */
export async function readAnswers(settings: Settings, promptProblem: string, world: World): Promise<Answers> {
  const { region, flags, stored } = settings;
  const { client, authUrl: setting } = withRegion(settings);
  const authUrl = setting?.value;
  const clientId = flags['client-id'] ?? stored()[clientName(client)]?.clientId;
  const needed = [
    ...(region ? [] : ['--region']),
    ...(authUrl === undefined ? ['--auth-url'] : []),
    ...(clientId === undefined ? ['--client-id'] : []),
    ...(flags['secret-stdin'] ? [] : ['--secret-stdin']),
  ];
  if (needed.length === 0)
    return { client, flags, authUrl: authUrl!, clientId: clientId!, clientSecret: await readSecret(world) };
  const exampleUrl = authUrl ?? urlOfOther(client, settings) ?? 'https://YOUR-AUTH-URL';
  const line = loginLine({ client, flags, authUrl: exampleUrl, clientId: clientId ?? 'ID' });
  throw usage(`login needs ${needed.join(', ')} (cannot prompt: ${promptProblem})`, [
    `example: printf %s "$SECRET" | ${line} --secret-stdin`,
    ...(authUrl === undefined ? [ABOUT_AUTH_URL] : []),
  ]);
}

export function loginLine({ client, flags, authUrl, clientId }: Omit<Answers, 'clientSecret'>): string {
  const id = shellWord(clientId);
  return `gwtoken login ${clientFlags(client, flags)} --auth-url ${shellWord(authUrl)} --client-id ${id}`;
}

async function readSecret({ stdin }: World): Promise<string> {
  try {
    return secretFromBytes(await stdin.read(SECRET_LIMIT), 'stdin');
  } catch (error) {
    if (error instanceof GwtokenError) throw error;
    const message = `the client secret from stdin cannot be read (${messageOf(error)})`;
    throw usage(message, [ONLY_SECRET]);
  }
}

/**
 * Prompts for what is missing, in the order region, auth URL, client ID, secret, and suggests values from the
 * config file and of other clients. Of a stored client only the secret is missing: one prompt replaces it.
 */
export async function askMissing(settings: Settings, world: World): Promise<Answers> {
  const { region, flags, stored } = settings;
  const isKnown = region && (isForThisRun(region) || stored()[clientName(settings.client)]);
  const { client, authUrl: setting } = withRegion(
    settings,
    isKnown ? region.value : await askRegion(region?.value, world),
  );
  const former = stored()[clientName(client)];
  const isUrlKnown = setting && (isForThisRun(setting) || former);
  const suggestedUrl = setting?.value ?? urlOfOther(client, settings);
  const authUrl = isUrlKnown ? setting.value : await askAuthUrl(client, suggestedUrl, world);
  const clientId = flags['client-id'] ?? former?.clientId ?? (await askClientId(client, undefined, world));
  const line = `New secret for client ID ${clientId} (${clientName(client)}, ${authUrl})`;
  if (former) world.stderr.write(`${oneLine(line)}\n${HOW_TO_CHANGE}\n`);
  return { client, flags, authUrl, clientId, clientSecret: await askSecret(authUrl, clientId, world) };
}

/** Returns the auth URL of the profile's other stored client in the region: production's for the sandbox. */
function urlOfOther({ profile, region }: Client, { stored }: Settings): string | undefined {
  const [production, sandbox] = (['production', 'sandbox'] as const).map(
    (environment) => stored()[clientName({ profile, environment, region })],
  );
  return (production ?? sandbox)?.authUrl;
}

const HOW_TO_CHANGE = 'To change this, press Ctrl-C and add --client-id, --auth-url or --region.';

export async function askAgain(answers: Answers, world: World): Promise<Answers> {
  const clientId = await askClientId(answers.client, answers.clientId, world);
  return { ...answers, clientId, clientSecret: await askSecret(answers.authUrl, clientId, world) };
}

const SOURCE = 'the prompt';
const REQUIRED = 'Required';

async function askRegion(suggested: string | undefined, { terminal }: World): Promise<Client['region']> {
  const choice = listOf(REGIONS);
  const check = (answer: string) => (isRegion(answer.toLowerCase()) ? undefined : `Type ${choice}`);
  return parseRegion(await terminal.ask(`Region (${choice})`, check, suggested), SOURCE);
}

async function askAuthUrl({ region }: Client, suggested: string | undefined, world: World): Promise<string> {
  const { terminal, stderr } = world;
  const parse = (answer: string): string => parseAuthUrl(answer, SOURCE, region);
  const check = (answer: string): string | undefined => {
    if (answer === '') return REQUIRED;
    // It may be a secret, so it is not repeated.
    if (!/[:.]/.test(answer)) return 'Type a URL such as https://id.example.com';
    const error = valueOrError(() => parse(answer));
    if (!(error instanceof GwtokenError)) return undefined;
    return [error.message, ...error.hints].map(capitalized).join('\n');
  };
  if (suggested === undefined) stderr.write(`${capitalized(ABOUT_AUTH_URL)}: https://id.example.com\n`);
  return parse(await terminal.ask(`Auth URL for ${region}`, check, suggested));
}

async function askClientId(
  { profile, environment, region }: Client,
  suggested: string | undefined,
  { terminal }: World,
): Promise<string> {
  const which = [region, environment, ...(profile === DEFAULT_PROFILE ? [] : [`profile ${profile}`])];
  const check = (answer: string) => {
    // It may be an ID and a secret pasted together.
    const hasSpace = /\s/.test(answer);
    return asSentence(answer, hasSpace ? 'contains a space; paste only the ID' : clientIdProblem(answer));
  };
  return await terminal.ask(`Client ID (${which.join(', ')})`, check, suggested);
}

/** Prompts for the secret and shows its destination, so that a stray auth URL is noticed in time. */
async function askSecret(authUrl: string, clientId: string, { terminal, stderr }: World): Promise<string> {
  const secret = await terminal.askSecret(`Client secret (sent to ${authUrl})`, (answer) =>
    asSentence(answer, secretProblem(answer)),
  );
  // The ID stays on the screen. It is rarely longer than the secret.
  if (secret.length < clientId.length)
    stderr.write('The secret is shorter than the ID: if they are swapped, clear the screen.\n');
  return secret;
}

function asSentence(answer: string, problem: string | undefined): string | undefined {
  return answer === '' ? REQUIRED : problem && `It ${problem}`;
}
