/** Resolves each setting, with its source: flag, then environment variable, then config file, then default. */

import {
  type Client,
  checkProfile,
  clientFlags,
  type Environment,
  isCredentialVariable,
  REGIONS,
  type Region,
} from '../client';
import { GwtokenError, usage } from '../errors';
import { CI_HELP, isCi } from '../patience';
import type { Config, WarmWorld } from '../world';
import {
  type AuthUrl,
  checkConfigKey,
  FETCH_SETTINGS,
  type FetchSettings,
  type FlagValues,
  keysFor,
  SETTINGS,
  type Setting,
  type SettingDefinition,
  type SettingSources,
  type Source,
  variableOf,
} from './table';

/** Returns the next step of somebody who has set up nothing yet; none once the config file or a variable has something. */
export function firstRunHints({ env, config }: Pick<SettingSources, 'env' | 'config'>): string[] {
  const begun =
    Object.keys(config.general).length > 0 ||
    Object.keys(config.profiles).length > 0 ||
    Object.keys(env).some(isCredentialVariable);
  if (begun) return [];
  // Nobody can answer there, and nothing that is stored outlives the job.
  return [isCi(env) ? CI_HELP : 'to set up gwtoken, run: gwtoken login'];
}

/** Gathers the places that settings come from. An unknown key of the config file is a `usage` error. */
export function gather(flags: FlagValues, world: Pick<WarmWorld, 'env' | 'config'>): SettingSources {
  const config = world.config.read();
  for (const key of Object.keys(config.general)) checkConfigKey(key, undefined, config.path);
  for (const [profile, own] of Object.entries(config.profiles)) {
    checkProfile(profile, `profiles in ${config.path}`);
    for (const key of Object.keys(own)) checkConfigKey(key, profile, `profile ${profile} in ${config.path}`);
  }
  return { flags, env: world.env, config };
}

/** A setting that is not yet parsed. */
interface RawSetting {
  readonly text: string;
  readonly source: Source;
}

/** Looks a setting up in its flag, its variable and the config file. An empty variable counts as unset. */
function find(
  row: SettingDefinition<unknown>,
  sources: SettingSources,
  profile: string | undefined,
): RawSetting | undefined {
  return findFlag(row, sources) ?? findKeys(row, [row.key], sources, profile);
}

/** Does the same for a setting of each client, whose keys and variables name sandbox and region. */
function findForClient(
  row: SettingDefinition<unknown>,
  sources: SettingSources,
  client: Client,
): RawSetting | undefined {
  const flag = findFlag(row, sources);
  if (flag) return flag;
  for (const keys of keysFor(row, client)) {
    const found = findKeys(row, keys, sources, client.profile);
    if (found) return found;
  }
  return undefined;
}

function findFlag({ key }: SettingDefinition<unknown>, { flags }: SettingSources): RawSetting | undefined {
  const flag = flags[key];
  if (flag === undefined) return undefined;
  return {
    text: String(flag),
    source: { kind: 'flag', name: flag === false ? `--no-${key}` : `--${key}` },
  };
}

/** Looks the keys' variables up, then the keys in the config file. */
function findKeys(
  row: SettingDefinition<unknown>,
  keys: readonly string[],
  { env, config }: SettingSources,
  profile: string | undefined,
): RawSetting | undefined {
  for (const key of keys) {
    const name = variableOf(row, key);
    const text = name && env[name];
    if (text) return { text, source: { kind: 'variable', name } };
  }
  return configured(config, profile, keys);
}

/** Looks the keys up in the config file: the profile's own values, then the general ones. */
export function configured(
  { path, general, profiles }: Config,
  profile: string | undefined,
  keys: readonly string[],
): RawSetting | undefined {
  const own = { values: profiles[profile ?? ''] ?? {}, where: `of profile ${profile} in ${path}` };
  for (const { values, where } of [own, { values: general, where: `in ${path}` }]) {
    for (const key of keys) {
      const value = values[key];
      if (value === undefined) continue;
      return { text: String(value), source: { kind: 'config', name: `${key} ${where}` } };
    }
  }
  return undefined;
}

type WithFallback<T> = SettingDefinition<T> & { readonly fallback: T };

/**
 * Resolves one setting.
 *
 * @param profile whose own values in the config file come before the general ones
 * @throws GwtokenError `usage` for a value that cannot be read
 */
