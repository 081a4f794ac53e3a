/**
 * Resolves each setting with its source: flag, environment variable, config file, stored client, default.
 */

import { type Client, clientName } from '../client';
import { GwtokenError, usage, valueOrError } from '../errors';
import { quoted, shellWord } from '../text';
import { isHeadless, type Surroundings } from '../waiting';
import type { Config, ConfigValues, QuickWorld } from '../world';
import {
  type FlagValues,
  isConfigKey,
  keysFor,
  type Resolved,
  ROWS,
  SETTINGS,
  type Setting,
  type SettingDefinition,
  type SettingSources,
  type Source,
  variableOf,
} from './table';
import { parseProfile } from './values';

/** Gathers the sources of settings. Throws `usage` for an invalid profile name in the config file. */
export function gather(
  flags: FlagValues,
  world: Surroundings & Pick<QuickWorld, 'config' | 'clients'>,
): SettingSources {
  const config = world.config.read();
  for (const profile of Object.keys(config.profiles)) parseProfile(profile, `profiles in ${config.path}`);
  return {
    flags,
    env: world.env,
    config,
    stored: () => world.clients.read(),
    unknownKeys: unknownKeys(config),
    isHeadless: () => isHeadless(world),
  };
}

/** Returns a warning for each key that has no setting, or none for its profile. */
function unknownKeys({ path, general, profiles }: Config): readonly string[] {
  const warnings = (values: ConfigValues, where: string, profile?: string): string[] =>
    Object.keys(values)
      .filter((key) => !isConfigKey(key, profile))
      .map((key) => {
        const flag = profile === undefined ? '' : ` --profile ${profile}`;
        const remove = `gwtoken config unset ${shellWord(key)}${flag}`;
        return `unknown config key ${quoted(key)} (from ${where}); to remove it, run: ${remove}`;
      });
  return [
    ...warnings(general, path),
    ...Object.entries(profiles).flatMap(([name, own]) => warnings(own, `profile ${name} in ${path}`, name)),
  ];
}

/** The parts of the client on which a value can depend; an unknown part is left out. */
type KnownClient = Partial<Client>;

/** Resolves a setting; undefined if it is not set and has no default. Throws `usage` for an invalid value. */
export function resolve<Row extends SettingDefinition<unknown>>(
  row: Row,
  sources: SettingSources,
  client: KnownClient = {},
): Resolved<Row> {
  const found = findSetting(row, sources, client);
  if (found === undefined) return defaultOf(row) as Resolved<Row>;
  const { text, source } = found;
  const { parse } = source.kind === 'variable' && typeof row.variable === 'object' ? row.variable : row;
  return { ...found, value: parse(text, source.name, client.region) } as Resolved<Row>;
}

function defaultOf({ fallback }: SettingDefinition<unknown>): Setting<unknown> | undefined {
  if (fallback === undefined) return undefined;
  return { value: fallback, text: '', source: { kind: 'default', name: 'default', undo: '' } };
}

/** A setting before it is parsed. */
type Found = Omit<Setting<unknown>, 'value'>;

/** Finds the first source that sets a setting; undefined if no source does. */
export function findSetting(
  row: SettingDefinition<unknown>,
  sources: SettingSources,
  client: KnownClient,
): Found | undefined {
  const keys = keysFor(row, client.region);
  return (
    findFlag(row.key, sources.flags) ??
    findVariable(row, keys, sources) ??
    findInConfig(keys, sources.config, client.profile) ??
    findStored(row, sources, client)
  );
}

function findFlag(
  key: string,
  flags: Readonly<Record<string, string | boolean | undefined>>,
): Found | undefined {
  const flag = flags[key];
  if (flag === undefined) return undefined;
  const name = `--${flag === false ? 'no-' : ''}${key}`;
  return { text: String(flag), source: { kind: 'flag', name, undo: `omit ${name}` } };
}

