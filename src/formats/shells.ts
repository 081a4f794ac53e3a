/** The formats that a shell evaluates: each is a list of statements. */
import { checkForWindows, type Format } from './format';

/**
 * sh, dash, bash, zsh, ksh, mksh and busybox. The output must survive `eval $(gwtoken env)` without quotes:
 * the shell splits the output into words and expands each word as a file name pattern before eval parses it.
 * So no value contains a literal space, and no word is a pattern in any of these shells, under any option:
 *
 * - Unsafe characters go through printf, in octal. The others do not, because other users can see printf's
 *   arguments. The substitution stands in backticks, because `$(` is a pattern under zsh's globsubst, and in
 *   double quotes, because zsh would expand a resulting `~` or `=ls`.
 * - Spaces, which most scopes contain, become `printf %3s`, because the backslash of an octal is a pattern in
 *   bash 5.0.
 * - The output is `N=…;export N;`, because old shells split the result of `export N=$(…)` into words.
 * - Each statement ends with `;`, because the shell turns a newline into a space.
 */
export const posix: Format = {
  set: (name, value) => `${assignPosix(name, value)}export ${name};\n`,
  remove: (name) => `unset ${name};\n`,
  fail,
  evaluatingLine: (command) => `eval $(${command})`,
};

/** Matches a run of literal characters, of spaces, or of at most 1000 others, which one printf prints. */
const POSIX_RUNS = /[\w./@+=%,-]+| +|[^\w./@+=%, -]{1,1000}/g;
/** The most runs in one word: dash and busybox crash at 2000 substitutions. */
const MAX_RUNS = 200;

function assignPosix(name: string, value: string): string {
  const runs = (value.match(POSIX_RUNS) ?? ['']).map(encodePosix);
  let assignments = `${name}=${runs.slice(0, MAX_RUNS).join('')};`;
  for (let next = MAX_RUNS; next < runs.length; next += MAX_RUNS)
    assignments += `${name}="$${name}"${runs.slice(next, next + MAX_RUNS).join('')};`;
  return assignments;
}

function encodePosix(run: string): string {
  if (/^[\w./@+=%,-]*$/.test(run)) return `'${run}'`;
  if (run.startsWith(' ')) return `"\`printf %${run.length}s\`"`;
  const codes = run.replace(/./g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`);
  return `"\`printf '${codes}'\`"`;
}

/** fish. Unsafe characters become `\Xhh`, which fish decodes, even in `eval (gwtoken env --format fish)`. */
export const fish: Format = {
  // `or true`: `set` leaves the status of the command before it, which may have failed.
  set: (name, value) => `set -gx ${name} ${encodeFish(value) || "''"}; or true;\n`,
  // `-g` keeps universal variables, which are on disk. `or true`: the status is 4 if no such variable is set.
  remove: (name) => `set -eg ${name}; or true;\n`,
  fail,
  evaluatingLine: (command) => `${command} | source`,
};

function encodeFish(value: string): string {
  // `%` is unsafe because fish replaces %self at the start of a word by its process ID.
  return value.replace(/[^\w./@+=,:-]/g, (char) => `\\X${char.charCodeAt(0).toString(16)}`);
}

/** Starts a shell, because `exit 4` ends the user's shell and `(exit 4)` is a bad pattern under globsubst. */
function fail(exitCode: number): string {
  return `sh -c "exit ${exitCode}";\n`;
}

/** PowerShell, in which a program's output is an array of lines: `Out-String` joins them. */
export const powershell: Format = {
  set(name, value) {
    checkForWindows({ name, value });
    return `$env:${name} = '${value.replaceAll("'", "''")}'\n`;
  },
  remove: (name) => `Remove-Item Env:${name} -ErrorAction SilentlyContinue\n`,
  fail: (exitCode) => `throw 'gwtoken failed (exit code ${exitCode})'\n`,
  evaluatingLine: (command) => `${command} | Out-String | Invoke-Expression`,
};
