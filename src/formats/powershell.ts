/** PowerShell, through `| Out-String | Invoke-Expression`: a native program's output arrives there as an array of lines. */
import { checkForWindows, type Format, type Variable } from './format';

export const powershell: Format = {
  set: (variables) => variables.map(statement).join(''),
  unset: (names) => remove(names),
  failure: (names, exitCode) => `${remove(names)}throw 'gwtoken failed (exit code ${exitCode})'\n`,
  hint: (command) => `${command} | Out-String | Invoke-Expression`,
  quote,
};

function statement({ name, value }: Variable): string {
  if (value === undefined) return remove([name]);
  checkForWindows({ name, value });
  // An empty text would remove the variable, which is what an empty variable is on Windows.
  return `$env:${name} = ${quote(value)}\n`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function remove(names: readonly string[]): string {
  return `Remove-Item ${names.map((name) => `Env:${name}`).join(',')} -ErrorAction SilentlyContinue\n`;
}
