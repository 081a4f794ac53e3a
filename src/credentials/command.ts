/** The user's `credential-command` as a source of credentials. */
import { type Client, clientName } from '../client';
import { GwtokenError, type Hints } from '../errors';
import { isForThisRun, type Setting, type Settings, setAuthUrlLine, undoStep } from '../settings/table';
import { ANSWER_WITHIN_MS, hasPerson } from '../surroundings';
import { duration, shortHash } from '../text';
import { type ParsedCredentials, parseCredentials, SECRET_LIMIT } from './credentials';
import { bind, type CredentialSource, type LoadWorld, urlOfSettings } from './source';

/** Returns the command that the settings give, still to be run; undefined without one. */
export function commandSource(settings: Settings): CredentialSource | undefined {
  const { client, credentialCommand, keychainTimeoutMs } = settings;
  if (!credentialCommand) return undefined;
  const { name } = credentialCommand.source;
  const setting = urlOfSettings(settings);
  return {
    kind: 'command',
    name,
    // The command may contain a password.
    key: { facts: [shortHash(credentialCommand.value)], secret: credentialCommand.value },
    authUrl: setting,
    waitMs: keychainTimeoutMs?.value ?? ANSWER_WITHIN_MS.person,
    async load(world, signal) {
      const printed = await run(credentialCommand, settings, world, signal);
      const { authUrl: own, ...credentials } = parsePrinted(printed, name, client);
      // If the command prints no auth_url, a stray variable or flag must not redirect the secret.
      const authUrl = own ?? (setting && !isForThisRun(setting) ? setting.value : undefined);
      const origin = `the credential command printed ${own ?? 'no auth URL'}`;
      return bind({ ...credentials, authUrl }, setting, origin, otherUrlHints(own, setting, client));
    },
  };
}

/** Runs the command for the selected client; returns what it prints. */
async function run(
  { value: command, source: { name } }: Setting<string>,
  { client, keychainTimeoutMs }: Settings,
  world: LoadWorld,
  signal: AbortSignal | undefined,
): Promise<string> {
  const timeoutMs = keychainTimeoutMs?.value ?? ANSWER_WITHIN_MS[hasPerson(world) ? 'person' : 'nobody'];
  const env = {
    // The command may need other variables, such as VAULT_TOKEN.
    ...world.env,
    GWTOKEN_REGION: client.region,
    GWTOKEN_SANDBOX: client.environment === 'sandbox' ? '1' : '0',
    GWTOKEN_PROFILE: client.profile,
  };
  const options = { env, timeoutMs, maxBytes: SECRET_LIMIT, signal };
  world.trace(`running the credential command (${name}), with a timeout of ${duration(timeoutMs)}`);
  const stdout = await world.runCredentialCommand(command, options).catch((error: unknown) => {
    throw error instanceof GwtokenError ? error.with({ message: `${error.message} (from ${name})` }) : error;
  });
  return new TextDecoder().decode(stdout);
}

/** Returns the steps if the command has printed no auth URL, or another one than the settings give. */
function otherUrlHints(own: string | undefined, setting: Setting<string> | undefined, client: Client): Hints {
  if (own !== undefined && setting)
    return [undoStep(setting.source), 'or let the command print that URL as "auth_url"'];
  return ['let the command print it as "auth_url"', `or run: ${setAuthUrlLine(client)}`];
}

/** Parses the output of the command, which no error shows. */
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
