/** The settings with their sources, each read by itself, so that one bad value does not hide the others. */

import { clientFlags, clientName, DEFAULT_PROFILE } from '../../client';
import { planCredentials } from '../../credentials/plan';
import { attempt, GwtokenError } from '../../errors';
import {
  firstRunHints,
  gather,
  resolveClient,
  resolveProfile,
  resolveRegion,
  resolveSetting,
} from '../../settings/resolve';
import { FETCH_SETTINGS, type FlagValues, type Given, type Row, SETTINGS } from '../../settings/table';
import { inWords } from '../../settings/words';
import type { World } from '../../world';
import { type Check, section } from './check';

const { ok, warning, skipped, failed, error: broken } = section('settings');

type Outside = Pick<World, 'env' | 'config' | 'readFile' | 'clients'>;

/** What the other checks go by: a config file that cannot be read counts as an empty one. */
export function gatherLeniently(flags: FlagValues, { env, config }: Pick<Outside, 'env' | 'config'>): Given {
  return { flags, env, config: orElse(() => config.read(), { path: '', general: {}, profiles: {} }) };
}

export function settingsChecks(given: Given, world: Outside): Check[] {
  const file = attempt(() => gather(given.flags, world));
  const profile = profileOf(given);
  const line = (title: string, row: Row<unknown>): Check => {
    const found = attempt(() => resolveSetting(row, given, profile));
    return found instanceof GwtokenError ? broken(title, found) : ok(title, inWords(row, found));
  };
  return [
    file instanceof GwtokenError ? broken('config file', file) : ok('config file', file.config.path),
    line('profile', SETTINGS.profile),
    line('environment', SETTINGS.environment),
    attempt(() => resolveRegion(given, profile)) === undefined
      ? noRegion(given)
      : line('region', SETTINGS.region),
    credentials(given, world),
    ...Object.values(FETCH_SETTINGS).map((row) => line(row.key, row)),
  ];
}

/** On a first run it is the one thing to fix; later a region can be given each time. */
function noRegion(given: Given): Check {
  const first = firstRunHints(given);
  if (first.length > 0) return failed('usage', 'region', 'not set', ...first);
  const hint = 'to set a default, run: gwtoken config set region eu';
  return warning('region', 'not set: every command needs --region', hint);
}

/** The profile, or the default one where its name is wrong, which has a line of its own. */
export function profileOf(given: Given): string {
  return orElse(() => resolveProfile(given).value, DEFAULT_PROFILE);
}

/** What is found; or this where a setting cannot be read, which has a line of its own. */
export function orElse<T>(find: () => T, otherwise: T): T {
  const found = attempt(find);
  return found instanceof GwtokenError ? otherwise : found;
}

function credentials(given: Given, world: Outside): Check {
  const client = attempt(() => resolveClient(given));
  // Without a region, or with a bad value, there is a line about that already.
  if (client instanceof GwtokenError) return skipped('credentials', 'unknown (no client selected)');
  const plan = attempt(() => planCredentials(given, client, world));
  if (plan instanceof GwtokenError) return broken('credentials', plan);
  if (plan.kind !== 'keychain') return ok('credentials', plan.name);
  const stored = attempt(() => world.clients.read());
  // Whoever fetches a token does without the list.
  if (stored instanceof GwtokenError) return warning('credentials', stored.message, ...stored.hints);
  if (stored[clientName(client.client)]) return ok('credentials', 'keychain');
  const hint = `to store them, run: gwtoken login ${clientFlags(client.client)}`;
  return warning('credentials', 'none stored by gwtoken login', hint);
}
