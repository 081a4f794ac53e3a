/** What login asks the person for, and the secret from stdin. */

import { type Client, DEFAULT_PROFILE, type Environment, REGIONS } from '../../client';
import {
  type Credentials,
  clientIdProblem,
  SECRET_LIMIT,
  secretFromBytes,
  secretProblem,
} from '../../credentials/credentials';
import { attempt, GwtokenError, messageOf, systemCode } from '../../errors';
import { resolveAuthUrl } from '../../settings/resolve';
import type { AuthUrl, Given } from '../../settings/table';
import { parseAuthUrl, withoutTokenPath } from '../../settings/values';
import type { World } from '../../world';
import type { Known } from './given';

export interface Answers extends Credentials {
  readonly client: Client;
  readonly authUrl: TypedUrl;
}
/** An auth URL for the client's region, and as it was written, with `{region}` if that was in it. */
type TypedUrl = Pick<AuthUrl, 'value' | 'template'>;

type Outside = Pick<World, 'terminal' | 'stdin' | 'stderr'>;

/** Asks for all that login needs and is not given, in the order region, environment, auth URL, client ID, secret. */
export async function askMissing(known: Known, given: Given, world: Outside): Promise<Answers> {
  const { terminal } = world;
  const region = known.region ?? (await terminal.choose('Region', REGIONS, known.usualRegion));
  const environment: Environment =
    known.environment ?? (await terminal.choose('Environment', ['production', 'sandbox']));
  const client: Client = { profile: known.profile, environment, region };
  const authUrl = shortened(resolveAuthUrl(given, client) ?? (await askAuthUrl(client, world)), world);
  const clientId = known.clientId ?? (await askClientId(client, world));
  const clientSecret = known.secretPiped ? await readSecret(world) : await askSecret(authUrl, world);
  return { client, authUrl, clientId, clientSecret };
}

async function askAuthUrl({ region, environment }: Client, { terminal, stderr }: Outside): Promise<TypedUrl> {
  const where = environment === 'sandbox' ? `the ${region} sandbox` : region;
  const check = (answer: string): string | undefined => {
    if (answer.trim() === '') return 'Required, for example https://identity.example.com';
    const parsed = attempt(() => parseAuthUrl(answer.trim(), SOURCE, region));
    if (!(parsed instanceof GwtokenError)) return undefined;
    // The person sees what was typed: only what is wrong with it has to be said.
    const problem = parsed.message.split(`(from ${SOURCE}) `).at(-1)?.replace(/^is /, '') ?? '';
    return [problem, ...parsed.hints].map(capitalized).join('. ');
  };
  const example = `https://identity.${region}.example.com`;
  for (const line of ABOUT_AUTH_URL) stderr.write(`${guide(terminal)}${line}\n`);
  const template = (await terminal.ask(`Auth URL for ${where}`, check, { example })).trim();
  return { value: parseAuthUrl(template, SOURCE, region), template };
}

const SOURCE = 'the prompt';
const ABOUT_AUTH_URL = [
  'The auth URL is the part of the token endpoint before /oauth2/token.',
  "The gateway's operator or documentation has it.",
];

/** Begins a line between two prompts. */
export function guide({ hasUnicode }: Pick<World['terminal'], 'hasUnicode'>): string {
  return hasUnicode() ? '│  ' : '';
}

/** Takes the token endpoint's path off, with a word: people copy the token endpoint from their documentation. */
function shortened({ value, template }: TypedUrl, { terminal, stderr }: Outside): TypedUrl {
  if (/\/oauth2\/token\/*$/.test(template))
    stderr.write(
      `${terminal.noPrompt() === undefined ? guide(terminal) : ''}Using the auth URL ${value}: gwtoken adds /oauth2/token itself.\n`,
    );
  return { value, template: withoutTokenPath(template) };
}

/** @param initial filled in, to be corrected */
async function askClientId(client: Client, { terminal }: Outside, initial?: string): Promise<string> {
  const { profile, environment, region } = client;
  const which = [region, environment, ...(profile === DEFAULT_PROFILE ? [] : [`profile ${profile}`])];
  const check = (answer: string) => asSentence(clientIdProblem(answer.trim()));
  return (await terminal.ask(`Client ID (${which.join(', ')})`, check, { initial })).trim();
}

/** Says in the prompt to which auth URL the secret is sent, so that one from a stray variable is noticed in time. */
async function askSecret({ value }: TypedUrl, { terminal }: Outside): Promise<string> {
  const check = (answer: string) => asSentence(secretProblem(answer.trim()));
  return (await terminal.askSecret(`Client secret (sent to ${value})`, check)).trim();
}

/** Asks for both again after a refusal. */
export async function askAgain(answers: Answers, world: Outside): Promise<Answers> {
  const clientId = await askClientId(answers.client, world, answers.clientId);
  return { ...answers, clientId, clientSecret: await askSecret(answers.authUrl, world) };
}

async function readSecret(world: Outside): Promise<string> {
  try {
    return secretFromBytes(await world.stdin.read(SECRET_LIMIT), 'stdin');
  } catch (error) {
    if (error instanceof GwtokenError) throw error;
    const problem =
      systemCode(error) === 'EFBIG'
        ? `is too long (limit: ${SECRET_LIMIT / 1024} KiB)`
        : `cannot be read (${messageOf(error)})`;
    throw new GwtokenError('usage', `the client secret from stdin ${problem}`, {
      hints: ['pipe in only the secret'],
      cause: error,
    });
  }
}

function capitalized(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

function asSentence(problem: string | undefined): string | undefined {
  return problem === 'is empty' ? 'Required' : problem && `It ${problem}`;
}
