/**
 * One JSON object from name to value, null for what is removed. Nushell loads it as it is, and fails by itself where
 * there is none: it must not even get `{}` when gwtoken failed.
 */
import type { Format, Variable } from './format';

export const json: Format = { set: object, unset };

export const nu: Format = {
  set: object,
  unset,
  hint: (command) => `${command} | from json | load-env`,
  quote: (word) => JSON.stringify(word),
};

function object(variables: readonly Variable[]): string {
  return `${JSON.stringify(Object.fromEntries(variables.map(({ name, value }) => [name, value ?? null])))}\n`;
}

function unset(names: readonly string[]): string {
  return object(names.map((name) => ({ name, value: undefined })));
}
