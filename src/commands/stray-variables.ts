/** Finds environment variables that look like gwtoken's, but are unknown. */
import { CREDENTIAL_VARIABLES } from '../credentials/variables';
import { TOKEN_FILE, tokenVariables } from '../formats/token-variables';
import { allKeys, ROWS, variableOf } from '../settings/table';
import { DIRECTORY_VARIABLES, type Surroundings, variableName } from '../surroundings';
import { listOf, similarWords } from '../text';

/** Ends of the variables that gwtoken sets, under any prefix. */
const OUTPUTS = [...tokenVariables(undefined, { prefix: '' }).map(({ name }) => name), TOKEN_FILE];

/** Returns a warning for each set variable that resembles one of gwtoken's, but is none of them. */
export function strayVariables({ env, platform }: Surroundings): readonly string[] {
  const named = Object.keys(env).filter((name) => /^GW_?TOKEN_/i.test(name) && env[name]);
  if (named.length === 0) return [];
  const known = [
    ...ROWS.flatMap((row) => allKeys(row).flatMap((key) => variableOf(row, key) ?? [])),
    ...CREDENTIAL_VARIABLES,
    ...Object.values(DIRECTORY_VARIABLES),
  ];
  const isOurs = (name: string): boolean =>
    known.includes(name) || OUTPUTS.some((end) => name.endsWith(`_${end}`));
  return named
    .filter((name) => !isOurs(variableName(name, platform)))
    .flatMap((name) => {
      const similar = similarWords(name.toUpperCase(), known, 2);
      // Names with these words could select another client, however they are spelled.
      if (similar.length === 0 && !/CLIENT|SECRET|SANDBOX|ENV/i.test(name)) return [];
      const meant = similar.length > 0 ? `; did you mean: ${listOf(similar)}` : '';
      return [`${name} is not a variable of gwtoken's${meant}`];
    });
}
