/**
 * sh, dash, bash, zsh, ksh, mksh, busybox. What is printed must survive `eval $(gwtoken env)` without quotes: the
 * shell splits it into words and takes each for a file name pattern before eval parses it. So no character of the
 * output is a space inside a value or a pattern in any of these shells, under any option:
 *
 * - What is unsafe goes through printf, in octal. In backticks, since zsh's globsubst takes `$(` for a pattern; in
 *   double quotes, since it would expand a resulting `~` or `=ls`.
 * - Spaces are `printf %3s`: no backslash, which bash 5.0 takes for a pattern, in a scope of several words.
 * - `N=…;export N;`, since old shells split the words of `export N=$(…)`.
 * - Each statement ends with `;`, since a newline becomes a space.
 * - Only what is unsafe goes through printf: it is a program in mksh, and its arguments are visible to others.
 */
import { encodeRuns, type Format, octal } from './format';

const LITERAL = '[A-Za-z0-9_./@+=%,-]';

/** One printf takes no more: its argument has to fit where it is a program. */
const RUN = 1000;
/** One word takes no more pieces: dash and busybox crash at two thousand substitutions in one. */
const PIECES = 200;

export const posix: Format = {
  set: (variables) =>
    variables
      .map(({ name, value }) =>
        value === undefined ? `unset ${name};\n` : `${assign(name, value)}export ${name};\n`,
      )
      .join(''),
  unset: (names) => `unset ${names.join(' ')};\n`,
  // `(exit 4)` would be a bad pattern under zsh's globsubst, and `exit 4` would end the person's shell.
  failure: (names, exitCode) => `unset ${names.join(' ')};sh -c "exit ${exitCode}";\n`,
  hint: (command) => `eval $(${command})`,
};

function assign(name: string, value: string): string {
  const pieces = encode(value);
  let statements = `${name}=${pieces.slice(0, PIECES).join('')};`;
  for (let next = PIECES; next < pieces.length; next += PIECES) {
    statements += `${name}="$${name}"${pieces.slice(next, next + PIECES).join('')};`;
  }
  return statements;
}

function encode(value: string): string[] {
  if (value === '') return ["''"];
  return encodeRuns(value, [
    [`${LITERAL}+`, (run) => `'${run}'`],
    [' +', (run) => `"\`printf %${run.length}s\`"`],
    [`(?:(?!${LITERAL}| ).){1,${RUN}}`, (run) => `"\`printf '${octal(run)}'\`"`],
  ]);
}
