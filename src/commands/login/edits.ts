/** What a login writes to the config file, so that the next `gwtoken get` finds the client (contract section 4). */

import { type Client, DEFAULT_PROFILE } from '../../client';
import { configAuthUrl } from '../../settings/resolve';
import type { AuthUrl, Given } from '../../settings/setting';
import type { Config, ConfigEdit } from '../../world/files';

/**
 * The auth URL goes to `[sandbox.]auth-url.<region>` of the profile, or to `[sandbox.]auth-url` if it has `{region}`;
 * the first login of a profile sets its region. Nothing that the config says already is written again.
 */
export function loginEdits(given: Given, client: Client, authUrl: AuthUrl): ConfigEdit[] {
  const { config } = given;
  const edits: ConfigEdit[] = [];
  if (configAuthUrl(given, client)?.value !== authUrl.value) {
    const general = client.environment === 'sandbox' ? 'sandbox.auth-url' : 'auth-url';
    const specific = `${general}.${client.region}`;
    const profile = levelFor(config, client.profile, [general, specific]);
    if (authUrl.template.includes('{region}')) {
      edits.push({ profile, key: general, value: authUrl.template });
      if (valuesAt(config, profile)?.[specific] !== undefined)
        edits.push({ profile, key: specific, value: undefined });
    } else {
      edits.push({ profile, key: specific, value: authUrl.value });
    }
  }
  const profile = levelFor(config, client.profile, ['region']);
  if (valuesAt(config, profile)?.['region'] === undefined)
    edits.push({ profile, key: 'region', value: client.region });
  return edits;
}

/**
 * The default profile writes general values, which the other profiles fall back to, unless it has values of its own
 * (from `config set --profile default`) that would hide them.
 */
function levelFor(config: Config, profile: string, keys: readonly string[]): string | undefined {
  const own = config.profiles[profile];
  return profile === DEFAULT_PROFILE && !keys.some((key) => own?.[key] !== undefined) ? undefined : profile;
}

function valuesAt(config: Config, profile: string | undefined) {
  return profile === undefined ? config.general : config.profiles[profile];
}
