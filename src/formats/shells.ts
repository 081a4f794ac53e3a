/** POSIX shells, fish, csh and PowerShell. */
import { checkForWindows, encodeRuns, type Format, octal, statements } from './format';

const POSIX_LITERAL = '[A-Za-z0-9_./@+=%,-]';

/** The most characters for one printf, whose argument has to fit on a command line. */
const RUN = 1000;
/** The most substitutions in one word: dash and busybox crash at two thousand. */
const PIECES = 200;

/**
 * sh, dash, bash, zsh, ksh, mksh, busybox. The output must survive `eval $(gwtoken env)` without quotes: the
 * shell splits it into words and takes each for a file name pattern before eval parses it. So no value in
 * the output has a literal space, and nothing in it is a pattern in any of these shells, under any option:
 *
 * - Only unsafe characters go through printf, in octal: its arguments are visible to others. In backticks,
 *   since zsh's globsubst takes `$(` for a pattern; in double quotes, since it would expand a resulting `~`
 *   or `=ls`.
 * - Spaces, which most scopes have, are `printf %3s`: bash 5.0 takes an octal's backslash for a pattern.
 * - `N=…;export N;`, since old shells split the words of `export N=$(…)`.
 * - Each statement ends with `;`, since a newline becomes a space.
 */
export const posix: Format = {
  ...statements(
    (name, value) => `${assignPosix(name, value)}export ${name};\n`,
    (name) => `unset ${name};\n`,
  ),
  unset: (names) => `unset ${names.join(' ')};\n`,
  // `(exit 4)` would be a bad pattern under zsh's globsubst, and `exit 4` would end the person's shell.
  failure: (names, exitCode) => `unset ${names.join(' ')};sh -c "exit ${exitCode}";\n`,
  hint: (command) => `eval $(${command})`,
};

function assignPosix(name: string, value: string): string {
  const pieces = encodePosix(value);
  let assignments = `${name}=${pieces.slice(0, PIECES).join('')};`;
  for (let next = PIECES; next < pieces.length; next += PIECES) {
    assignments += `${name}="$${name}"${pieces.slice(next, next + PIECES).join('')};`;
  }
  return assignments;
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

/** fish: unsafe characters as `\Xhh`, which it decodes itself, also in `eval (gwtoken env --format fish)`. */
export const fish: Format = {
  ...statements(
    (name, value) => `set -gx ${name} ${encodeFish(value)};\n`,
    // Never a universal variable, which is stored on disk. The status for one that is not set would be 4.
    (name) => `set -eg ${name}; or true;\n`,
  ),
  failure: (names, exitCode) => `${fish.unset(names)}sh -c "exit ${exitCode}";\n`,
  hint: (command) => `${command} --format fish | source`,
};

function encodeFish(value: string): string {
  if (value === '') return "''";
  return encodeRuns(value, [
    [`${FISH_LITERAL}+`, (run) => run],
    ['.', (char) => `\\X${char.charCodeAt(0).toString(16)}`],
  ]).join('');
}

/** A word that begins with `=` may name a directory of the stack: `=-`, `=1`. */
const CSH_LITERAL = '(?!^=)[A-Za-z0-9_./@+=%,-]';

/** csh and tcsh: as in sh, unsafe characters go through printf in octal: eval's argument is globbed. */
export const csh: Format = {
  ...statements(
    (name, value) => `setenv ${name} ${encodeCsh(value)};\n`,
    (name) => `unsetenv ${name};\n`,
  ),
  failure: (names, exitCode) => `${csh.unset(names)}sh -c "exit ${exitCode}";\n`,
  hint: (command) => `eval \`${command} --format csh\``,
};

function encodeCsh(value: string): string {
  if (value === '') return "''";
  return encodeRuns(value, [
    [`(?:${CSH_LITERAL})+`, (run) => run],
    [`(?:(?!${CSH_LITERAL}).){1,${RUN}}`, (run) => `"\`printf '${octal(run)}'\`"`],
  ]).join('');
}

/** PowerShell, through `| Out-String | Invoke-Expression`: a program's output is an array of lines there. */
export const powershell: Format = {
  ...statements(
    (name, value) => {
      checkForWindows({ name, value });
      // An empty value would remove the variable: Windows has no empty ones.
      return `$env:${name} = '${value.replaceAll("'", "''")}'\n`;
    },
    (name) => powershell.unset([name]),
  ),
  unset: (names) =>
    `Remove-Item ${names.map((name) => `Env:${name}`).join(',')} -ErrorAction SilentlyContinue\n`,
  failure: (names, exitCode) => `${powershell.unset(names)}throw 'gwtoken failed (exit code ${exitCode})'\n`,
  hint: (command) => `${command} --format powershell | Out-String | Invoke-Expression`,
};