export function resolveSetting<T>(
  row: WithFallback<T>,
  sources: SettingSources,
  profile?: string,
): Setting<T>;
export function resolveSetting<T>(
  row: SettingDefinition<T>,
  sources: SettingSources,
  profile?: string,
): Setting<T> | undefined;
export function resolveSetting<T>(
  row: SettingDefinition<T>,
  sources: SettingSources,
  profile?: string,
): Setting<T> | undefined {
  const found = find(row, sources, profile);
  const { fallback } = row;
  if (!found)
    return fallback === undefined
      ? undefined
      : { value: fallback, source: { kind: 'default', name: 'default' } };
  const { text, source } = found;
  const { parse } = (source.kind === 'variable' && row.variable) || row;
  return { value: parse(text, source.name), source };
}

export function resolveProfile(sources: SettingSources): Setting<string> {
  return resolveSetting(SETTINGS.profile, sources);
}

export function resolveEnvironment(sources: SettingSources, profile: string): Setting<Environment> {
  return resolveSetting(SETTINGS.environment, sources, profile);
}

export function resolveRegion(sources: SettingSources, profile: string): Setting<Region> | undefined {
  return resolveSetting(SETTINGS.region, sources, profile);
}

/** Resolves every setting of a token request. */
export function resolveFetchSettings(sources: SettingSources, profile: string): FetchSettings {
  const rows = Object.entries<SettingDefinition<unknown>>(FETCH_SETTINGS);
  const resolved = rows.map(([name, row]) => [name, resolveSetting(row, sources, profile)]);
  return Object.fromEntries(resolved) as FetchSettings;
}

export interface ClientSettings {
  readonly client: Client;
  readonly profile: Setting<string>;
  readonly environment: Setting<Environment>;
  readonly region: Setting<Region>;
  /** A profile named by a flag overrides credentials in variables, as `aws --profile` does. */
  readonly skipVariables: boolean;
}

/** Resolves the client that the command works on; without a region it throws a `usage` error. */
export function resolveClient(sources: SettingSources): ClientSettings {
  const profile = resolveProfile(sources);
  const environment = resolveEnvironment(sources, profile.value);
  const region = resolveRegion(sources, profile.value);
  if (!region) {
    const flags = REGIONS.map((each) => `--region ${each}`);
    throw usage(
      `no region set${emptyAmong(['GWTOKEN_REGION'], sources)}`,
      ...firstRunHints(sources),
      `use ${flags.join(' or ')}, set GWTOKEN_REGION, or run: gwtoken config set region ${REGIONS[0]}`,
    );
  }
  return {
    client: { profile: profile.value, environment: environment.value, region: region.value },
    profile,
    environment,
    region,
    skipVariables: profile.source.kind === 'flag',
  };
}

/**
 * Resolves the auth URL for a client; undefined if none is given.
 *
 * @param verified an auth URL already validated, which is not checked again: that costs a warm run more than the cache
 */
export function resolveAuthUrl(
  sources: SettingSources,
  client: Client,
  verified?: string,
): AuthUrl | undefined {
  const row = SETTINGS.authUrl;
  const found = findForClient(row, sources, client);
  if (!found) return undefined;
  const { text: template, source } = found;
  const isVerified = template.replaceAll('{region}', client.region) === verified;
  const value = isVerified ? verified : row.parse(template, source.name, client.region);
  return { value, template, source };
}

/** Resolves the auth URL for a client; without one it throws a `usage` error of the reason `not-set`. */
export function requireAuthUrl(sources: SettingSources, client: Client, verified?: string): AuthUrl {
  const found = resolveAuthUrl(sources, client, verified);
  if (found) return found;
  const { region } = client;
  const names = [`GWTOKEN_AUTH_URL_${region.toUpperCase()}`, 'GWTOKEN_AUTH_URL'];
  const ways = `use --auth-url URL, or set ${names.join(' or ')}`;
  const steps = isCi(sources.env)
    ? [ways, CI_HELP]
    : [
        `to set up this client, run: gwtoken login ${clientFlags(client)}`,
        `to set only the auth URL, run: gwtoken config set auth-url.${region} URL; or ${ways}`,
      ];
  throw new GwtokenError('usage', `no auth URL set for region ${region}${emptyAmong(names, sources)}`, {
    reason: 'not-set',
    hints: [
      ...steps,
      "it is the token endpoint's URL without /oauth2/token; the gateway's operator or documentation has it",
    ],
  });
}

/** Resolves the auth URL of the config file only. */
export function configAuthUrl({ config }: SettingSources, client: Client): AuthUrl | undefined {
  return resolveAuthUrl({ flags: {}, env: {}, config }, client);
}

function emptyAmong(names: readonly string[], { env }: SettingSources): string {
  return names.map((name) => (env[name] === '' ? ` (${name} is empty)` : '')).join('');
}
