import { usage } from './errors';

/** A client belongs to exactly one region. */
export const REGIONS = ['eu', 'us'] as const;
export type Region = (typeof REGIONS)[number];

export type Environment = 'production' | 'sandbox';

/** What credentials, cached tokens and locks belong to. */
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

/** Checks a profile name. Upper case is refused: names that differ by case are one item in Windows' Credential Manager. */
export function checkProfile(name: string, where: string): string {
  if (PROFILE.test(name)) return name;
  const lower = name.toLowerCase();
  throw usage(
    `invalid profile name ${JSON.stringify(name)} (from ${where})`,
    ...(PROFILE.test(lower) ? [`did you mean: ${lower}`] : []),
    'use 1 to 64 of a-z, 0-9, ".", "_" and "-", starting with a letter or digit',
  );
}

/** `default:production:eu`: the account name of the keychain item, and how a client is written in messages. */
export function clientName(client: Client): string {
  return `${client.profile}:${client.environment}:${client.region}`;
}

/** The reverse of {@link clientName}; undefined for anything that is not one. */
export function parseClientName(name: string): Client | undefined {
  const [profile = '', environment, region = '', ...rest] = name.split(':');
  if (!PROFILE.test(profile) || !isRegion(region) || rest.length > 0) return undefined;
  if (environment !== 'production' && environment !== 'sandbox') return undefined;
  return { profile, environment, region };
}

/** The flags that name this client: `--region eu --sandbox --profile acme`. */
export function clientFlags({ profile, environment, region }: Client): string {
  return `--region ${region}${environment === 'sandbox' ? ' --sandbox' : ''}${profileFlag(profile)}`;
}

/**
 * Returns whether a variable of the environment holds a part of a client's credentials. Such variables are kept from
 * programs that gwtoken starts. In any case: Windows does not tell names apart by it.
 */
export function isCredentialVariable(name: string): boolean {
  return /^GWTOKEN_(SANDBOX_)?CLIENT_/i.test(name);
}

/** The end of a command that is for a profile: ` --profile acme`; nothing for the default one. */
export function profileFlag(profile: string): string {
  return profile === DEFAULT_PROFILE ? '' : ` --profile ${profile}`;
}