/** Finds the first of the keys' variables that is set. An empty variable counts as unset. */
function findVariable(
  row: SettingDefinition<unknown>,
  keys: readonly string[],
  { env }: SettingSources,
): Found | undefined {
  for (const key of keys) {
    const name = variableOf(row, key);
    const text = name && env[name];
    if (text) return { text, source: { kind: 'variable', name, undo: `unset ${name}` } };
  }
  return undefined;
}

/** Finds the first of the keys in the config file: in the profile's values, then in the general ones. */
export function findInConfig(
  keys: readonly string[],
  { path, general, profiles }: Config,
  profile = '',
): Found | undefined {
  const flag = ` --profile ${profile}`;
  const ofProfile = { values: profiles[profile] ?? {}, where: `of profile ${profile} in ${path}`, flag };
  for (const { values, where, flag } of [ofProfile, { values: general, where: `in ${path}`, flag: '' }]) {
    const key = keys.find((each) => values[each] !== undefined);
    if (key === undefined) continue;
    const source = {
      kind: 'config',
      name: `${key} ${where}`,
      undo: `run: gwtoken config unset ${key}${flag}`,
    } as const;
    const value = values[key];
    if (typeof value !== 'object') return { text: String(value), source };
    throw usage(`invalid value (from ${source.name})`, {
      reason: 'bad-value',
      allowed: 'a string, number or boolean',
      undo: source.undo,
    });
  }
  return undefined;
}

/** Finds the value of the stored client; undefined while a part of the client is unknown. */
function findStored(
  { ofStored }: SettingDefinition<unknown>,
  { stored }: SettingSources,
  { profile, environment, region }: KnownClient,
): Found | undefined {
  if (!ofStored || profile === undefined || environment === undefined || region === undefined)
    return undefined;
  const name = clientName({ profile, environment, region });
  const entry = stored()[name];
  return (
    entry && { text: ofStored(entry), source: { kind: 'stored', name: `stored client ${name}`, undo: '' } }
  );
}

/** Returns the sources with only these kinds in them. */
export function onlyFrom(
  kinds: readonly Exclude<Source['kind'], 'default'>[],
  { flags, env, config, stored, ...rest }: SettingSources,
): SettingSources {
  return {
    ...rest,
    stored: kinds.includes('stored') ? stored : () => ({}),
    flags: kinds.includes('flag') ? flags : {},
    env: kinds.includes('variable') ? env : {},
    config: kinds.includes('config') ? config : { path: config.path, general: {}, profiles: {} },
  };
}

/** Resolves the parts of the client's name. The region may be undefined, as before the first login. */
export function clientParts(sources: SettingSources) {
  const profile = resolve(SETTINGS.profile, sources).value;
  const environment = resolve(SETTINGS.environment, sources, { profile }).value;
  return { profile, environment, region: resolve(SETTINGS.region, sources, { profile }) };
}

/** Resolves the selected client. Throws a `usage` error if no region is set. */
export function resolveClient(sources: SettingSources): Client {
  const { region, ...parts } = clientParts(sources);
  if (region) return { ...parts, region: region.value };
  throw usage('no region set', { reason: 'no-region' });
}

/** Resolves the auth URL of a client. Throws a `usage` error if none is set. */
export function requireAuthUrl(sources: SettingSources, client: Client): Setting<string> {
  const found = resolve(SETTINGS.authUrl, sources, client);
  if (found) return found;
  throw usage(`no auth URL set for region ${client.region}`, { reason: 'no-auth-url', client });
}

/** Returns one line for each setting of a client, with its value and source. */
export function settingLines(sources: SettingSources, client: Client, withDefaults = true): string[] {
  return ROWS.flatMap((row) => {
    const found = valueOrError(() => resolve(row, sources, client));
    const { name = row.key, show = String } = row;
    if (found instanceof GwtokenError) return `${name}: ${found.message}`;
    if (found === undefined || (found.source.kind === 'default' && !withDefaults)) return [];
    return `${name}: ${show(found.value)} (${found.source.name})`;
  });
}
