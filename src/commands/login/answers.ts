/** What login has to know before it can begin: from flags, variables and the config, and for the rest from the person. */

import {
  type Client,
  clientName,
  DEFAULT_PROFILE,
  type Environment,
  REGIONS,
  type Region,
} from '../../client';
import { clientIdProblem, SECRET_LIMIT, secretFromBytes, secretProblem } from '../../credentials/secret-text';
import { GwtokenError, messageOf, systemCode } from '../../errors';
import { isCi } from '../../person';
import { parseAuthUrl } from '../../settings/auth-url';
import { resolveAuthUrl, resolveEnvironment, resolveProfile, resolveRegion } from '../../settings/resolve';
import type { AuthUrl, Given } from '../../settings/setting';
import { quoted } from '../../text';
import type { World } from '../../world/world';

export interface Answers {
  readonly client: Client;
  readonly authUrl: AuthUrl;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What is given, checked; what is not is asked for. */
interface Known {
  readonly profile: string;
  readonly environment: Environment | undefined;
  readonly region: Region | undefined;
  readonly clientId: string | undefined;
}

/**
 * Checks what is given before anything is asked, read or done. Where nobody can be asked, all that is missing is named
 * at once.
 */
export function checkGiven(given: Given, world: World): Known {
  const { flags } = given;
  const profile = resolveProfile(given).value;
  const { value: environment, source } = resolveEnvironment(given, profile);
  const region = resolveRegion(given, profile)?.value;
  const own = ownRegion(given, profile, world);
  // Which region's address has to be right is not known before the region is.
  const authUrl =
    own === undefined && world.terminal.canAsk()
      ? undefined
      : resolveAuthUrl(given, { profile, environment, region: own ?? 'eu' });
  const clientId =
    typeof flags['client-id'] === 'string' ? checkClientId(flags['client-id'].trim()) : undefined;
  const secretPiped = flags['secret-stdin'] === true;
  if (secretPiped && world.stdin.isTTY()) {
    throw new GwtokenError(
      'usage',
      '--secret-stdin reads the client secret from a pipe, but stdin is a terminal',
      { hints: ['pipe the secret in, or leave --secret-stdin out to be asked for it'] },
    );
  }
  const known: Known = { profile, environment, region: own, clientId };
  if (world.terminal.canAsk())
    return { ...known, environment: source.kind === 'default' ? undefined : environment };

  const missing: string[] = [];
  if (region === undefined) missing.push('--region');
  if (authUrl === undefined) missing.push('--auth-url');
  if (clientId === undefined) missing.push('--client-id');
  if (!secretPiped) missing.push('--secret-stdin');
  if (missing.length === 0) return known;
  const example = [
    `--region ${region ?? 'eu'}`,
    ...(environment === 'sandbox' ? ['--sandbox'] : []),
    ...(profile === DEFAULT_PROFILE ? [] : [`--profile ${profile}`]),
    ...(authUrl === undefined ? ['--auth-url https://IDENTITY-ADDRESS'] : []),
    `--client-id ${clientId ?? 'ID'} --secret-stdin`,
  ];
  const why =
    world.stdin.isTTY() && isCi(world.env)
      ? 'nobody is asked where CI is set'
      : 'there is no terminal to ask on';
  throw new GwtokenError('usage', `login needs ${missing.join(', ')}, since ${why}`, {
    hints: [`like this: printf %s "$SECRET" | gwtoken login ${example.join(' ')}`],
  });
}

/** The person's answers to what is missing: region, environment, auth URL, client id, secret, in that order. */
export async function askMissing(known: Known, given: Given, world: World): Promise<Answers> {
  const { profile } = known;
  const region = known.region ?? (await askRegion(resolveRegion(given, profile)?.value, world));
  const environment = known.environment ?? (await askEnvironment(world));
  const client: Client = { profile, environment, region };
  const authUrl = resolveAuthUrl(given, client) ?? (await askAuthUrl(client, world));
  const clientId = known.clientId ?? (await askClientId(client, world));
  const clientSecret =
    given.flags['secret-stdin'] === true ? await readSecret(world) : await askSecret(authUrl, world);
  return { client, authUrl, clientId, clientSecret };
}

/** The region given for this profile; one that it merely falls back to is asked about where a person can answer. */
function ownRegion(given: Given, profile: string, world: World): Region | undefined {
  const region = resolveRegion(given, profile);
  const inherited =
    region?.source.kind === 'config' &&
    profile !== DEFAULT_PROFILE &&
    given.config.profiles[profile]?.['region'] === undefined;
  return inherited && world.terminal.canAsk() ? undefined : region?.value;
}

function askRegion(initial: Region | undefined, world: World): Promise<Region> {
  const choices = REGIONS.map((value) => ({ value, label: value }));
  return world.terminal.choose('Region of the client', choices, initial);
}

function askEnvironment(world: World): Promise<Environment> {
  const choices = (['production', 'sandbox'] as const).map((value) => ({ value, label: value }));
  return world.terminal.choose('Environment of the client', choices);
}

async function askAuthUrl({ region, environment }: Client, world: World): Promise<AuthUrl> {
  const source = { kind: 'flag' as const, name: 'your answer' };
  const where = environment === 'sandbox' ? `the ${region} sandbox` : region;
  const text = await world.terminal.ask(`Identity address for ${where} (auth URL)`, {
    check: (answer) => problemOf(() => parseAuthUrl(answer.trim(), source.name, region)),
  });
  return { value: parseAuthUrl(text.trim(), source.name, region), template: text.trim(), source };
}

async function askClientId(client: Client, world: World): Promise<string> {
  const text = await world.terminal.ask(`Client id for ${clientName(client)}`, {
    check: (answer) => asSentence(clientIdProblem(answer.trim())),
  });
  return text.trim();
}

/** The question names where the secret goes: an address from a stray variable is seen in time. */
function askSecret(authUrl: AuthUrl, world: World): Promise<string> {
  return world.terminal.askSecret(`Client secret for ${authUrl.value} (not shown)`, {
    check: (answer) => asSentence(secretProblem(answer)),
  });
}

async function readSecret(world: World): Promise<string> {
  try {
    return secretFromBytes(await world.stdin.read(SECRET_LIMIT), 'stdin');
  } catch (error) {
    if (error instanceof GwtokenError) throw error;
    const problem =
      systemCode(error) === 'EFBIG'
        ? `is longer than ${SECRET_LIMIT} bytes`
        : `cannot be read (${messageOf(error)})`;
    throw new GwtokenError('usage', `the client secret from stdin ${problem}`, {
      hints: ['pipe in the secret alone'],
      cause: error,
    });
  }
}

function checkClientId(clientId: string): string {
  const problem = clientIdProblem(clientId);
  if (problem === undefined) return clientId;
  throw new GwtokenError('usage', `client id ${quoted(clientId)} (from --client-id) ${problem}`, {
    hints: ['give the client id alone'],
  });
}

function problemOf(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return [messageOf(error), ...(error instanceof GwtokenError ? error.hints : [])].join(': ');
  }
}

function asSentence(problem: string | undefined): string | undefined {
  return problem && `It ${problem}`;
}
