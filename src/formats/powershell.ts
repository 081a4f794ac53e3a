/** PowerShell, through `| Out-String | Invoke-Expression`: a native program's output arrives there as an array of lines. */
import { cannotCarry, type Format, type Variable } from './format';

/** What Windows takes for one variable, in characters. */
const LIMIT = 32_767;

export const powershell: Format = {
  set: (variables) => variables.map(statement).join(''),
  unset: (names) => remove(names),
  failure: (names, exitCode) => `${remove(names)}throw 'gwtoken: failed (exit code ${exitCode})'\n`,
  hint: (command) => `${command} | Out-String | Invoke-Expression`,
};

function statement({ name, value }: Variable): string {
  if (value === undefined) return remove([name]);
  if (value.length >= LIMIT) throw cannotCarry(name, 'has more characters than Windows allows');
  // An empty text would remove the variable, which is what an empty variable is on Windows.
  return `$env:${name} = '${value.replaceAll("'", "''")}'\n`;
}

function remove(names: readonly string[]): string {
  return `Remove-Item ${names.map((name) => `Env:${name}`).join(',')} -ErrorAction SilentlyContinue\n`;
}
