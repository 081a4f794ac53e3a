import type { Given } from '../../src/settings/table';
import type { ConfigValues } from '../../src/world';

export interface Places {
  readonly flags?: Given['flags'];
  readonly env?: Given['env'];
  readonly general?: ConfigValues;
  readonly profiles?: Readonly<Record<string, ConfigValues>>;
}
/** The places that settings come from, each empty unless given here; the config file is `/c.json`. */
export const given = ({ flags = {}, env = {}, general = {}, profiles = {} }: Places): Given => ({
  flags,
  env,
  config: { path: '/c.json', general, profiles },
});
