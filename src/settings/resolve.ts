/** Resolves each setting with its source: flag, variable, config file, stored client or default. */
import { type Client, clientName, mayHoldCredentials } from '../client';
import { GwtokenError, orUndefined, usage, valueOrError } from '../errors';
import { once } from '../once';
import type { Surroundings } from '../surroundings';
import { quoted, shellWord } from '../text';
import type { Config, ConfigValues, QuickWorld } from '../world';
import {
  checkConfigKey,
  type FlagValues,
  type Places,
  SETTINGS,
  type Setting,
  type SettingRow,
  type Settings,
  unsetLine,
  variableOf,
} from './table';
import { parseProfile } from './values';

/** Returns the settings of a command. Throws `usage` for an invalid profile name in the config file. */
export function gather(
  flags: FlagValues,
  world: Surroundings & Pick<QuickWorld, 'config' | 'clients'>,
): Settings {
  const config = world.config.read();
  for (const profile of Object.keys(config.profiles)) parseProfile(profile, `profiles in ${config.path}`);
  return settingsFrom({
    flags,
    env: world.env,
    platform: world.platform,
    config,
    stored: once(() => world.clients.read()),
  });
}

/** Returns the settings in these places. Nothing is resolved yet. */
export function settingsFrom(places: Places): Settings {
  const settings = { ...places } as Settings;
  const define = (name: string, get: () => unknown) =>
    Object.defineProperty(settings, name, { get: once(get) });
  for (const [name, row] of Object.entries<SettingRow<unknown>>(SETTINGS))
    define(name, () => resolve(row, settings));
  define('client', () => selectedClient(settings));
  return settings;
}

/** Returns the settings with some places replaced. All of them are resolved again. */
export function withPlaces(settings: Settings, changes: Partial<Places>): Settings {
  // The spread copies the places only, because the other members are not enumerable.
  return settingsFrom({ ...settings, ...changes });
}

export function withFlags(settings: Settings, flags: FlagValues): Settings {
  return withPlaces(settings, { flags: { ...settings.flags, ...flags } });
}

/** Returns the settings of a command whose flags select the client. */
export function selecting({ profile, environment, region }: Client, settings: Settings): Settings {
  // With --profile, a command ignores credentials in variables, so the flag is left out if it is not needed.
  const withoutFlag = withFlags(settings, { profile: undefined }).profile.value;
  const flag = profile === withoutFlag ? undefined : profile;
  return withFlags(settings, { region, sandbox: environment === 'sandbox', profile: flag });
}

function selectedClient(settings: Settings): Client {
  const { profile, environment, region, stored, env } = settings;
  if (region) return { profile: profile.value, environment: environment.value, region: region.value };
  // An empty variable counts as unset.
  const areInVariables = Object.keys(env).some((name) => env[name] && mayHoldCredentials(name));
  if (areInVariables || settings.credentialCommand || Object.keys(stored()).length > 0)
    throw usage('no region set', [], 'no-region');
  throw new GwtokenError('no-credentials', 'no client stored yet', [], { reason: 'no-client' });
}

/** Returns a warning for each unknown key of the config file. A later version may have written it. */
export function unknownKeys({ path, general, profiles }: Config): readonly string[] {
  const warnings = (values: ConfigValues, where: string, profile?: string): string[] =>
    Object.keys(values)
      .filter((key) => !orUndefined(() => checkConfigKey(key, profile)))
      .map((key) => {
        const remove = unsetLine(shellWord(key), profile);
        return `unknown config key ${quoted(key)} (from ${where}); to remove it, run: ${remove}`;
      });
  return [
    ...warnings(general, path),
    ...Object.entries(profiles).flatMap(([name, own]) => warnings(own, `profile ${name} in ${path}`, name)),
  ];
}

function resolve<T>(row: SettingRow<T>, settings: Settings): Setting<T> | undefined {
  const found = findSetting(row, settings);
  if (found) {
    const { text, source } = found;
    const { parse } = source.kind === 'variable' && typeof row.variable === 'object' ? row.variable : row;
    return { ...found, value: parse(text, source.name, regionFor(row, settings)) };
  }
  if (row.fallback === undefined) return undefined;
  return { value: row.fallback, text: '', source: { kind: 'default', name: 'default' } };
}

function regionFor({ reach }: SettingRow<unknown>, settings: Settings): Client['region'] | undefined {
  return reach === 'client' ? settings.region?.value : undefined;
}

/** A setting before it is parsed. */
type Found = Omit<Setting<unknown>, 'value'>;

function findSetting(row: SettingRow<unknown>, settings: Settings): Found | undefined {
  const region = regionFor(row, settings);
  const keys = region ? [`${row.key}.${region}`, row.key] : [row.key];
  const profile = row.reach === 'user' ? undefined : settings.profile.value;
  return (
    findFlag(row.key, settings.flags) ??
    findVariable(row, keys, settings) ??
    findInConfig(keys, settings.config, profile) ??
    findStored(row, settings)
  );
}

function findFlag(key: string, flags: FlagValues): Found | undefined {
  const flag = flags[key as keyof FlagValues];
  if (flag === undefined) return undefined;
  const name = `--${flag === false ? 'no-' : ''}${key}`;
  return { text: String(flag), source: { kind: 'flag', name } };
}

/** Finds the first of the keys' variables that is set. An empty variable counts as unset. */
function findVariable(row: SettingRow<unknown>, keys: readonly string[], { env }: Places): Found | undefined {
  for (const key of keys) {
    const name = variableOf(row, key);
    const text = name && env[name];
    if (text) return { text, source: { kind: 'variable', name } };
  }
  return undefined;
}

/** Finds the first of the keys in the config file: in the profile's values, then in the general ones. */
export function findInConfig(
  keys: readonly string[],
  { path, general, profiles }: Config,
  profile?: string,
): Found | undefined {
  for (const owner of [profile, undefined]) {
    const values = owner === undefined ? general : (profiles[owner] ?? {});
    const key = keys.find((each) => values[each] !== undefined);
    if (key === undefined) continue;
    const of = owner === undefined ? '' : `of profile ${owner} `;
    const source = { kind: 'config', name: `${key} ${of}in ${path}`, key, profile: owner } as const;
    const value = values[key];
    if (typeof value !== 'object') return { text: String(value), source };
    throw usage(`invalid value (from ${source.name})`, [
      'use a string, number or boolean',
      `run: ${unsetLine(key, owner)}`,
    ]);
  }
  return undefined;
}

/** Finds the value of the stored client; undefined while the region is unknown. */
function findStored({ ofStored }: SettingRow<unknown>, settings: Settings): Found | undefined {
  if (!ofStored || !settings.region) return undefined;
  const name = clientName(settings.client);
  const entry = settings.stored()[name];
  return entry && { text: ofStored(entry), source: { kind: 'stored', name: `stored client ${name}` } };
}

export function settingLines(settings: Settings): string[] {
  return Object.entries<SettingRow<unknown>>(SETTINGS).flatMap(([id, { key, name = key, show = String }]) => {
    const found = valueOrError(() => settings[id as keyof typeof SETTINGS]);
    if (found instanceof GwtokenError) return `${name}: ${found.message}`;
    if (found === undefined) return [];
    return `${name}: ${show(found.value)} (${found.source.name})`;
  });
}
