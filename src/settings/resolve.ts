/** Resolves each setting with its source: flag, then environment variable, then config file, then default. */

import { type Client, checkProfile, clientFlags, REGIONS } from '../client';
import { GwtokenError, usage, valueOrError } from '../errors';
import { CI_HELP, isCi } from '../waiting';
import type { Config, Env, QuickWorld } from '../world';
import {
  checkConfigKey,
  type FlagValues,
  keysFor,
  type Resolved,
  SETTINGS,
  type Setting,
  type SettingDefinition,
  type SettingSources,
  variableOf,
} from './table';

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

/** What the value of a setting may depend on. */
interface Scope extends Partial<Pick<Client, 'profile' | 'region'>> {
  /** A text that is known to be valid as it is: parsing a URL would take longer than reading the cache. */
  readonly valid?: string | undefined;
}

/** Resolves a setting; undefined if it has no default. Throws `usage` for an invalid value. */
export function resolve<Row extends SettingDefinition<unknown>>(
  row: Row,
  sources: SettingSources,
  { profile, region, valid }: Scope = {},
): Resolved<Row> {
  const keys = keysFor(row, region);
  const found =
    findFlag(row, sources) ?? findVariable(row, keys, sources) ?? configured(keys, sources.config, profile);
  let setting: Setting<unknown> | undefined;
  if (found) {
    const { text, source } = found;
    const { parse } = (source.kind === 'variable' && row.variable) || row;
    setting = { ...found, value: text === valid ? text : parse(text, source.name, region) };
  } else if (row.fallback !== undefined) {
    setting = { value: row.fallback, text: '', source: { kind: 'default', name: 'default' } };
  }
  return setting as Resolved<Row>;
}

/** A setting before it is parsed. */
type Found = Omit<Setting<unknown>, 'value'>;

function findFlag({ key }: SettingDefinition<unknown>, { flags }: SettingSources): Found | undefined {
  const flag = flags[key];
  if (flag === undefined) return undefined;
  const name = `--${flag === false ? 'no-' : ''}${key}`;
  return { text: String(flag), source: { kind: 'flag', name } };
}

/** Looks the keys' variables up. An empty one counts as unset. */
function findVariable(
  row: SettingDefinition<unknown>,
  keys: readonly string[],
  { env }: SettingSources,
): Found | undefined {
  for (const key of keys) {
    const name = variableOf(row, key);
    const text = name && env[name];
    if (text) return { text, source: { kind: 'variable', name } };
  }
  return undefined;
}

/** Looks the keys up in the config file: the profile's own values, then the general ones. */
export function configured(
  keys: readonly string[],
  { path, general, profiles }: Config,
  profile = '',
): Found | undefined {
  const ofProfile = { values: profiles[profile] ?? {}, where: `of profile ${profile} in ${path}` };
  for (const { values, where } of [ofProfile, { values: general, where: `in ${path}` }]) {
    const key = keys.find((each) => values[each] !== undefined);
    if (key !== undefined)
      return { text: String(values[key]), source: { kind: 'config', name: `${key} ${where}` } };
  }
  return undefined;
}

/** Tells if no region is set, which is no error before the first login. */
export function isRegionUnset(sources: SettingSources): boolean {
  return (
    resolve(SETTINGS.region, sources, { profile: resolve(SETTINGS.profile, sources).value }) === undefined
  );
}

/** Resolves the selected client. Throws a `usage` error if no region is set. */
export function resolveClient(sources: SettingSources): Client {
  const profile = resolve(SETTINGS.profile, sources).value;
  const environment = resolve(SETTINGS.environment, sources, { profile }).value;
  const region = resolve(SETTINGS.region, sources, { profile })?.value;
  if (region) return { profile, environment, region };
  const flags = REGIONS.map((each) => `--region ${each}`).join(' or ');
  throw usage(
    `no region set${emptyAmong(['GWTOKEN_REGION'], sources.env)}`,
    isCi(sources.env) ? CI_HELP : 'to set up a client, run: gwtoken login',
    `or use ${flags}, or set GWTOKEN_REGION`,
  );
}

/**
 * Resolves the auth URL of a client.
 *
 * @param valid that of the cached token: if it is still set, it is not parsed again
 * @throws GwtokenError `usage` if none is set
 */
export function requireAuthUrl(sources: SettingSources, client: Client, valid?: string): Setting<string> {
  const found = resolve(SETTINGS.authUrl, sources, { ...client, valid });
  if (found) return found;
  const names = [`GWTOKEN_AUTH_URL_${client.region.toUpperCase()}`, 'GWTOKEN_AUTH_URL'];
  const empty = emptyAmong(names, sources.env);
  throw usage(
    `no auth URL set for region ${client.region}${empty}`,
    isCi(sources.env) ? CI_HELP : `to set up this client, run: gwtoken login ${clientFlags(client)}`,
    `or use --auth-url URL, or set ${names.join(' or ')}`,
  );
}

function emptyAmong(names: readonly string[], env: Env): string {
  return names.map((name) => (env[name] === '' ? ` (${name} is empty)` : '')).join('');
}

/** Returns the settings of a client as lines with their sources, but for those that nobody set. */
export function settingLines(sources: SettingSources, client: Client): string[] {
  return Object.values<SettingDefinition<unknown>>(SETTINGS).flatMap((row) => {
    const found = valueOrError(() => resolve(row, sources, client));
    if (found === undefined) return [];
    const { name = row.key, show = String } = row;
    if (found instanceof GwtokenError) return `${name}: ${found.message}`;
    return `${name}: ${show(found.value)} (${found.source.name})`;
  });
}
