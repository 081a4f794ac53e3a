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
import { describeSetting, setUrlCommand } from '../settings/words';
import type { World } from '../world';

/** Lists every setting in effect, with its source. */
export function effectiveLines(sources: SettingSources): string[] {
  const profile = resolveProfile(sources).value;
  const environment = resolveEnvironment(sources, profile).value;
  const rows: readonly SettingDefinition<unknown>[] = Object.values(SETTINGS);
  return rows.flatMap((row) => {
    if (row.scope !== 'client') return line(row.key, row, resolveSetting(row, sources, profile));
    const resolve = row === SETTINGS.apiUrl ? resolveApiUrl : resolveAuthUrl;
    return REGIONS.map((region) =>
      line(`${row.key}.${region}`, row, resolve(sources, { profile, environment, region })),
    );
  });
}

function line(key: string, row: SettingDefinition<unknown>, value: Setting<unknown> | undefined): string {
  return `${key} = ${describeSetting(row, value)}\n`;
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
    const now = client && attempt(() => resolveAuthUrl({ flags: {}, env: world.env, config }, client)?.value);
    if (client === undefined || typeof now !== 'string' || now === boundTo) continue;
    warnings.push({
      message: `the credentials stored for ${name} are for ${boundTo}; they will not be sent to ${now}`,
      hints: [
        `to go back, run: ${setUrlCommand(SETTINGS.authUrl, client, boundTo)}`,
        `to use ${now}, run: gwtoken login ${clientFlags(client)}`,
      ],
    });
  }
  return warnings;
}
