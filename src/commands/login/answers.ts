/** What login asks the person for, and the secret from stdin. */

import { type Client, DEFAULT_PROFILE, type Environment, REGIONS } from '../../client';
import { clientIdProblem, SECRET_LIMIT, secretFromBytes, secretProblem } from '../../credentials/credentials';
import { attempt, GwtokenError, messageOf, systemCode } from '../../errors';
import { resolveAuthUrl } from '../../settings/resolve';
import type { AuthUrl, Given } from '../../settings/table';
import { parseAuthUrl } from '../../settings/values';
import type { World } from '../../world';
import type { Known } from './given';

export interface Answers {
  readonly client: Client;
  readonly authUrl: AuthUrl;
  readonly clientId: string;
  readonly clientSecret: string;
}

type Outside = Pick<World, 'terminal' | 'stdin'>;

/** All that login needs: what is missing is asked for, in the order region, environment, auth URL, client ID, secret. */
export async function askMissing(known: Known, given: Given, world: Outside): Promise<Answers> {
  const { terminal } = world;
  const region = known.region ?? (await terminal.choose('Region', REGIONS, known.usualRegion));
  const environment: Environment =
    known.environment ?? (await terminal.choose('Environment', ['production', 'sandbox']));
  const client: Client = { profile: known.profile, environment, region };
  const authUrl = resolveAuthUrl(given, client) ?? (await askAuthUrl(client, world));
  const clientId = known.clientId ?? (await askClientId(client, world));
  const clientSecret =
    given.flags['secret-stdin'] === true ? await readSecret(world) : await askSecret(authUrl, world);
  return { client, authUrl, clientId, clientSecret };
}

async function askAuthUrl({ region, environment }: Client, world: Outside): Promise<AuthUrl> {
  const source = { kind: 'flag' as const, name: 'your answer' };
  const where = environment === 'sandbox' ? `the ${region} sandbox` : region;
  const check = (answer: string): string | undefined => {
    if (answer.trim() === '') return 'Required, for example https://identity.example.com';
    const parsed = attempt(() => parseAuthUrl(answer.trim(), source.name, region));
    if (!(parsed instanceof GwtokenError)) return undefined;
    // The person sees what was typed: only what is wrong with it has to be said.
    const problem = parsed.message.split(`(from ${source.name}) `).at(-1);
    return `It ${[problem, ...parsed.hints].join(': ')}`;
  };
  const example = `https://identity.${region}.example.com`;
  const text = await world.terminal.ask(`Auth URL for ${where}`, check, example);
  return { value: parseAuthUrl(text.trim(), source.name, region), template: text.trim(), source };
}

async function askClientId(client: Client, world: Outside): Promise<string> {
  const which = [
    client.region,
    client.environment,
    ...(client.profile === DEFAULT_PROFILE ? [] : [`profile ${client.profile}`]),
  ];
  const text = await world.terminal.ask(`Client ID (${which.join(', ')})`, (answer) =>
    asSentence(clientIdProblem(answer.trim())),
  );
  return text.trim();
}

/** The question says where the secret goes, so that an auth URL from a stray variable is noticed in time. */
export function askSecret({ value }: AuthUrl, world: Pick<World, 'terminal'>): Promise<string> {
  return world.terminal.askSecret(`Client secret (sent to ${value})`, (answer) =>
    asSentence(secretProblem(answer)),
  );
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

function asSentence(problem: string | undefined): string | undefined {
  return problem === 'is empty' ? 'Required' : problem && `It ${problem}`;
}
