/** The settings with their sources, each read by itself, so that one bad value does not hide the others. */

import { DEFAULT_PROFILE } from '../../client';
import { attempt, GwtokenError } from '../../errors';
import { resolveProfile, resolveSetting } from '../../settings/resolve';
import { FETCH_SETTINGS, type Given, type Row, SETTINGS } from '../../settings/table';
import { inWords } from '../../settings/words';
import { type Check, type Section, section } from './check';

const { ok, error: broken } = section('settings');

/**
 * @param given the settings, or why the config file cannot be used: then nothing is known of them
 * @param noClient why no client is selected
 */
export function settingsSection(given: Given | GwtokenError, noClient: GwtokenError | undefined): Section {
  const title = 'settings';
  if (given instanceof GwtokenError) return { title, summary: '', checks: [broken('config file', given)] };
  const profile = attempt(() => resolveProfile(given).value);
  const own = profile instanceof GwtokenError ? DEFAULT_PROFILE : profile;
  const checks = [ok('config file', given.config.path)];
  const changed: string[] = [];
  const add = (name: string, row: Row<unknown>): void => {
    const found = attempt(() => resolveSetting(row, given, own));
    if (found instanceof GwtokenError) checks.push(broken(name, found));
    // Without a region there is no client, which has a line of its own.
    else if (found !== undefined || row !== SETTINGS.region) checks.push(ok(name, inWords(row, found)));
    if (found && !(found instanceof GwtokenError) && found.source.kind !== 'default')
      changed.push(`${name} ${inWords(row, found)}`);
  };
  for (const row of [SETTINGS.profile, SETTINGS.environment, SETTINGS.region]) add(row.name, row);
  for (const row of Object.values(FETCH_SETTINGS)) add(row.key, row);
  const isSaid = (error: GwtokenError): boolean => checks.some(({ message }) => message === error.message);
  const client: Check[] = noClient && !isSaid(noClient) ? [broken('client', noClient)] : [];
  const summary = changed.length === 0 ? 'defaults' : changed.join(', ');
  return { title, summary, checks: [...checks, ...client] };
}
