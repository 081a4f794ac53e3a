/** Resolves each setting with its source: flag, then environment variable, then config file, then default. */

import {
  type Client,
  checkProfile,
  clientFlags,
  type Environment,
  isCredentialVariable,
  REGIONS,
  type Region,
} from '../client';
import { attempt, GwtokenError, usage } from '../errors';
import { CI_HELP, isCi } from '../patience';
import type { Config, QuickWorld } from '../world';
import {
  type AuthUrl,
  checkConfigKey,
  FETCH_SETTINGS,
  type FetchSettings,
  type FlagValues,
  keysFor,
  type Resolved,
  SETTINGS,
  type Setting,
  type SettingDefinition,
  type SettingSources,
  type Source,
  variableOf,
} from './table';

/** Returns the first step of a set-up; none if the config file or a credential variable is in use already. */
export function firstRunHints({ env, config }: Pick<SettingSources, 'env' | 'config'>): string[] {
  const begun =
    Object.keys(config.general).length > 0 ||
    Object.keys(config.profiles).length > 0 ||
    Object.keys(env).some(isCredentialVariable);
  if (begun) return [];
  // Nobody can answer in a CI job, and nothing that is stored outlives it.
  return [isCi(env) ? CI_HELP : 'to set up gwtoken, run: gwtoken login'];
}

/** Gathers the sources of settings. Throws a `usage` error for an unknown key of the config file. */
export function gather(flags: FlagValues, world: Pick<QuickWorld, 'env' | 'config'>): SettingSources {
  const config = world.config.read();
  for (const key of Object.keys(config.general)) checkConfigKey(key, undefined, config.path);
  for (const [profile, values] of Object.entries(config.profiles)) {
    checkProfile(profile, `profiles in ${config.path}`);
    for (const key of Object.keys(values))
      checkConfigKey(key, profile, `profile ${profile} in ${config.path}`);
  }
  return { flags, env: world.env, config };
}

/** Returns the sources without variables and config file, for a command that lists what its flags name. */
export function flagsOnly({ flags }: SettingSources): SettingSources {
  return { flags, env: {}, config: NO_CONFIG };
}

/** The content of a config file that is not there. */
export const NO_CONFIG: Config = { path: '', general: {}, profiles: {} };

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
  keys: readonly string[] = [row.key],
): RawSetting | undefined {
  return findFlag(row, sources) ?? findKeys(row, keys, sources, profile);
}

/** Looks up a setting that each region may have for itself. */
function findForClient(
  row: SettingDefinition<unknown>,
  sources: SettingSources,
  { profile, region }: Client,
): RawSetting | undefined {
  return find(row, sources, profile, keysFor(row, region));
}

function findFlag(
  { key }: SettingDefinition<unknown>,
  { flags, flagPrefix = '--' }: SettingSources,
): RawSetting | undefined {
  const flag = flags[key];
  if (flag === undefined) return undefined;
  const name = flagPrefix + (flag === false ? `no-${key}` : key);
  return { text: String(flag), source: { kind: 'flag', name } };
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
  const ofProfile = { values: profiles[profile ?? ''] ?? {}, where: `of profile ${profile} in ${path}` };
  for (const { values, where } of [ofProfile, { values: general, where: `in ${path}` }]) {
    for (const key of keys) {
      const value = values[key];
      if (value === undefined) continue;
      return { text: String(value), source: { kind: 'config', name: `${key} ${where}` } };
    }
  }
  return undefined;
}

/** Resolves one setting, for a profile with its own values first. Throws `usage` for an invalid value. */
export function resolveSetting<Definition extends SettingDefinition<unknown>>(
  row: Definition,
  sources: SettingSources,
  profile?: string,
): Resolved<Definition> {
  const found = find(row, sources, profile);
  const { fallback } = row;
  let setting: Setting<unknown> | undefined;
  if (found) {
    const { text, source } = found;
    const { parse } = (source.kind === 'variable' && row.variable) || row;
    setting = { value: parse(text, source.name), source };
  } else if (fallback !== undefined) {
    setting = { value: fallback, source: { kind: 'default', name: 'default' } };
  }
  return setting as Resolved<Definition>;
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

/** Tells if there is no region, which is no error before the first login. */
export function isRegionUnset(sources: SettingSources): boolean {
  return attempt(() => resolveRegion(sources, resolveProfile(sources).value)) === undefined;
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
  /** True if a flag names the profile: it overrides credentials in variables, as `aws --profile` does. */
  readonly skipVariables: boolean;
}

/** Resolves the selected client. Throws a `usage` error if no region is set. */
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
 * Resolves the auth URL for a client; returns undefined if none is set.
 *
 * @param verified a URL that is known to be valid: parsing it would take longer than reading the cache
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

/** Resolves the gateway's own address for a client; returns undefined if none is set. */
export function resolveApiUrl(sources: SettingSources, client: Client): Setting<string> | undefined {
  const row = SETTINGS.apiUrl;
  const found = findForClient(row, sources, client);
  return found && { value: row.parse(found.text, found.source.name, client.region), source: found.source };
}

/** Resolves the auth URL for a client. Throws a `usage` error of the reason `not-set` if none is set. */
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

/** Resolves the auth URL for a client from the config file only. */
export function configAuthUrl({ config }: SettingSources, client: Client): AuthUrl | undefined {
  return resolveAuthUrl({ flags: {}, env: {}, config }, client);
}

function emptyAmong(names: readonly string[], { env }: SettingSources): string {
  return names.map((name) => (env[name] === '' ? ` (${name} is empty)` : '')).join('');
}
