/** fish: every unsafe character as `\Xhh`, which it decodes itself, also in `eval (gwtoken env --format fish)`. */
import { encodeRuns, type Format } from './format';

// No `%`: fish takes a word that begins with %self for its process id.
const LITERAL = '[A-Za-z0-9_./@+=,:-]';

export const fish: Format = {
  set: (variables) =>
    variables
      .map(({ name, value }) => (value === undefined ? remove(name) : `set -gx ${name} ${encode(value)};\n`))
      .join(''),
  unset: (names) => names.map(remove).join(''),
  failure: (names, exitCode) => `${names.map(remove).join('')}sh -c "exit ${exitCode}";\n`,
  hint: (command) => `${command} | source`,
};

/**
 * The global one: never a universal variable, which is stored on disk, and not a function's own. fish says 4 for one that
 * is not set, and that would be the status of the whole output.
 */
function remove(name: string): string {
  return `set -eg ${name}; or true;\n`;
}

function encode(value: string): string {
  if (value === '') return "''";
  return encodeRuns(value, [
    [`${LITERAL}+`, (run) => run],
    ['.', (char) => `\\X${char.charCodeAt(0).toString(16)}`],
  ]).join('');
}
