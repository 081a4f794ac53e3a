/** POSIX shells, fish, csh and Elvish. */
import { encodeRuns, type Format, octal } from './format';

const POSIX_LITERAL = '[A-Za-z0-9_./@+=%,-]';

/** The most characters for one printf: its argument has to fit on a command line in a shell that runs it as a program. */
const RUN = 1000;
/** The most substitutions in one word: dash and busybox crash at two thousand. */
const PIECES = 200;

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
export const posix: Format = {
  set: (variables) =>
    variables
      .map(({ name, value }) =>
        value === undefined ? `unset ${name};\n` : `${assignPosix(name, value)}export ${name};\n`,
      )
      .join(''),
  unset: (names) => `unset ${names.join(' ')};\n`,
  // `(exit 4)` would be a bad pattern under zsh's globsubst, and `exit 4` would end the person's shell.
  failure: (names, exitCode) => `unset ${names.join(' ')};sh -c "exit ${exitCode}";\n`,
  hint: (command) => `eval $(${command})`,
};

function assignPosix(name: string, value: string): string {
  const pieces = encodePosix(value);
  let statements = `${name}=${pieces.slice(0, PIECES).join('')};`;
  for (let next = PIECES; next < pieces.length; next += PIECES) {
    statements += `${name}="$${name}"${pieces.slice(next, next + PIECES).join('')};`;
  }
  return statements;
}

function encodePosix(value: string): string[] {
  if (value === '') return ["''"];
  return encodeRuns(value, [
    [`${POSIX_LITERAL}+`, (run) => `'${run}'`],
    [' +', (run) => `"\`printf %${run.length}s\`"`],
    [`(?:(?!${POSIX_LITERAL}| ).){1,${RUN}}`, (run) => `"\`printf '${octal(run)}'\`"`],
  ]);
}

// No `%`: fish takes a word that begins with %self for its process id.
const FISH_LITERAL = '[A-Za-z0-9_./@+=,:-]';

/** fish: every unsafe character as `\Xhh`, which it decodes itself, also in `eval (gwtoken env --format fish)`. */
export const fish: Format = {
  set: (variables) =>
    variables
      .map(({ name, value }) =>
        value === undefined ? removeFish(name) : `set -gx ${name} ${encodeFish(value)};\n`,
      )
      .join(''),
  unset: (names) => names.map(removeFish).join(''),
  failure: (names, exitCode) => `${names.map(removeFish).join('')}sh -c "exit ${exitCode}";\n`,
  hint: (command) => `${command} | source`,
};

/**
 * The global one: never a universal variable, which is stored on disk, and not a function's own. fish says 4 for one that
 * is not set, and that would be the status of the whole output.
 */
function removeFish(name: string): string {
  return `set -eg ${name}; or true;\n`;
}

function encodeFish(value: string): string {
  if (value === '') return "''";
  return encodeRuns(value, [
    [`${FISH_LITERAL}+`, (run) => run],
    ['.', (char) => `\\X${char.charCodeAt(0).toString(16)}`],
  ]).join('');
}

/** A word that begins with `=` may name a directory of the stack: `=-`, `=1`. */
const CSH_LITERAL = '(?!^=)[A-Za-z0-9_./@+=%,-]';

/** csh and tcsh: like sh, unsafe characters go through printf in octal, since the eval's argument is split and globbed. */
export const csh: Format = {
  set: (variables) =>
    variables
      .map(({ name, value }) =>
        value === undefined ? removeCsh(name) : `setenv ${name} ${encodeCsh(value)};\n`,
      )
      .join(''),
  unset: (names) => names.map(removeCsh).join(''),
  failure: (names, exitCode) => `${names.map(removeCsh).join('')}sh -c "exit ${exitCode}";\n`,
  hint: (command) => `eval \`${command}\``,
};

function removeCsh(name: string): string {
  return `unsetenv ${name};\n`;
}

function encodeCsh(value: string): string {
  if (value === '') return "''";
  return encodeRuns(value, [
    [`(?:${CSH_LITERAL})+`, (run) => run],
    [`(?:(?!${CSH_LITERAL}).){1,${RUN}}`, (run) => `"\`printf '${octal(run)}'\`"`],
  ]).join('');
}

/** Elvish. A failing gwtoken raises an exception there by itself, so nothing is printed then. */
export const elvish: Format = {
  set: (variables) =>
    variables
      .map(({ name, value }) =>
        value === undefined ? removeElvish(name) : `set-env ${name} '${value.replaceAll("'", "''")}';\n`,
      )
      .join(''),
  unset: (names) => names.map(removeElvish).join(''),
  quote: (word) => `'${word.replaceAll("'", "''")}'`,
  hint: (command) => `eval (${command} | slurp)`,
};

function removeElvish(name: string): string {
  return `unset-env ${name};\n`;
}
