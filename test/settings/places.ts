import type { Hints } from '../../src/errors';
import { settingsFrom } from '../../src/settings/resolve';
import type { Places, Settings } from '../../src/settings/table';
import type { ConfigValues, StoredClient } from '../../src/world';

export interface Values {
  readonly flags?: Places['flags'];
  readonly env?: Places['env'];
  readonly general?: ConfigValues;
  readonly noHome?: Hints;
  readonly stored?: Readonly<Record<string, StoredClient>>;
  readonly profiles?: Readonly<Record<string, ConfigValues>>;
}

/** Returns the settings with these values; the config file is `/c.json`. */
export const settingsWith = ({
  flags = {},
  env = {},
  general = {},
  profiles = {},
  noHome = [],
  stored = {},
}: Values): Settings =>
  settingsFrom({
    flags,
    env,
    platform: 'darwin',
    config: { path: '/c.json', noHome, general, profiles },
    stored: () => stored,
  });
