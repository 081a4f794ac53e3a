/** Regions of the gateway; a client belongs to exactly one. */
export const REGIONS = ['eu', 'us'] as const;
export type Region = (typeof REGIONS)[number];

export type Environment = 'production' | 'sandbox';

/** Identity of a client. Credentials, cached tokens and locks belong to exactly one client. */
export interface Client {
  readonly profile: string;
  readonly environment: Environment;
  readonly region: Region;
}

export const DEFAULT_PROFILE = 'default';

export function isRegion(text: string): text is Region {
  return (REGIONS as readonly string[]).includes(text);
}

/** Returns whether the name is valid. Capitals are not: Windows' keychain ignores case. */
export function isProfile(name: string): boolean {
  return /^[a-z0-9][a-z0-9._-]{0,63}$/.test(name);
}

/** Returns the client's name in messages, `default:production:eu`, which is also its keychain account. */
export function clientName(client: Client): string {
  return `${client.profile}:${client.environment}:${client.region}`;
}

/** Parses a {@link clientName}; returns undefined for any other text. */
export function parseClientName(name: string): Client | undefined {
  const [profile = '', environment, region = '', ...rest] = name.split(':');
  if (!isProfile(profile) || !isRegion(region) || rest.length > 0) return undefined;
  if (environment !== 'production' && environment !== 'sandbox') return undefined;
  return { profile, environment, region };
}

/** Flags that a command line has. */
interface GivenFlags {
  readonly profile?: unknown;
  readonly sandbox?: unknown;
}

/**
 * Returns the flags that select this client: `--region eu --sandbox --profile acme`. A default is left out,
 * unless a flag has `given` it: a variable or the config file may say otherwise.
 */
export function clientFlags({ profile, environment, region }: Client, given: GivenFlags = {}): string {
  const production = given.sandbox === undefined ? '' : ' --no-sandbox';
  const ofProfile = given.profile === undefined ? profileFlag(profile) : ` --profile ${profile}`;
  return `--region ${region}${environment === 'sandbox' ? ' --sandbox' : production}${ofProfile}`;
}

/** Returns the command that stores credentials for this client. */
export function loginCommand(client: Client, given: GivenFlags): string {
  return `gwtoken login ${clientFlags(client, given)}`;
}

/** Returns ` --profile acme` for the end of a command; empty for the default profile. */
export function profileFlag(profile = DEFAULT_PROFILE): string {
  return profile === DEFAULT_PROFILE ? '' : ` --profile ${profile}`;
}

export const CREDENTIAL_PREFIXES = {
  production: 'GWTOKEN_CLIENT_',
  sandbox: 'GWTOKEN_SANDBOX_CLIENT_',
} satisfies Record<Environment, string>;

/** Returns whether a variable may hold credentials, even with a misspelled name. Windows ignores the case. */
export function mayHoldCredentials(name: string): boolean {
  const upper = name.toUpperCase();
  return Object.values(CREDENTIAL_PREFIXES).some((prefix) => upper.startsWith(prefix));
}

/** Shortens a client ID to `abcd…wxyz`. An ID is not a secret, so a short one is returned unchanged. */
export function shortId(id: string): string {
  return id.length <= 8 ? id : `${id.slice(0, 4)}…${id.slice(-4)}`;
}
