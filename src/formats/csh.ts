/** csh and tcsh: like sh, unsafe characters go through printf in octal, since the eval's argument is split and globbed. */
import { encodeRuns, type Format, octal } from './format';

/** A word that begins with `=` may name a directory of the stack: `=-`, `=1`. */
const LITERAL = '(?!^=)[A-Za-z0-9_./@+=%,-]';
const RUN = 1000;

export const csh: Format = {
  set: (variables) =>
    variables
      .map(({ name, value }) => (value === undefined ? remove(name) : `setenv ${name} ${encode(value)};\n`))
      .join(''),
  unset: (names) => names.map(remove).join(''),
  failure: (names, exitCode) => `${names.map(remove).join('')}sh -c "exit ${exitCode}";\n`,
  hint: (command) => `eval \`${command}\``,
};

function remove(name: string): string {
  return `unsetenv ${name};\n`;
}

function encode(value: string): string {
  if (value === '') return "''";
  return encodeRuns(value, [
    [`(?:${LITERAL})+`, (run) => run],
    [`(?:(?!${LITERAL}).){1,${RUN}}`, (run) => `"\`printf '${octal(run)}'\`"`],
  ]).join('');
}
