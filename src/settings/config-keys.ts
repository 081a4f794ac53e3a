/** The keys of the config file (contract section 2). */

import { REGIONS } from '../client';
import { GwtokenError } from '../errors';
import { shellWord } from '../text';
import { keysOf, type Row, SETTINGS } from './table';

const ROWS: readonly Row<unknown>[] = Object.values(SETTINGS);

/** Every key, in the order of the table. */
export function configKeys(): readonly string[] {
  return ROWS.flatMap(keysOf);
}

/** The setting that a key belongs to. */
export function settingOf(key: string): Row<unknown> | undefined {
  return ROWS.find((row) => keysOf(row).includes(key));
}

/** The setting of a key. Throws a `usage` error for a key that does not exist, or that a profile cannot have. */
export function checkConfigKey(key: string, where: string, profile?: string): Row<unknown> {
  const row = settingOf(key);
  if (row && (profile === undefined || row.scope !== 'user')) return row;
  const isTyped = where === 'the command line';
  const remove = `to remove it, run: gwtoken config unset ${shellWord(key)}${profile === undefined ? '' : ` --profile ${profile}`}`;
  if (row) {
    throw new GwtokenError('usage', `${key} cannot be set per profile (${profile})`, {
      hints: [isTyped ? `omit --profile: gwtoken config set ${key} VALUE` : remove],
    });
  }
  throw new GwtokenError('usage', `unknown config key ${JSON.stringify(key)} (from ${where})`, {
    hints: [
      ...(/secret|client|password|token/i.test(key) ? ['to store credentials, run: gwtoken login'] : []),
      `valid keys: ${configKeys().join(', ')}`,
      ...(isTyped ? [] : [remove]),
    ],
  });
}

/**
 * What `config set KEY VALUE` stores for the text of VALUE: booleans and numbers as such, most else as it was written.
 *
 * @throws GwtokenError `usage`
 */
export function configValue(
  key: string,
  text: string,
  where: string,
  profile?: string,
): string | number | boolean {
  const row = checkConfigKey(key, where, profile);
  const region = REGIONS.find((each) => key.endsWith(`.${each}`));
  const value = row.parse(text, where, region);
  return row.store ? row.store(value) : text;
}
