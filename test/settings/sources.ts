import type { SettingSources } from '../../src/settings/table';
import type { ConfigValues } from '../../src/world';

export interface Places {
  readonly flags?: SettingSources['flags'];
  readonly env?: SettingSources['env'];
  readonly general?: ConfigValues;
  readonly profiles?: Readonly<Record<string, ConfigValues>>;
}
/** The places that settings come from, each empty unless given here; the config file is `/c.json`. */
export const sources = ({ flags = {}, env = {}, general = {}, profiles = {} }: Places): SettingSources => ({
  flags,
  env,
  config: { path: '/c.json', general, profiles },
});
