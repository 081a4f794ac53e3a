/** Elvish. A failing gwtoken raises an exception there by itself, so nothing is printed then. */
import type { Format } from './format';

export const elvish: Format = {
  set: (variables) =>
    variables
      .map(({ name, value }) =>
        value === undefined ? remove(name) : `set-env ${name} '${value.replaceAll("'", "''")}';\n`,
      )
      .join(''),
  unset: (names) => names.map(remove).join(''),
  quote: (word) => `'${word.replaceAll("'", "''")}'`,
  hint: (command) => `eval (${command} | slurp)`,
};

function remove(name: string): string {
  return `unset-env ${name};\n`;
}
