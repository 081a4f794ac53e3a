/** Answers that login needs: from flags, variables and the config file, else from prompts. */

import {
  type Client,
  clientFlags,
  clientName,
  DEFAULT_PROFILE,
  isRegion,
  REGIONS,
  type Region,
} from '../../client';
import {
  type Credentials,
  clientIdProblem,
  SECRET_LIMIT,
  secretFromBytes,
  secretProblem,
} from '../../credentials/credentials';
import { GwtokenError, messageOf, usage, valueOrError } from '../../errors';
import { resolve } from '../../settings/resolve';
import { SETTINGS, type Setting, type SettingSources } from '../../settings/table';
import { parseAuthUrl, parseRegion } from '../../settings/values';
import { quoted, shellWord } from '../../text';
import type { World } from '../../world';

/** Answers that are known before any prompt; an undefined one is prompted for. */
type Known = ReturnType<typeof checkGiven>;

export interface Answers extends Credentials {
  readonly client: Client;
  readonly authUrl: TypedUrl;
}
type TypedUrl = Pick<Setting<string>, 'value' | 'text'>;

type PromptWorld = Pick<World, 'terminal' | 'stdin' | 'stderr' | 'clients'>;

/**
 * Checks all that is given before anything is prompted for, read or done. If prompts are impossible, one
 * error names everything that is missing.
 *
 * @throws GwtokenError `usage`
 */
export function checkGiven(sources: SettingSources, { terminal, stdin }: PromptWorld) {
  const { flags } = sources;
  const noPrompt = terminal.noPrompt();
  const canAsk = noPrompt === undefined;
  const profile = resolve(SETTINGS.profile, sources).value;
  const environment = resolve(SETTINGS.environment, sources, { profile }).value;
  const regionSetting = resolve(SETTINGS.region, sources, { profile });
  const region = canAsk && regionSetting?.source.kind === 'config' ? undefined : regionSetting?.value;
  // Without a region it is not known yet which auth URL to check, but for the flag's.
  const authUrl =
    region === undefined && canAsk && flags['auth-url'] === undefined
      ? undefined
      : resolve(SETTINGS.authUrl, sources, { profile, region: region ?? REGIONS[0] });
  const clientId = checkClientId(flags['client-id']);
  const secretPiped = flags['secret-stdin'] === true;
  if (secretPiped && stdin.isTTY()) {
    throw usage(
      '--secret-stdin needs the client secret on stdin, but stdin is a terminal',
      'pipe the secret in, or omit --secret-stdin to be prompted',
    );
  }
  const known = {
    profile,
    environment,
    region,
    /** Region of the config file: the answer that the prompt suggests. */
    suggestedRegion: regionSetting?.value,
    clientId,
    secretPiped,
  };
  const needed = [
    ['--region', region],
    ['--auth-url', authUrl],
    ['--client-id', clientId],
    ['--secret-stdin', secretPiped || undefined],
  ] as const;
  const missing = needed.flatMap(([flag, value]) => (value === undefined ? [flag] : []));
  if (canAsk || missing.length === 0) return known;
  const example = [
    `gwtoken login ${clientFlags({ profile, environment, region: region ?? REGIONS[0] })}`,
    `--auth-url ${shellWord(authUrl?.text ?? 'https://YOUR-AUTH-URL')}`,
    `--client-id ${shellWord(clientId ?? 'ID')} --secret-stdin`,
  ];
  const required = missing.length === 1 ? 'is required' : 'are required';
  throw usage(
    `${missing.join(', ').replace(/, ([^,]*)$/, ' and $1')} ${required}: ${noPrompt}`,
    `example: printf %s "$SECRET" | ${example.join(' ')}`,
    ...(authUrl
      ? []
      : ["the auth URL is the token endpoint before /oauth2/token; the gateway's operator has it"]),
  );
}

