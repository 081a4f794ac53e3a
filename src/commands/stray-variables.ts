/** Finds environment variables that look like gwtoken's, but are unknown. */

import { REGIONS } from '../client';
import { variablePairs } from '../credentials/variables';
import { allKeys, configKeys, ROWS, settingOf, variableOf, variableSpelling } from '../settings/table';
import { similarWords } from '../text';
import type { Env } from '../world';

/** Returns the names that gwtoken reads. */
function knownVariables(): readonly string[] {
  return [
    ...ROWS.flatMap((row) => allKeys(row).flatMap((key) => variableOf(row, key) ?? [])),
    // The sandbox's names include production's.
    ...REGIONS.flatMap((region) => variablePairs({ environment: 'sandbox', region })).flat(),
    'GWTOKEN_CONFIG_DIR',
    'GWTOKEN_CACHE_DIR',
  ];
}

/** Matches the variables that gwtoken sets, under any prefix. */
const OUTPUT = /_(ACCESS_TOKEN|TOKEN_TYPE|EXPIRES_AT|SCOPE|TOKEN_FILE)$/;

/** Returns each set variable that looks like one of gwtoken's, with the similar names. */
export function strayVariables(env: Env): { readonly name: string; readonly meant: readonly string[] }[] {
  const known = knownVariables();
  return Object.keys(env)
    .filter((name) => /^GW_?TOKEN_/i.test(name) && env[name] && !OUTPUT.test(name) && !known.includes(name))
    .map((name) => ({ name, meant: onlyInConfig(name) ?? similarWords(name.toUpperCase(), known) }));
}

/** Returns the line that sets a setting which, on purpose, has a config key but no variable. */
function onlyInConfig(name: string): readonly string[] | undefined {
  const matches = (each: string) => settingOf(each)?.variable === 'none' && variableSpelling(each) === name;
  const key = configKeys().find(matches);
  return key === undefined ? undefined : [`gwtoken config set ${key} VALUE`];
}
