/** Settings in words: as --verbose and doctor show them, and a flag's equivalents, as help shows them. */
import { type Client, profileFlag, REGIONS } from '../client';
import { shellWord } from '../text';
import type { ClientSettings } from './resolve';
import {
  type AuthUrl,
  FETCH_SETTINGS,
  type FetchSettings,
  keysFor,
  SETTINGS,
  type Setting,
  type SettingDefinition,
  variableOf,
} from './table';

/** Returns the settings of a run as the lines that --verbose begins with. */
export function describeSettings(
  { region, environment, profile }: ClientSettings,
  authUrl: AuthUrl,
  fetch: FetchSettings,
): string[] {
  const all: [SettingDefinition<unknown>, Setting<unknown> | undefined][] = [
    [SETTINGS.region, region],
    [SETTINGS.environment, environment],
    [SETTINGS.profile, profile],
    [SETTINGS.authUrl, authUrl],
  ];
  const names = Object.keys(FETCH_SETTINGS) as (keyof FetchSettings)[];
  for (const name of names) all.push([FETCH_SETTINGS[name], fetch[name]]);
  return all.flatMap(([row, setting]) =>
    setting === undefined ? [] : `${row.name ?? row.key}: ${describeSetting(row, setting)}`,
  );
}

/** Returns a value with its source: `10 s (GWTOKEN_TIMEOUT)`. */
export function describeSetting(
  { show = String, defaultText }: SettingDefinition<unknown>,
  setting: Setting<unknown> | undefined,
): string {
  return setting ? `${show(setting.value)} (${setting.source.name})` : `${defaultText} (default)`;
}

/** Returns the command that sets a client's URL, with the config key that is looked up first. */
export function setUrlCommand(row: SettingDefinition<string>, client: Client, url: string): string {
  const [key] = keysFor(row, client.region);
  return `gwtoken config set ${key} ${shellWord(url)}${profileFlag(client.profile)}`;
}

/** Returns a flag's equivalents: variable `GWTOKEN_AUTH_URL[_EU|_US]`, config key `auth-url[.eu|.us]`. */
export function equivalents(row: SettingDefinition<unknown>): readonly [variable: string, key: string] {
  const name = variableOf(row, row.key) ?? '';
  if (row.scope !== 'client') return [row.flag?.negative === 'only' ? `${name}=1` : name, row.key];
  const regions = (separator: string) => `[${REGIONS.map((region) => separator + region).join('|')}]`;
  return [name + regions('_').toUpperCase(), row.key + regions('.')];
}