function checkClientId(flag: string | boolean | undefined): string | undefined {
  if (typeof flag !== 'string') return undefined;
  const clientId = flag.trim();
  const problem = clientIdProblem(clientId);
  if (problem === undefined) return clientId;
  throw usage(`client ID ${quoted(clientId)} (from --client-id) ${problem}`, 'pass only the client ID');
}

/** Prompts for all that is missing, in the order region, auth URL, client ID, secret. */
export async function askMissing(
  known: Known,
  sources: SettingSources,
  world: PromptWorld,
): Promise<Answers> {
  const region = known.region ?? (await askRegion(known.suggestedRegion, world));
  const client: Client = { profile: known.profile, environment: known.environment, region };
  const authUrl = resolve(SETTINGS.authUrl, sources, client) ?? (await askAuthUrl(region, world));
  const stored = world.clients.read()[clientName(client)]?.clientId;
  const clientId = known.clientId ?? (await askClientId(client, world, stored));
  const clientSecret = known.secretPiped ? await readSecret(world) : await askSecret(authUrl, world);
  return { client, authUrl, clientId, clientSecret };
}

const SOURCE = 'the prompt';

async function askRegion(suggested: Region | undefined, { terminal }: PromptWorld): Promise<Region> {
  const choice = REGIONS.join(' or ');
  const check = (answer: string) => (isRegion(answer.toLowerCase()) ? undefined : `Type ${choice}`);
  return parseRegion(await terminal.ask(`Region (${choice})`, check, suggested), SOURCE);
}

async function askAuthUrl(region: Region, { terminal, stderr }: PromptWorld): Promise<TypedUrl> {
  const check = (answer: string): string | undefined => {
    if (answer === '') return 'Required';
    const parsed = valueOrError(() => parseAuthUrl(answer, SOURCE, region));
    if (!(parsed instanceof GwtokenError)) return undefined;
    // The person sees the typed text: only its fault has to be shown.
    const problem = parsed.message.split(`(from ${SOURCE}) `).at(-1)?.replace(/^is /, '') ?? '';
    return [problem, ...parsed.hints].map(capitalized).join('. ');
  };
  const example = `https://identity.${region}.example.com`;
  stderr.write(`The auth URL is the token endpoint before /oauth2/token, such as ${example}.\n`);
  stderr.write("The gateway's operator or documentation has it.\n");
  const text = await terminal.ask(`Auth URL for ${region}`, check);
  return { value: parseAuthUrl(text, SOURCE, region), text };
}

async function askClientId(client: Client, { terminal }: PromptWorld, stored?: string): Promise<string> {
  const { profile, environment, region } = client;
  const which = [region, environment, ...(profile === DEFAULT_PROFILE ? [] : [`profile ${profile}`])];
  const check = (answer: string) => asSentence(clientIdProblem(answer));
  return await terminal.ask(`Client ID (${which.join(', ')})`, check, stored);
}

/** Prompts for the secret and shows its destination, so that a stray auth URL is noticed in time. */
async function askSecret({ value }: TypedUrl, { terminal }: PromptWorld): Promise<string> {
  const check = (answer: string) => asSentence(secretProblem(answer));
  return await terminal.askSecret(`Client secret (sent to ${value})`, check);
}

/** Prompts for ID and secret again after a refusal. */
export async function askAgain(answers: Answers, world: PromptWorld): Promise<Answers> {
  const clientId = await askClientId(answers.client, world, answers.clientId);
  return { ...answers, clientId, clientSecret: await askSecret(answers.authUrl, world) };
}

async function readSecret({ stdin }: PromptWorld): Promise<string> {
  try {
    return secretFromBytes(await stdin.read(SECRET_LIMIT), 'stdin');
  } catch (error) {
    if (error instanceof GwtokenError) throw error;
    throw usage(
      `the client secret from stdin cannot be read (${messageOf(error)})`,
      'pipe in only the secret',
    );
  }
}

function capitalized(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

function asSentence(problem: string | undefined): string | undefined {
  return problem === 'is empty' ? 'Required' : problem && `It ${problem}`;
}
