/** Finds environment variables that look like gwtoken's, but are unknown. */

import type { StrayVariable } from '../causes';
import { CREDENTIAL_VARIABLES } from '../credentials/variables';
import { TOKEN_FILE, tokenVariables } from '../formats/token-variables';
import { allKeys, configKeys, ROWS, settingOf, variableOf, variableSpelling } from '../settings/table';
import { DIRECTORY_VARIABLES, type Surroundings } from '../surroundings';
import { similarWords } from '../text';

/** Returns the names that gwtoken reads. */
function knownVariables(): readonly string[] {
  return [
    ...ROWS.flatMap((row) => allKeys(row).flatMap((key) => variableOf(row, key) ?? [])),
    ...CREDENTIAL_VARIABLES,
    ...Object.values(DIRECTORY_VARIABLES),
  ];
}

/** Ends of the variables that gwtoken sets, under any prefix. */
const OUTPUTS = [...tokenVariables(undefined, { prefix: '' }).map(({ name }) => name), TOKEN_FILE];

interface Stray extends StrayVariable {
  /** True if gwtoken may use another client because of it. */
  readonly isMisleading: boolean;
}

/** Returns each set variable that looks like one of gwtoken's, but is neither read nor set by it. */
export function strayVariables({ env, platform }: Surroundings): readonly Stray[] {
  const named = Object.keys(env).filter((name) => /^GW_?TOKEN_/i.test(name) && env[name]);
  if (named.length === 0) return [];
  const known = knownVariables();
  // Windows ignores the case.
  const read = (name: string): string => (platform === 'win32' ? name.toUpperCase() : name);
  return named
    .filter((name) => !known.includes(read(name)) && !OUTPUTS.some((end) => read(name).endsWith(`_${end}`)))
    .map((name) => ({
      name,
      meant: () => meantBy(name),
      isMisleading: /CLIENT|SECRET|SANDBOX|ENV/i.test(name),
    }));
}

/** Returns the variables that may be meant, or the command that sets a key without a variable. */
function meantBy(name: string): readonly string[] {
  const upper = name.toUpperCase();
  const key = configKeys().find((each) => variableSpelling(each) === upper);
  if (key !== undefined) return [variableOf(settingOf(key)!, key) ?? `gwtoken config set ${key} VALUE`];
  // Other tools have the setting's name, and not its key: GWTOKEN_ENV and GWTOKEN_ENVIRONMENT.
  const named = ROWS.find((row) => row.name && variableSpelling(row.name).startsWith(upper));
  const variable = named && variableOf(named, named.key);
  if (variable) return [variable];
  const known = knownVariables();
  const similar = similarWords(upper, known);
  if (similar.length > 0) return similar;
  // The words in another order, or some of them: GWTOKEN_CLIENT_ID_EU_SANDBOX, GWTOKEN_SECRET.
  const reordered = known.filter((each) => upper.split('_').every((word) => each.split('_').includes(word)));
  return reordered.sort((a, b) => a.length - b.length).slice(0, 1);
}
