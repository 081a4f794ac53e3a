/** POSIX shells, fish, csh and PowerShell. */
import { checkForWindows, type Format } from './format';

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
  set: (name, value) => `${assignPosix(name, value)}export ${name};\n`,
  remove: (name) => `unset ${name};\n`,
  fail,
  hint: (command) => `eval $(${command})`,
};

/** Runs of literal characters, of spaces, and of others: as many as fit on the command line of a printf. */
const POSIX_RUNS = /[\w./@+=%,-]+| +|[^\w./@+=%, -]{1,1000}/g;
/** The most substitutions in one word: dash and busybox crash at two thousand. */
const PIECES = 200;

function assignPosix(name: string, value: string): string {
  const pieces = (value.match(POSIX_RUNS) ?? ['']).map(encodePosix);
  let assignments = `${name}=${pieces.slice(0, PIECES).join('')};`;
  for (let next = PIECES; next < pieces.length; next += PIECES)
    assignments += `${name}="$${name}"${pieces.slice(next, next + PIECES).join('')};`;
  return assignments;
}

function encodePosix(run: string): string {
  if (/^[\w./@+=%,-]*$/.test(run)) return `'${run}'`;
  return run.startsWith(' ') ? `"\`printf %${run.length}s\`"` : printfOctal(run);
}

/** fish: unsafe characters as `\Xhh`, which it decodes itself, also in `eval (gwtoken env --format fish)`. */
export const fish: Format = {
  set: (name, value) => `set -gx ${name} ${encodeFish(value) || "''"};\n`,
  // Never a universal variable, which is stored on disk. The status for one that is not set would be 4.
  remove: (name) => `set -eg ${name}; or true;\n`,
  fail,
  hint: (command) => `${command} --format fish | source`,
};

function encodeFish(value: string): string {
  // `%` too: fish takes a word that begins with %self for its process id.
  return value.replace(/[^\w./@+=,:-]/g, (char) => `\\X${char.charCodeAt(0).toString(16)}`);
}

/** csh and tcsh: as in sh, unsafe characters go through printf in octal: eval's argument is globbed. */
export const csh: Format = {
  set: (name, value) => `setenv ${name} ${encodeCsh(value) || "''"};\n`,
  remove: (name) => `unsetenv ${name};\n`,
  fail,
  hint: (command) => `eval \`${command} --format csh\``,
};

function encodeCsh(value: string): string {
  // A word that begins with `=` may name a directory of the stack: `=-`, `=1`.
  return value.replace(/(?:^=|[^\w./@+=%,-]){1,1000}/g, printfOctal);
}

/** Returns a substitution whose output is the text. All characters are ASCII. */
function printfOctal(text: string): string {
  const codes = text.replace(/./g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`);
  return `"\`printf '${codes}'\`"`;
}

/** `(exit 4)` would be a bad pattern under zsh's globsubst, and `exit 4` would end the person's shell. */
function fail(exitCode: number): string {
  return `sh -c "exit ${exitCode}";\n`;
}

/** PowerShell, through `| Out-String | Invoke-Expression`: a program's output is an array of lines there. */
export const powershell: Format = {
  set(name, value) {
    checkForWindows({ name, value });
    return `$env:${name} = '${value.replaceAll("'", "''")}'\n`;
  },
  remove: (name) => `Remove-Item Env:${name} -ErrorAction SilentlyContinue\n`,
  fail: (exitCode) => `throw 'gwtoken failed (exit code ${exitCode})'\n`,
  hint: (command) => `${command} --format powershell | Out-String | Invoke-Expression`,
};
