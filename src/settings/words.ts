/** Settings in words: the lines of --verbose, doctor's, and how help spells what does the same as a flag. */
import { type Client, profileFlag, REGIONS } from '../client';
import { shellWord } from '../text';
import type { ClientSettings, FetchSettings } from './resolve';
import { type AuthUrl, keysFor, SETTINGS, type Setting, type SettingDefinition, variableOf } from './table';

/** The settings of a run, as the lines that --verbose begins with. */
export function describeSettings(client: ClientSettings, authUrl: AuthUrl, fetch: FetchSettings): string[] {
  const all: Readonly<Record<string, unknown>> = { ...client, authUrl, ...fetch };
  return Object.entries<SettingDefinition<unknown>>(SETTINGS)
    .filter(([member]) => all[member] !== undefined)
    .map(
      ([member, row]) => `${row.name ?? row.key}: ${describeSetting(row, all[member] as Setting<unknown>)}`,
    );
}

/** A value with its source: `10 s (GWTOKEN_TIMEOUT)`. */
export function describeSetting(
  { show = String, defaultText }: SettingDefinition<unknown>,
  setting: Setting<unknown> | undefined,
): string {
  return setting ? `${show(setting.value)} (${setting.source.name})` : `${defaultText} (default)`;
}

/** The line that sets the auth URL of one client, in the first place that is looked at for it in the config file. */
export function setAuthUrlCommand(client: Client, url: string): string {
  const [[key] = []] = keysFor(SETTINGS.authUrl, client);
  return `gwtoken config set ${key} ${shellWord(url)}${profileFlag(client.profile)}`;
}

/** The variable and the key that do the same as a flag: `GWTOKEN_AUTH_URL[_EU|_US]` and `auth-url[.eu|.us]`. */
export function equivalents(row: SettingDefinition<unknown>): readonly [variable: string, key: string] {
  const name = variableOf(row, row.key) ?? '';
  if (row.scope !== 'client') return [row.flag?.negative === 'only' ? `${name}=1` : name, row.key];
  const regions = (before: string) => `[${REGIONS.map((region) => before + region).join('|')}]`;
  return [name + regions('_').toUpperCase(), row.key + regions('.')];
}
