import {
  type Client,
  clientFlags,
  clientName,
  DEFAULT_PROFILE,
  type Environment,
  REGIONS,
  type Region,
} from '../core/clients';
import { fetchToken } from '../core/get-token';
import { formatItem } from '../core/keychain-item';
import { limitedKeychain } from '../core/limited-keychain';
import { loginEdits } from '../core/login-edits';
import { clientIdProblem, SECRET_LIMIT, secretFromBytes, secretProblem } from '../core/secret-text';
import { parseAuthUrl, quoted } from '../core/setting-values';
import {
  type AuthUrl,
  type Given,
  gather,
  resolveAuthUrl,
  resolveEnvironment,
  resolveFetchSettings,
  resolveProfile,
  resolveRegion,
} from '../core/settings';
import { storeClient } from '../core/store-client';
import { variablePairs } from '../core/variable-credentials';
import { GwtokenError, messageOf } from '../errors';
import { COMMAND_FLAGS } from '../options';
import type { World } from '../world';
import type { Verb } from './verb';

export const loginCommand: Verb = {
  name: 'login',
  summary: "store a client's credentials in the keychain, after fetching a token with them",
  flags: COMMAND_FLAGS.login,
  async run(flags, world) {
    const given = gather(flags, world);
    await world.config.checkWritable();
    const keychain = limitedKeychain(given, world);
    await keychain.probe();
    const { client, authUrl, clientId, clientSecret } = await answers(given, world);
    const credentials = { clientId, clientSecret, source: { kind: 'login' as const, name: 'this login' } };
    const item = formatItem({ clientId, clientSecret, authUrl: authUrl.value });
    if (flags['no-verify'] !== true) {
      const settings = resolveFetchSettings(given, client.profile);
      try {
        await world.terminal.spin(`asking ${authUrl.value} for a token`, () =>
          fetchToken(given, client, authUrl, credentials, settings, world),
        );
      } catch (error) {
        throw notVerified(error);
      }
    }
    const edits = loginEdits(given, client, authUrl);
    await storeClient(client, item, { clientId, authUrl: authUrl.value }, edits, { ...world, keychain });
    tell(client, given, edits, world);
  },
};

interface Answers {
  readonly client: Client;
  readonly authUrl: AuthUrl;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What was given, and for the rest the person's answers: region, auth URL, client id, secret, in that order. */
async function answers(given: Given, world: World): Promise<Answers> {
  const { flags } = given;
  const profile = resolveProfile(given).value;
  const environment = resolveEnvironment(given, profile).value;
  requireAnswerable(given, profile, environment, world);

  const region =
    ownRegion(given, profile, world) ?? (await askRegion(resolveRegion(given, profile)?.value, world));
  const client: Client = { profile, environment, region };
  const authUrl = resolveAuthUrl(given, client) ?? (await askAuthUrl(region, world));
  const clientId =
    typeof flags['client-id'] === 'string'
      ? checkClientId(flags['client-id'])
      : await askClientId(client, world);
  const clientSecret = flags['secret-stdin'] === true ? await readSecret(world) : await askSecret(world);
  return { client, authUrl, clientId, clientSecret };
}

/** Where nobody can be asked, all that is missing is named at once, before anything is read or done. */
function requireAnswerable(given: Given, profile: string, environment: Environment, world: World): void {
  const { flags } = given;
  if (flags['secret-stdin'] === true && world.stdin.isTTY()) {
    throw new GwtokenError(
      'usage',
      '--secret-stdin reads the client secret from a pipe, but stdin is a terminal',
      {
        hints: ['pipe the secret in, or leave --secret-stdin out to be asked for it'],
      },
    );
  }
  if (world.terminal.canAsk()) return;
  const region = resolveRegion(given, profile)?.value;
  const missing: string[] = [];
  if (region === undefined) missing.push('--region');
  if (!resolveAuthUrl(given, { profile, environment, region: region ?? 'eu' })) missing.push('--auth-url');
  if (flags['client-id'] === undefined) missing.push('--client-id');
  if (flags['secret-stdin'] !== true) missing.push('--secret-stdin');
  if (missing.length === 0) return;
  throw new GwtokenError('usage', `login needs ${missing.join(', ')}, since there is no terminal to ask on`, {
    hints: [
      `like this: printf %s "$SECRET" | gwtoken login --region ${region ?? 'eu'}${missing.includes('--auth-url') ? ' --auth-url https://IDENTITY-ADDRESS' : ''} --client-id ID --secret-stdin`,
    ],
  });
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

async function askAuthUrl(region: Region, world: World): Promise<AuthUrl> {
  const source = { kind: 'flag' as const, name: 'your answer' };
  const text = await world.terminal.ask(`Identity address for ${region} (auth URL)`, {
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

function askSecret(world: World): Promise<string> {
  return world.terminal.askSecret('Client secret (not shown)', {
    check: (answer) => asSentence(secretProblem(answer)),
  });
}

async function readSecret(world: World): Promise<string> {
  try {
    return secretFromBytes(await world.stdin.read(SECRET_LIMIT), 'stdin');
  } catch (error) {
    if (error instanceof GwtokenError) throw error;
    throw new GwtokenError('usage', `the client secret cannot be read from stdin (${messageOf(error)})`, {
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

/** Nothing is stored; where the endpoint gave no verdict, the person may store without one. */
function notVerified(error: unknown): unknown {
  if (!(error instanceof GwtokenError)) return error;
  const hints = ['nothing was stored'];
  if (error.kind === 'unreached' || error.kind === 'bad-reply')
    hints.push('add --no-verify to store the credentials without fetching a token');
  return error.withHints(hints);
}

/** Says what went where, what will hide it, and what to try next. */
function tell(client: Client, before: Given, edits: ReturnType<typeof loginEdits>, world: World): void {
  const name = clientName(client);
  const say = (line: string): void => world.stderr.write(`${line}\n`);
  say(`Stored the credentials of ${name} in the keychain (service gwtoken, account ${name})`);
  for (const { profile, key, value } of edits) {
    if (value !== undefined)
      say(
        `Set ${key} = ${value}${profile === undefined ? '' : ` for profile ${profile}`} in ${before.config.path}`,
      );
  }
  const after: Given = { flags: {}, env: world.env, config: world.config.read() };
  const shadows =
    before.flags['profile'] === undefined
      ? variablePairs(client).flatMap(({ id, secret, secretFile }) => [id, secret, secretFile])
      : [];
  for (const variable of shadows.filter((each) => world.env[each])) {
    say(`gwtoken: warning: ${variable} is set, so variables are used instead of what was stored`);
  }
  const next = resolveAuthUrl({ ...after, flags: { sandbox: client.environment === 'sandbox' } }, client);
  const stored = world.clients.read()[name]?.authUrl;
  if (next?.value !== stored)
    say(
      `gwtoken: warning: ${next?.source.name ?? 'nothing'} gives another auth URL, which the stored client is not used for`,
    );
  say(`Try next: gwtoken get ${clientFlags(client)}`);
}
