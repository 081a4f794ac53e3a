/** The user's `credential-command` as a source of credentials. */
import { type Client, clientName, profileFlag } from '../client';
import { GwtokenError, type Hints } from '../errors';
import { isForThisRun, type Setting, type Settings, undoStep } from '../settings/table';
import { ANSWER_WITHIN_MS, hasPerson } from '../surroundings';
import { duration, shellWord, shortHash } from '../text';
import type { CommandEnd, CommandOptions } from '../world';
import { type ParsedCredentials, parseCredentials, SECRET_LIMIT } from './credentials';
import { bind, type CredentialSource, type LoadWorld, urlOfSettings } from './source';

/** Returns the command that the settings give, still to be run; undefined without one. */
export function commandSource(settings: Settings): CredentialSource | undefined {
  const { client, credentialCommand, keychainTimeoutMs } = settings;
  if (!credentialCommand) return undefined;
  const { value, source } = credentialCommand;
  const setting = urlOfSettings(settings);
  return {
    kind: 'command',
    name: source.name,
    // The command may contain a password.
    key: { facts: [shortHash(value)], secret: value },
    authUrl: setting,
    waitMs: keychainTimeoutMs?.value ?? ANSWER_WITHIN_MS.person,
    async load(world, signal) {
      const timeoutMs = keychainTimeoutMs?.value ?? ANSWER_WITHIN_MS[hasPerson(world) ? 'person' : 'nobody'];
      const env = {
        // The command may need other variables, such as VAULT_TOKEN.
        ...world.env,
        GWTOKEN_REGION: client.region,
        GWTOKEN_SANDBOX: client.environment === 'sandbox' ? '1' : '0',
        GWTOKEN_PROFILE: client.profile,
      };
      const options = { env, timeoutMs, maxBytes: SECRET_LIMIT, signal };
      const printed = await outputOf(credentialCommand, client, options, world);
      const { authUrl: own, ...credentials } = parsePrinted(printed, source.name, client);
      // If the command prints no auth_url, a stray variable or flag must not redirect the secret.
      const authUrl = own ?? (setting && !isForThisRun(setting) ? setting.value : undefined);
      const origin = `the credential command printed ${own ?? 'no auth URL'}`;
      return bind({ ...credentials, authUrl }, setting, origin, otherUrlHints(own, setting, client));
    },
  };
}

/** Returns the steps for a command that printed another auth URL than the settings give, or none. */
function otherUrlHints(
  own: string | undefined,
  setting: Setting<string> | undefined,
  { region, profile }: Client,
): Hints {
  if (own !== undefined && setting)
    return [undoStep(setting.source), 'or let the command print that URL as "auth_url"'];
  const url = setting ? shellWord(setting.text) : 'URL';
  return [
    'let the command print it as "auth_url"',
    `or run: gwtoken config set auth-url.${region} ${url}${profileFlag(profile)}`,
  ];
}

/** Returns the output of the command, which is never shown. Throws if the command fails. */
async function outputOf(
  { value, source: { name } }: Setting<string>,
  { profile }: Client,
  options: CommandOptions,
  world: LoadWorld,
): Promise<string> {
  const { timeoutMs } = options;
  world.trace(`running the credential command (${name}), with a timeout of ${duration(timeoutMs)}`);
  const end = await world.runCredentialCommand(value, options);
  if (end.how === 'exited' && end.code === 0) return new TextDecoder().decode(end.stdout);
  const show = `to see the command, run: gwtoken config get credential-command${profileFlag(profile)}`;
  throw new GwtokenError(
    'keychain',
    `the credential command ${problemOf(end, timeoutMs)} (from ${name})`,
    end.how === 'late' ? ['answer its dialog, or export GWTOKEN_KEYCHAIN_TIMEOUT=2m'] : [show],
    { reason: end.how === 'late' ? 'timed-out' : undefined },
  );
}

function problemOf(end: CommandEnd, timeoutMs: number): string {
  switch (end.how) {
    case 'exited':
      return `exited with code ${end.code}`;
    case 'killed':
      return `was killed by ${end.signal}`;
    case 'not-started':
      return `could not be started (${end.reason})`;
    case 'late':
      return `did not finish within ${duration(timeoutMs)}`;
    case 'too-long':
      return `printed more than ${SECRET_LIMIT / 1024} KiB`;
  }
}

function parsePrinted(text: string, name: string, client: Client): ParsedCredentials {
  if (text.trim() === '') {
    const message = `the credential command returned no credentials for ${clientName(client)}`;
    throw new GwtokenError('no-credentials', `${message} (from ${name})`, [], { reason: 'no-credentials' });
  }
  const parsed = parseCredentials(text, client);
  if (typeof parsed !== 'string') return parsed;
  const problem = `the credential command printed output that ${parsed}`;
  throw new GwtokenError('keychain', `${problem} (from ${name})`, [
    'it must print only {"client_id":"…","client_secret":"…"} to stdout',
  ]);
}
