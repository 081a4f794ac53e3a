import type { SettingSources } from '../../src/settings/table';
import type { ConfigValues, StoredClient } from '../../src/world';

/** Values by the place that they come from. */
export interface Places {
  readonly flags?: SettingSources['flags'];
  readonly env?: SettingSources['env'];
  readonly general?: ConfigValues;
  readonly stored?: Readonly<Record<string, StoredClient>>;
  readonly isHeadless?: boolean;
  readonly profiles?: Readonly<Record<string, ConfigValues>>;
}

/** Returns sources with these values; the config file is `/c.json`. */
export const sources = ({
  flags = {},
  env = {},
  general = {},
  profiles = {},
  stored = {},
  isHeadless = false,
}: Places): SettingSources => ({
  flags,
  env,
  config: { path: '/c.json', general, profiles },
  stored: () => stored,
  unknownKeys: [],
  isHeadless: () => isHeadless,
});
