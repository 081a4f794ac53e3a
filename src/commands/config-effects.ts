/** Effects of the settings: every value with its source, and warnings about a changed one. */

import { clientFlags, parseClientName, REGIONS } from '../client';
import { attempt, GwtokenError } from '../errors';
import {
  resolveApiUrl,
  resolveAuthUrl,
  resolveEnvironment,
  resolveProfile,
  resolveSetting,
} from '../settings/resolve';
import {
  type FlagValues,
  SETTINGS,
  type Setting,
  type SettingDefinition,
  type SettingSources,
  settingOf,
} from '../settings/table';
import { setUrlCommand } from '../settings/words';
import type { World } from '../world';

/** Settings by key: the value as it is shown, and its source. */
type Effective = Readonly<Record<string, { readonly value: string | null; readonly source: string }>>;

/** Returns every setting in effect, with its source. */
export function effectiveSettings(sources: SettingSources): Effective {
  const profile = resolveProfile(sources).value;
  const environment = resolveEnvironment(sources, profile).value;
  const rows: readonly SettingDefinition<unknown>[] = Object.values(SETTINGS);
  const shown = (row: SettingDefinition<unknown>, found: Setting<unknown> | undefined) => ({
    value: found ? (row.show ?? String)(found.value) : (row.defaultText ?? null),
    source: found?.source.name ?? 'default',
  });
  const entries = rows.flatMap((row) =>
    row.scope === 'client'
      ? REGIONS.map((region) => {
          const resolve = row === SETTINGS.apiUrl ? resolveApiUrl : resolveAuthUrl;
          const url = resolve(sources, { profile, environment, region });
          return [`${row.key}.${region}`, shown(row, url)] as const;
        })
      : [[row.key, shown(row, resolveSetting(row, sources, profile))] as const],
  );
  return Object.fromEntries(entries);
}

/** Returns the settings as lines: `timeout = 10 s (default)`. */
export function settingLines(settings: Effective): string {
  return Object.entries(settings)
    .map(([key, { value, source }]) => `${key} = ${value} (${source})\n`)
    .join('');
}

interface Warning {
  readonly message: string;
  readonly hints: readonly string[];
}

/** Returns warnings if a changed setting has no effect, or keeps stored credentials from being sent. */
export function warningsOf(key: string, flags: FlagValues, world: Pick<World, 'clients' | 'config' | 'env'>) {
  const config = world.config.read();
  const warnings: Warning[] = [];
  const profile = attempt(() => resolveProfile({ flags, env: world.env, config }).value);
  const profileValue = profile instanceof GwtokenError ? undefined : config.profiles[profile]?.[key];
  if (flags['profile'] === undefined && profileValue !== undefined)
    warnings.push({
      message: `profile ${profile} sets ${key} = ${profileValue}, which overrides this`,
      hints: [`to remove that, run: gwtoken config unset ${key} --profile ${profile}`],
    });
  if (settingOf(key) !== SETTINGS.authUrl) return warnings;
  for (const [name, { authUrl: boundTo }] of Object.entries(world.clients.read())) {
    const client = parseClientName(name);
    const current =
      client && attempt(() => resolveAuthUrl({ flags: {}, env: world.env, config }, client)?.value);
    if (client === undefined || typeof current !== 'string' || current === boundTo) continue;
    warnings.push({
      message: `the credentials stored for ${name} are for ${boundTo}; they will not be sent to ${current}`,
      hints: [
        `to go back, run: ${setUrlCommand(SETTINGS.authUrl, client, boundTo)}`,
        `to use ${current}, run: gwtoken login ${clientFlags(client)}`,
      ],
    });
  }
  return warnings;
}
