import { usage } from './errors';
import { quoted } from './text';

/** Regions of the gateway; a client belongs to exactly one. */
export const REGIONS = ['eu', 'us'] as const;
export type Region = (typeof REGIONS)[number];

export type Environment = 'production' | 'sandbox';

/** Identity of a client: credentials, cached tokens and locks each belong to one. */
export interface Client {
  readonly profile: string;
  readonly environment: Environment;
  readonly region: Region;
}

export const DEFAULT_PROFILE = 'default';
const PROFILE = /^[a-z0-9][a-z0-9._-]{0,63}$/;

export function isRegion(text: string): text is Region {
  return (REGIONS as readonly string[]).includes(text);
}

export function isProfile(name: string): boolean {
  return PROFILE.test(name);
}

/** Throws `usage` for an invalid profile name, such as one with capitals: Windows' store ignores case. */
export function checkProfile(name: string, where: string): string {
  if (isProfile(name)) return name;
  throw usage(
    `invalid profile name ${quoted(name)} (from ${where})`,
    'use 1 to 64 of a-z, 0-9, ".", "_" and "-", starting with a letter or digit',
  );
}

/** Returns `default:production:eu`: the account of the keychain item, and the client's name in messages. */
export function clientName(client: Client): string {
  return `${client.profile}:${client.environment}:${client.region}`;
}

/** Reads a {@link clientName}; returns undefined for any other text. */
export function parseClientName(name: string): Client | undefined {
  const [profile = '', environment, region = '', ...rest] = name.split(':');
  if (!isProfile(profile) || !isRegion(region) || rest.length > 0) return undefined;
  if (environment !== 'production' && environment !== 'sandbox') return undefined;
  return { profile, environment, region };
}

/** Returns the flags that select this client: `--region eu --sandbox --profile acme`. */
export function clientFlags({ profile, environment, region }: Client): string {
  return `--region ${region}${environment === 'sandbox' ? ' --sandbox' : ''}${profileFlag(profile)}`;
}

/** Names of variables with credentials. Windows ignores their case. */
export const CREDENTIAL_VARIABLE = /^GWTOKEN_(SANDBOX_)?CLIENT_/i;

/** Returns the variables for a child program, which never gets credentials. */
export function withoutCredentials(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !CREDENTIAL_VARIABLE.test(name)));
}

/** Returns the end of a command for a profile, ` --profile acme`; nothing for the default one. */
export function profileFlag(profile = DEFAULT_PROFILE): string {
  return profile === DEFAULT_PROFILE ? '' : ` --profile ${profile}`;
}

/** Returns `abcd…wxyz`, enough to tell client IDs apart. An ID is no secret: a short one is shown whole. */
export function shortId(id: string): string {
  return id.length <= 8 ? id : `${id.slice(0, 4)}…${id.slice(-4)}`;
}
